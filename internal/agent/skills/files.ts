/** The files of a skill: read from its folder within bounds, without links, always in one order. */
import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { compareBytes, toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import { codeOf, readFileIfThere } from "#internal/runtime/mod.ts";
import { AgentError } from "../errors.ts";
import { SKILL_FILE } from "./declaration.ts";

/** Files of one skill, bytes of one of them, and of all. */
export const MAX_FILES = 1_000;
export const MAX_FILE_BYTES = 8 << 20;
export const MAX_BYTES = 32 << 20;
const MAX_PATH_BYTES = 200;
const MAX_DEPTH = 8;
/** What a folder has beside a skill: version control, and what systems and interpreters leave. */
const PASSED_OVER: ReadonlySet<string> = new Set([".git", ".DS_Store", "__pycache__"]);

/** One file. */
export interface SkillFile {
  /** Relative to the skill, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether its owner may run it, which means nothing for `skill_run`. */
  readonly executable: boolean;
}

/** A file as a release pins it. */
export interface PinnedFile {
  readonly path: string;
  /** SHA-256, 64 hex digits. */
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * The files of a skill's folder, sorted by path.
 * @param all also what `pack` passes over: no file may have come to a release unnoticed
 * @throws {AgentError} `skill` for a link, a file that is none, and what is too much
 */
export async function readSkillFolder(
  folder: string,
  { shown = folder, all = false }: { readonly shown?: string; readonly all?: boolean } = {},
): Promise<readonly SkillFile[]> {
  const files: SkillFile[] = [];
  let bytes = 0;
  const take = async (below: string): Promise<void> => {
    const entries = await entriesOf(join(folder, below), shown);
    for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      if (!all && PASSED_OVER.has(entry.name)) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      const fault = pathFault(path);
      if (fault !== undefined) throw unfit(`${shown}: ${JSON.stringify(path)} ${fault}`);
      if (entry.isDirectory()) {
        await take(path);
        continue;
      }
      if (!entry.isFile()) {
        const what = entry.isSymbolicLink() ? "is a link: put the file itself there" : "is no file";
        throw unfit(`${shown}/${path} ${what}`);
      }
      if (files.length === MAX_FILES) throw unfit(`${shown} has more than ${MAX_FILES} files`);
      const file = await fileAt(join(folder, path), path, `${shown}/${path}`);
      bytes += file.bytes.length;
      if (bytes > MAX_BYTES) throw unfit(`${shown} has more than ${MAX_BYTES} bytes`);
      files.push(file);
    }
  };
  await take("");
  return checkedFiles(files, shown);
}

async function entriesOf(folder: string, shown: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    const fault = code === "ENOENT"
      ? "is not there: check the path"
      : "is no folder: a skill is one";
    throw unfit(`${shown} ${fault}`);
  }
}

/** Files in their order, when they can be a skill's. @throws {AgentError} `skill` */
export function checkedFiles(files: readonly SkillFile[], shown: string): readonly SkillFile[] {
  const sorted = [...files].sort((a, b) => compareBytes(utf8(a.path), utf8(b.path)));
  const seen = new Set<string>();
  // Some systems take names for one that differ by their case.
  const fold = (path: string): string => path.normalize("NFC").toLowerCase();
  for (const { path } of sorted) {
    const folded = fold(path);
    if (seen.has(folded)) throw unfit(`${shown} has two files named ${path}, but for their case`);
    seen.add(folded);
  }
  for (const { path } of sorted) {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
      const above = path.slice(0, at);
      if (seen.has(fold(above))) throw unfit(`${shown} has a file and a folder named ${above}`);
    }
  }
  if (!sorted.some(({ path }) => path === SKILL_FILE)) {
    throw unfit(`${shown} has no ${SKILL_FILE}: a skill is a folder with one`);
  }
  return sorted;
}

/** What is wrong with a path inside a skill, or nothing. */
export function pathFault(path: string): string | undefined {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return "leads elsewhere";
  if (/[\p{Cc}\\]/u.test(path) || !path.isWellFormed()) {
    return "has characters that paths here lack";
  }
  if (parts.length > MAX_DEPTH) return `lies more than ${MAX_DEPTH} folders deep`;
  return utf8(path).length > MAX_PATH_BYTES ? `is longer than ${MAX_PATH_BYTES} bytes` : undefined;
}

/** A file as it is pinned. */
export function pinned({ path, bytes }: SkillFile): PinnedFile {
  return { path, sha256: toHex(sha256(bytes)), bytes: bytes.length };
}

async function fileAt(at: string, path: string, shown: string): Promise<SkillFile> {
  const bytes = await readFileIfThere(at, { mostBytes: MAX_FILE_BYTES, shownAs: shown });
  if (bytes === undefined) throw unfit(`${shown} went away while it was read`);
  return { path, bytes, executable: ((await stat(at)).mode & 0o100) !== 0 };
}

function unfit(why: string): AgentError {
  return new AgentError("skill", why);
}
