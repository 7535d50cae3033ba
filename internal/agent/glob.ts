/**
 * Globs that keep files of a workspace apart, over paths relative to it: as those that find files
 * (`search/path_glob.ts`), but one that matches a folder matches all that is in it, and case does not
 * count, as on file systems that fold it.
 */
import { isMatch, readPathGlob, step } from "#internal/search/mod.ts";
import type { GlobState } from "#internal/search/mod.ts";

/** What is wrong with a glob, or nothing. */
export function globProblem(glob: string): string | undefined {
  if (glob.startsWith("/")) return "it begins with /";
  if (/\p{Cc}/u.test(glob)) return "it holds a control character";
  try {
    startOf(glob);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** A matcher for relative paths. @throws {SyntaxError} as `globProblem` says */
export function matcherOf(globs: readonly string[]): (path: string) => boolean {
  const starts = globs.map(startOf);
  return (path) => {
    const names = plainPath(path).toLowerCase().split("/");
    return starts.some((start) => reaches(start, names));
  };
}

/** A path without `.`, `..` and doubled or last slashes. */
export function plainPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.normalize("NFC").split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return kept.join("/");
}

function startOf(glob: string): GlobState {
  return readPathGlob(glob.normalize("NFC").toLowerCase().replace(/\/+$/u, "")).start;
}

/** Whether a path, or a folder on its way, matches. */
function reaches(start: GlobState, names: readonly string[]): boolean {
  let state = start;
  for (const name of names) {
    state = step(state, name);
    if (isMatch(state)) return true;
  }
  return false;
}
