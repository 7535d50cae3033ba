/** Names of files in a diff, which git quotes as C does when they hold more than plain letters. */
import { PatchError } from "./file_patch.ts";

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

/** A name that begins here, quoted, and where it ends; `undefined` when none does. */
export function readQuoted(
  text: string,
): { readonly name: string; readonly end: number } | undefined {
  if (!text.startsWith('"')) return undefined;
  const bytes: number[] = [];
  for (let at = 1; at < text.length;) {
    const char = text[at];
    if (char === '"') return { name: textOf(bytes, text), end: at + 1 };
    if (char !== "\\") {
      const point = text.codePointAt(at) ?? 0;
      bytes.push(...new TextEncoder().encode(String.fromCodePoint(point)));
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 4;
      continue;
    }
    const byte = ESCAPES[text[at + 1] ?? ""];
    if (byte === undefined) break;
    bytes.push(byte);
    at += 2;
  }
  throw new PatchError(`the patch quotes a name that does not end: ${text.slice(0, 100)}`);
}

function textOf(bytes: readonly number[], shown: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(Uint8Array.from(bytes));
  } catch {
    throw new PatchError(`the patch names a file in no UTF-8: ${shown.slice(0, 100)}`);
  }
}

/** The name in a `---` or `+++` line: what follows a tab is a time. */
export function readName(text: string): string {
  const quoted = readQuoted(text);
  if (quoted !== undefined) return quoted.name;
  const tab = text.indexOf("\t");
  return (tab === -1 ? text : text.slice(0, tab)).trimEnd();
}

/** The two names of a `diff --git` line; `undefined` where they cannot be told apart. */
export function readPair(text: string): readonly [string, string] | undefined {
  const first = readQuoted(text);
  if (first !== undefined) {
    const rest = text.slice(first.end + 1);
    return [first.name, readQuoted(rest)?.name ?? rest];
  }
  for (let at = text.indexOf(" "); at !== -1; at = text.indexOf(" ", at + 1)) {
    const rest = text.slice(at + 1);
    const pair = [text.slice(0, at), readQuoted(rest)?.name ?? rest] as const;
    if (pair[0] === pair[1] || sameBelow(...pair) !== undefined) return pair;
  }
  return undefined;
}

/** The name that two are but for different first folders, as `a/x` and `b/x`. */
export function sameBelow(old: string, next: string): string | undefined {
  const below = old.slice(old.indexOf("/") + 1);
  if (!old.includes("/") || old === next) return undefined;
  return below !== "" && below === next.slice(next.indexOf("/") + 1) ? below : undefined;
}
