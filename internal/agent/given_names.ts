/** Files whose names somebody else gave: what is left of a name, what a file is, and one that is free. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pictureTypeOf } from "./pictures.ts";
import { WorkspaceError } from "./workspace.ts";
import type { Workspace } from "./workspace.ts";

/** Characters of a name. */
const MAX_NAME_LENGTH = 100;
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

/**
 * Puts a file into a folder of the workspace under its name, or as `cart-2.png` where that is taken.
 * @param id names what is written beside it meanwhile, and the file where no number is free
 * @returns its path
 * @throws {WorkspaceError}
 */
export async function putUnderFreeName(
  workspace: Workspace,
  folder: string,
  { name, bytes, id }: { readonly name: string; readonly bytes: Uint8Array; readonly id: string },
): Promise<string> {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const writeAs = async (more: string): Promise<string> => {
    const path = `${folder}/${stem}${more}${ending}`;
    await workspace.change([{ kind: "write", path, bytes, was: "nothing" }], { id });
    return path;
  };
  const there = await readdir(join(workspace.root, folder)).catch(() => []);
  const taken = new Set(there.map((one) => one.toLowerCase()));
  let number = 1;
  const more = (): string => number === 1 ? "" : `-${number}`;
  while (taken.has(`${stem}${more()}${ending}`.toLowerCase())) number++;
  try {
    return await writeAs(more());
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.code !== "exists") throw error;
    return await writeAs(`-${id}`);
  }
}
