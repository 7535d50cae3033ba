/**
 * Files that a person sends: what of them is taken, where in the workspace they are put, and how the
 * agent is told. Their names are from outside, whoever sends them.
 */
import { toHex } from "#internal/core/mod.ts";
import type { Random } from "#internal/core/mod.ts";
import type { PersonMessage, SentFile } from "./conversation.ts";
import { cleanName, mediaTypeOf, putUnderFreeName } from "./given_names.ts";
import { WorkspaceError } from "./workspace.ts";
import type { Workspace } from "./workspace.ts";

/** A larger file is not taken, bytes. */
export const MAX_SENT_BYTES = 25_000_000;
/** Where files are put. */
const FOLDER = "inbox";

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
    const id = toHex(random(8));
    return {
      ...known,
      bytes,
      path: await putUnderFreeName(workspace, FOLDER, { name, bytes, id }),
    };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return { ...known, bytes, missing: "not-kept" };
  }
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
