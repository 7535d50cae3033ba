/**
 * What this machine is set up with, as JSON that a person can read: files of mode 0600, which are
 * refused when others may change or read them, since they say what an agent may do and who gets in.
 */
import {
  messageOf,
  parseJson,
  SionError,
  stringifyJson,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { readPrivateFile, writeFileAtomic } from "#internal/runtime/mod.ts";

/**
 * - `kept-damaged`: a file is not what sion wrote. Data: `path`.
 * - `kept-newer`: a newer sion wrote it. Data: `path`.
 */
export type PrivateJsonErrorCode = "kept-damaged" | "kept-newer";

/** Far more than anybody sets up by hand. */
const MAX_BYTES = 1 << 20;

/** A file and how errors name it. */
export interface PrivateFile {
  readonly path: string;
  readonly shown: string;
  /** Version of what is in it, from 1. */
  readonly version: number;
}

/**
 * The members of a file's object, without its version; `undefined` when there is no file.
 * @throws {SionError} `kept-damaged`, `kept-newer`, `file-exposed`
 */
export async function readPrivateJson(
  file: PrivateFile,
): Promise<{ readonly [member: string]: JsonValue | undefined } | undefined> {
  const bytes = await readPrivateFile(file.path, file.shown, MAX_BYTES);
  if (bytes === undefined) return undefined;
  let value: JsonValue;
  try {
    value = parseJson(utf8Text(bytes));
  } catch (cause) {
    throw keptDamaged(file, messageOf(cause));
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw keptDamaged(file, "it is no object");
  }
  const { version, ...members } = value as { readonly [member: string]: JsonValue | undefined };
  if (typeof version === "number" && version > file.version) {
    throw new SionError<PrivateJsonErrorCode>(
      "kept-newer",
      `${file.shown} was written by a newer sion: update sion`,
      { data: { path: file.path } },
    );
  }
  if (version !== file.version) throw keptDamaged(file, "it names no version");
  return members;
}

/** Writes a file whole, readable by its owner only. Its folder has to be there. */
export async function writePrivateJson(
  { path, version }: PrivateFile,
  members: { readonly [member: string]: JsonValue },
): Promise<void> {
  await writeFileAtomic(path, utf8(`${stringifyJson({ version, ...members }, 2)}\n`));
}

/** A file that is not what sion wrote. @param why what is wrong with it */
export function keptDamaged({ path, shown }: PrivateFile, why: string): Error {
  return new SionError<PrivateJsonErrorCode>(
    "kept-damaged",
    `${shown} is not what sion wrote (${why}): mend it, or remove it`,
    { data: { path } },
  );
}
