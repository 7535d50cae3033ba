/** Files that a person sends from this machine: named as an option, or by a path that is pasted. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_SENT_BYTES, pictureTypeOf } from "#internal/agent/mod.ts";
import type { SentFile } from "#internal/agent/mod.ts";
import { escapeLine } from "#internal/core/mod.ts";
import { displayPath, readFileIfThere } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import { usageError } from "./errors.ts";

/** Where paths are meant from. */
export interface FilePlace {
  readonly cwd: string;
  readonly env: Environment;
}

/** A file that was found, and the words that stand for it in a text. */
export interface FoundFile {
  readonly path: string;
  /** As in `[picture cart.png, 12 kB]`. */
  readonly label: string;
}

/** A paste longer than this is no list of paths, characters. */
const MAX_PASTED = 8_192;
/** Files of one paste. */
const MAX_FILES = 20;
/** So many bytes tell a picture. */
const HEAD_BYTES = 16;
const MAX_MEGABYTES = MAX_SENT_BYTES / 1_000_000;

/** Reads a file to be sent. @throws {SionError} `usage`, `file-unfit` */
export async function readSentFile(path: string, { cwd, env }: FilePlace): Promise<SentFile> {
  const file = resolve(cwd, path);
  const shownAs = displayPath(path, env);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) throw usageError(`${shownAs} is a folder: send its files`);
  if (stats !== undefined && stats.size > MAX_SENT_BYTES) {
    throw usageError(tooLarge(shownAs, stats.size));
  }
  const bytes = await readFileIfThere(file, { mostBytes: MAX_SENT_BYTES, shownAs });
  if (bytes === undefined) throw usageError(`there is no file ${shownAs}: give another`);
  return { name: basename(file), mediaType: "", bytes };
}

/**
 * The files that a pasted text names, where it names nothing else: one or more paths as terminals give
 * them for what is dragged onto them, bare, quoted, escaped or as addresses.
 * @returns nothing when it is no list of files; a sentence when one of them cannot be sent
 */
export function filesIn(
  pasted: string,
  place: FilePlace,
): readonly FoundFile[] | { readonly problem: string } | undefined {
  if (pasted.length > MAX_PASTED) return undefined;
  const whole = pathIn(pasted.trim(), place);
  const paths = whole !== undefined && sizeOf(whole) !== undefined
    ? [whole]
    : wordsIn(pasted).map((word) => pathIn(word, place));
  if (paths.length === 0 || paths.length > MAX_FILES) return undefined;
  const found: FoundFile[] = [];
  for (const path of paths) {
    const size = path === undefined ? undefined : sizeOf(path);
    if (path === undefined || size === undefined) return undefined;
    if (size > MAX_SENT_BYTES) return { problem: tooLarge(basename(path), size) };
    const what = isPicture(path, size) ? "picture" : "file";
    const name = escapeLine(basename(path)).replaceAll(/[[\]]/g, "_");
    found.push({ path, label: `[${what} ${name}, ${sizeText(size)}]` });
  }
  return found;
}

/** An absolute path that a word names; a bare name is a word. */
function pathIn(word: string, { cwd, env }: FilePlace): string | undefined {
  if (/[\n\r\0]/.test(word)) return undefined;
  if (word.startsWith("file://")) {
    try {
      return fileURLToPath(word);
    } catch {
      return undefined;
    }
  }
  const { HOME } = env;
  if (word.startsWith("~/") && HOME !== undefined) return join(HOME, word.slice(2));
  if (isAbsolute(word)) return word;
  return /^\.{1,2}\//.test(word) ? resolve(cwd, word) : undefined;
}

/** Words as a shell reads them, without anything but quotes and backslashes. */
function wordsIn(text: string): readonly string[] {
  const words = text.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gsu);
  return [...words].map(([word]) =>
    word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gsu, (_all, single, double, escaped) => {
      if (typeof single === "string") return single;
      if (typeof double === "string") return double.replaceAll(/\\(["\\$`])/g, "$1");
      return String(escaped);
    })
  );
}

/** A regular file's, bytes. */
function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : undefined;
  } catch {
    return undefined;
  }
}

function isPicture(path: string, size: number): boolean {
  const head = new Uint8Array(HEAD_BYTES);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, head, 0, HEAD_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
  return pictureTypeOf(head, size) !== undefined;
}

function tooLarge(name: string, size: number): string {
  return `${name} has ${sizeText(size)}: a file of at most ${MAX_MEGABYTES} MB can be sent`;
}

/** `12 kB`. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 999_500
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
