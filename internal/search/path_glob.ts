/**
 * Globs that choose files of a tree while it is walked, a folder's name after the other, so that
 * folders in which nothing can match are not entered. `*` and `?` stay in one name, `**` spans any
 * number of folders, `{a,b}` and `[a-z]` are choices; one without `/` matches a name at any depth. The
 * work is bounded by the lengths of glob and name.
 */

/** More is no glob, characters. */
const MAX_LENGTH = 1_000;
/** Alternatives that one glob may stand for, nested ones multiplied. */
const MAX_ALTERNATIVES = 64;

/** Places of a glob that a path of folders has come to. */
export type GlobState = readonly Place[];

/** A place: how many parts of one alternative have matched. */
interface Place {
  readonly parts: readonly Part[];
  readonly at: number;
}

/** A part between slashes: any number of folders, a plain name, or a name of such pieces. */
type Part =
  | { readonly kind: "deep" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "pieces"; readonly pieces: readonly Piece[] };

type Piece =
  | { readonly kind: "star" }
  | { readonly kind: "one"; readonly takes: (char: string) => boolean };

/** A glob that was read. */
export interface PathGlob {
  /** The state at the root. */
  readonly start: GlobState;
}

/** Reads a glob. @throws {SyntaxError} with what is wrong */
export function readPathGlob(glob: string): PathGlob {
  if (glob.length > MAX_LENGTH) throw new SyntaxError(`it has more than ${MAX_LENGTH} characters`);
  const start = alternativesOf(glob).flatMap((one) => {
    const names = one.split("/").filter((name) => name !== "" && name !== ".");
    if (names.length === 0) throw new SyntaxError("it is empty");
    if (names.includes("..")) throw new SyntaxError("it holds ..");
    const anywhere = one.replace(/^\.\//, "").includes("/") ? [] : ["**"];
    const parts = [...anywhere, ...names]
      .filter((name, index, all) => name !== "**" || all[index - 1] !== "**");
    return closure(parts.map(partOf), 0);
  });
  return { start };
}

/** The state after one more name. @param byName only where the glob has this very name */
export function step(state: GlobState, name: string, byName = false): GlobState {
  const next = state.flatMap(({ parts, at }) => {
    const part = parts[at];
    if (part === undefined || (byName && part.kind !== "name")) return [];
    if (part.kind === "deep") return closure(parts, at);
    return partTakes(part, name) ? closure(parts, at + 1) : [];
  });
  // Two ways to one place are one.
  return next.length < 2
    ? next
    : next.filter((place, index) =>
      next.findIndex(({ parts, at }) => parts === place.parts && at === place.at) === index
    );
}

/** Whether a path that has come here matches. */
export function isMatch(state: GlobState): boolean {
  return state.some(({ parts, at }) => at === parts.length);
}

/** Whether something below a folder that has come here could match. */
export function canGoOn(state: GlobState): boolean {
  return state.some(({ parts, at }) => at < parts.length);
}

/** The braces of a glob written out. @throws {SyntaxError} */
function alternativesOf(glob: string): string[] {
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

/** A place and those that it is too, since `**` may span no folder. */
function closure(parts: readonly Part[], at: number): Place[] {
  const places = [{ parts, at }];
  for (; parts[at]?.kind === "deep"; at++) places.push({ parts, at: at + 1 });
  return places;
}

function partOf(text: string): Part {
  if (text === "**") return { kind: "deep" };
  if (!/[*?[]/.test(text)) return { kind: "name", name: text };
  const pieces = [...text.matchAll(/\*+|\?|\[([!^]?)(\]?[^\]]*)\]|[^]/gu)].map(
    ([piece, not = "", set]): Piece => {
      if (piece.startsWith("*")) return { kind: "star" };
      if (piece === "?") return { kind: "one", takes: () => true };
      if (set === undefined) return { kind: "one", takes: (char) => char === piece };
      const takes = setOf(set);
      return { kind: "one", takes: (char) => takes(char) === (not === "") };
    },
  );
  return { kind: "pieces", pieces };
}

function setOf(set: string): (char: string) => boolean {
  const ranges = [...set.matchAll(/([^])-([^])|([^])/gu)].map(
    ([, from, to, one = ""]) => [from ?? one, to ?? one] as const,
  );
  return (char) => ranges.some(([from, to]) => from <= char && char <= to);
}

function partTakes(part: Exclude<Part, { kind: "deep" }>, name: string): boolean {
  if (part.kind === "name") return part.name === name;
  const { pieces } = part;
  const chars = Array.from(name);
  let piece = 0;
  let at = 0;
  // The last star, and where what it takes ends: only that is tried again.
  let star = -1;
  let taken = 0;
  while (at < chars.length) {
    const current = pieces[piece];
    if (current?.kind === "star") {
      star = piece++;
      taken = at;
    } else if (current?.takes(chars[at] ?? "") === true) {
      piece++;
      at++;
    } else if (star >= 0) {
      piece = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  while (pieces[piece]?.kind === "star") piece++;
  return piece === pieces.length;
}
