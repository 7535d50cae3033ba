/**
 * A regular expression that is looked for in lines, in time linear in their length (RE2), and the
 * words that a file must hold for it: most files are told by those alone.
 */
import { Buffer } from "node:buffer";
import type { RE2JS } from "re2js";

/** Longer expressions are no searches, characters. */
const MAX_LENGTH = 1_000;

/** An expression that was read. */
export interface LinePattern {
  /** Words of which the bytes of every file with a match hold one; missing when none is known. */
  readonly oneOf?: readonly Uint8Array[];
  /** Whether some line of a text may match. Never wrongly false. */
  mayMatch(text: string): boolean;
  matches(line: string): boolean;
  /** Where in a line that matches the first match begins. */
  startIn(line: string): number;
}

/** Reads an expression. @throws {SyntaxError} with what is wrong */
export async function readLinePattern(source: string): Promise<LinePattern> {
  if (source.length > MAX_LENGTH) {
    throw new SyntaxError(`it has more than ${MAX_LENGTH} characters`);
  }
  if (/\n|(?<!\\)(?:\\\\)*\\n/.test(source)) throw new SyntaxError("a match stays in one line");
  const words = requiredWords(source);
  const oneOf = words === undefined ? {} : { oneOf: words.map((word) => Buffer.from(word)) };
  const [word, ...others] = words ?? [];
  if (word !== undefined && others.length === 0 && word === source) {
    return {
      ...oneOf,
      mayMatch: () => true,
      matches: (line) => line.includes(word),
      startIn: (line) => line.indexOf(word),
    };
  }
  const { RE2JS, RE2JSException } = await import("re2js");
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(source, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new SyntaxError(error.message.replace("error parsing regexp: ", ""), { cause: error });
  }
  // The ends of a text are not those of its lines.
  const ofLines = !/\\[AzZ]/.test(source);
  const folded = foldedWords(source);
  return {
    ...oneOf,
    mayMatch: (text) => folded?.test(text) !== false && (!ofLines || expression.test(text)),
    matches: (line) => expression.test(line),
    startIn: (line) => {
      const matcher = expression.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}

/** Finds the words that a match must hold in any case; plain words never make it go back. */
function foldedWords(source: string): RegExp | undefined {
  const words = source.startsWith("(?i)") ? requiredWords(source.slice("(?i)".length)) : undefined;
  if (words === undefined) return undefined;
  const plain = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return new RegExp(plain.join("|"), "iu");
}

/**
 * Words of which every match holds one, or `undefined` when the expression does not say. It only ever
 * looks at what stands outside of groups, so it may find none where there are some.
 */
export function requiredWords(source: string): string[] | undefined {
  if (/\(\?(?!:|P?<\w)/.test(source) || source.includes("\\Q")) return undefined;
  const words: string[] = [];
  let runs: string[] = [];
  let run = "";
  const endRun = (): void => {
    runs.push(run);
    run = "";
  };
  const endBranch = (): boolean => {
    endRun();
    const longest = runs.reduce((best, each) => each.length > best.length ? each : best, "");
    runs = [];
    words.push(longest);
    return longest.length > 1;
  };
  let depth = 0;
  for (const [piece] of source.matchAll(PIECE)) {
    if (/^\((?:\?|$)/.test(piece)) depth++;
    if (piece === ")") depth--;
    if (depth > 0 || piece === ")") {
      endRun();
    } else if (piece === "|") {
      if (!endBranch()) return undefined;
    } else if (/^(?:[?*]|\{)/.test(piece)) {
      // What stands before may be left out.
      run = run.replace(/.$/su, "");
      endRun();
    } else if (piece.startsWith("+")) {
      endRun();
    } else if (/^(?:\[|\\[A-Za-z0-9]|[.^$])/.test(piece)) {
      endRun();
    } else {
      run += piece.startsWith("\\") ? piece.slice(1) : piece;
    }
  }
  return depth === 0 && endBranch() ? words : undefined;
}

/** What an expression is made of: an escape, a class, a repeat, a character. */
const PIECE =
  /\(\?(?::|P?<\w+>)|\\[0-7]{1,3}|\\[pPx](?:\{[^}]*\}|[0-9A-Fa-f]{2}|.)|\\[^]|\[\^?\]?(?:\\[^]|\[:[^\]]*:\]|[^\]\\])*\]|[?*+]\??|\{\d+(?:,\d*)?\}\??|[^]/gu;
