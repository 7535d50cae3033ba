/**
 * Globs over paths of a workspace: `*` and `?` stay in one component, `**` spans any, `{a,b}` and
 * `[a-z]` are choices. One without `/` matches a name at any depth; one that matches a folder matches
 * all that is in it. Case does not count, as on the file systems that fold it.
 */

/** Alternatives that one glob may stand for, nested ones multiplied. */
const MAX_ALTERNATIVES = 64;

/** What is wrong with a glob, or nothing. */
export function globProblem(glob: string): string | undefined {
  if (glob.trim() === "") return "it is empty";
  if (glob.startsWith("/")) return "it begins with /";
  if (glob.split("/").includes("..")) return "it holds ..";
  if (/\p{Cc}/u.test(glob)) return "it holds a control character";
  try {
    expressionsOf(glob);
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** A matcher for relative paths. @throws {SyntaxError} as `globProblem` says */
export function matcherOf(globs: readonly string[]): (path: string) => boolean {
  const expressions = globs.flatMap(expressionsOf);
  return (path) => {
    const plain = plainPath(path);
    return expressions.some((one) => one.test(plain));
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

function expressionsOf(glob: string): RegExp[] {
  return alternativesOf(glob.normalize("NFC")).map((one) => {
    const pattern = one.replace(/^(?:\.\/)+|\/+$/g, "");
    const anywhere = pattern.includes("/") ? "" : "(?:.*/)?";
    return new RegExp(`^${anywhere}${sourceOf(pattern)}(?:/.*)?$`, "isu");
  });
}

/** The braces of a glob written out. @throws {SyntaxError} */
export function alternativesOf(glob: string): string[] {
  let open = [glob];
  const done: string[] = [];
  while (open.length > 0) {
    const next: string[] = [];
    for (const one of open) {
      const match = /\{([^{}]*)\}/.exec(one);
      if (match === null) {
        done.push(one);
        continue;
      }
      const [braces, inner = ""] = match;
      const [before, after] = [one.slice(0, match.index), one.slice(match.index + braces.length)];
      next.push(...inner.split(",").map((choice) => before + choice + after));
    }
    open = next;
    if (open.length + done.length > MAX_ALTERNATIVES) {
      throw new SyntaxError("it has too many choices");
    }
  }
  if (done.some((one) => /[{}]/.test(one))) throw new SyntaxError("its braces do not match");
  return done;
}

/** What a piece of a glob is: stars, a question mark, a set, or a character that means itself. */
const PIECE =
  /(?<deep>\*\*+)(?<slash>\/?)|(?<star>\*)|(?<one>\?)|\[(?<not>!?)(?<set>[^\]]+)\]|[^]/gu;

function sourceOf(pattern: string): string {
  return [...pattern.matchAll(PIECE)].map(({ 0: piece, groups = {} }) => {
    const { deep, slash, star, one, not, set } = groups;
    if (deep !== undefined) return slash === "/" ? "(?:.*/)?" : ".*";
    if (star !== undefined) return "[^/]*";
    if (one !== undefined) return "[^/]";
    if (set === undefined) return piece.replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&");
    return `(?!/)[${not === "!" ? "^" : ""}${set.replace(/[\\^[]/gu, "\\$&")}]`;
  }).join("");
}
