/**
 * Files that a person sends: what of them is taken, where in the workspace they are put, and how the
 * agent is told. Their names are from outside, whoever sends them.
 */
import { toHex } from "#internal/core/mod.ts";
import type { Random } from "#internal/core/mod.ts";
import type { PersonMessage, SentFile } from "./conversation.ts";
import { pictureTypeOf } from "./pictures.ts";
import { WorkspaceError } from "./workspace.ts";
import type { Workspace } from "./workspace.ts";

/** A larger file is not taken, bytes. */
export const MAX_SENT_BYTES = 25_000_000;
/** Where files are put. */
const FOLDER = "inbox";
/** Characters of a name. */
const MAX_NAME_LENGTH = 100;
/** Names that are tried, `cart.png`, `cart-2.png`, …, before one by chance. */
const MAX_TRIES = 100;
const UNKNOWN_TYPE = "application/octet-stream";

/** Media types by how names end, where nobody says another. */
const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  m4a: "audio/mp4",
  md: "text/markdown",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  wav: "audio/wav",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  zip: "application/zip",
};

/** What is known of files, and their bytes put in the workspace's inbox, if there is one. */
export async function takeFiles(
  message: PersonMessage,
  { workspace, random }: { readonly workspace?: Workspace | undefined; readonly random: Random },
): Promise<PersonMessage> {
  const { files = [] } = message;
  if (files.length === 0) return message;
  const taken: SentFile[] = [];
  for (const file of files) taken.push(await takenFile(file, workspace, random));
  return { ...message, files: taken };
}

async function takenFile(
  { bytes, ...file }: SentFile,
  workspace: Workspace | undefined,
  random: Random,
): Promise<SentFile> {
  const name = cleanName(file.name, file.mediaType);
  if (bytes === undefined) return { ...file, name };
  const mediaType = mediaTypeOf(bytes, name, file.mediaType);
  const known = { ...file, name, mediaType, size: bytes.length };
  if (bytes.length > MAX_SENT_BYTES) return { ...known, missing: "too-large" };
  if (workspace === undefined) return { ...known, bytes };
  try {
    return { ...known, bytes, path: await put(workspace, name, bytes, random) };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { ...known, bytes, missing: "not-kept" };
  }
}

/** Puts a file in the inbox under a name that is not taken yet. @returns its path */
async function put(
  workspace: Workspace,
  name: string,
  bytes: Uint8Array,
  random: Random,
): Promise<string> {
  const id = toHex(random(8));
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const writeAs = async (more: string): Promise<string> => {
    const path = `${FOLDER}/${stem}${more}${ending}`;
    await workspace.change([{ kind: "write", path, bytes, was: "nothing" }], { id });
    return path;
  };
  for (let number = 1; number <= MAX_TRIES; number++) {
    try {
      return await writeAs(number === 1 ? "" : `-${number}`);
    } catch (error) {
      const code = error instanceof WorkspaceError ? error.code : undefined;
      // A link out of the workspace has the name, or the inbox is one.
      if (code === "outside") break;
      if (code !== "exists" && code !== "not-a-file") throw error;
    }
  }
  return await writeAs(`-${id}`);
}

/** A name without folders, leading dots and characters that no name needs. */
export function cleanName(name: string, mediaType = ""): string {
  const last = name.split(/[/\\]/u).at(-1) ?? "";
  const clean = last.normalize("NFC").toWellFormed()
    // Controls, and what turns the direction of writing or cannot be seen.
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{fffd}]/gu, "")
    .replaceAll(/[<>:"|?*]/g, "_")
    .replace(/^[.\s-]+/u, "").replace(/[.\s]+$/u, "");
  if (clean !== "") return shortened(clean);
  const ending = Object.entries(TYPES).find(([, type]) => type === mediaType)?.[0];
  return ending === undefined ? "file" : `file.${ending}`;
}

/** What a name ends in says what it is, so that is kept. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  return `${name.slice(0, MAX_NAME_LENGTH - ending.length).toWellFormed()}${ending}`;
}

/** A picture's by its bytes whatever it is called, another's as it was said, or by its name. */
export function mediaTypeOf(bytes: Uint8Array, name: string, said = ""): string {
  const picture = pictureTypeOf(bytes, bytes.length);
  if (picture !== undefined) return picture;
  const plain = said.split(";")[0]?.trim().toLowerCase() ?? "";
  if (/^[a-z]+\/[\w.+-]{1,100}$/.test(plain) && plain !== UNKNOWN_TYPE) return plain;
  return TYPES[/\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""] ?? UNKNOWN_TYPE;
}

/** What the agent is told of files, a line each, after the words that came with them. */
export function fileLines(files: readonly SentFile[]): string[] {
  return files.flatMap(({ name, mediaType, size = 0, path, digest, text, missing }) => {
    const what = digest === undefined ? "file" : "picture";
    if (path !== undefined) {
      return [
        `(A ${what} was sent, put in your workspace as ${path}: ${mediaType}, ${size} bytes.)`,
      ];
    }
    switch (missing) {
      case "too-large":
        return [
          `(A file was sent that was not taken, being more than 25 MB: ${name}, ${size} bytes.)`,
        ];
      case "gone":
        return [`(A file was sent that could not be fetched: ${name}.)`];
      case "not-kept":
        return [`(A ${what} was sent that could not be put in your workspace: ${name}.)`];
      default:
        return digest !== undefined || text !== undefined
          ? []
          : [`(A file was sent that you cannot see: ${name}, ${mediaType}, ${size} bytes.)`];
    }
  });
}
