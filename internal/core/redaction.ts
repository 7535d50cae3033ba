/**
 * Cuts secrets out of what is shown: as they are, and as base64, base64url, hexadecimal, percent, JSON,
 * backslash and HTML escapes write them, also across line breaks and across the pieces of a stream.
 */
import { concatBytes, utf8 } from "./bytes.ts";
import { isEscape, PLUS, unescaped } from "./unescape.ts";

/** Characters from which on a secret is cut out: a shorter one is in any text by chance. */
export const MIN_REDACTED_LENGTH = 6;

/** Lines of a secret of several are secrets themselves from this length on. */
const MIN_LINE_LENGTH = 16;
/** White space in a row that may break an encoding up: a line break and an indent. */
const MAX_BREAK = 16;

/** Cuts secrets out. */
export interface Redactor {
  /** True when it has no secret to look for: it changes nothing. */
  readonly idle: boolean;
  /** A text with `[secret NAME]` in the place of each secret. */
  text(text: string): string;
  /** For bytes that come in pieces. */
  stream(): RedactionStream;
}

/** Bytes that come in pieces. What may be the beginning of a secret is held back until that is known. */
export interface RedactionStream {
  push(piece: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

/** How bytes of a pattern and of a text are compared. */
interface Form {
  /** What stands for a byte: the same for bytes that mean the same. */
  readonly fold: Uint8Array;
  /** Bytes that may stand between, without meaning; 0 or 1 for each. */
  readonly breaks: Uint8Array;
}

interface Pattern {
  readonly form: Form;
  readonly bytes: Uint8Array;
}

const IDENTITY: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => byte);

const code = (character: string): number => character.charCodeAt(0);

function form(alike: readonly (readonly [string, string])[], breaks: string): Form {
  const fold = IDENTITY.slice();
  for (const [one, other] of alike) fold[code(one)] = code(other);
  const marks = new Uint8Array(256);
  for (const byte of breaks) marks[code(byte)] = 1;
  return { fold, breaks: marks };
}

const PLAIN = form([], "");
const BASE64 = form([["-", "+"], ["_", "/"]], " \t\r\n");
const HEX = form(Array.from("ABCDEF").map((digit) => [digit, digit.toLowerCase()]), " \t\r\n:");

/** A redactor of named secrets. Those that are too short are let through. */
export function createRedactor(
  secrets: Iterable<readonly [name: string, value: string]>,
): Redactor {
  const trees = treesOf(secrets);
  const matcher = createMatcher(trees);
  return {
    idle: trees.length === 0,
    text(text) {
      if (trees.length === 0) return text;
      const bytes = utf8(text.toWellFormed());
      const { out, changed } = matcher(bytes, true);
      return changed ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(out) : text;
    },
    stream() {
      let held: Uint8Array = new Uint8Array(0);
      return {
        push(piece) {
          if (trees.length === 0) return piece;
          const bytes = held.length === 0 ? piece : concatBytes(held, piece);
          const { out, used } = matcher(bytes, false);
          held = bytes.slice(used);
          return out;
        },
        end() {
          const { out } = matcher(held, true);
          held = new Uint8Array(0);
          return out;
        },
      };
    },
  };
}

function patternsOf(value: string): readonly Pattern[] {
  const whole = value.length < MIN_REDACTED_LENGTH ? [] : formsOf(utf8(value));
  // A key of several lines is shown with line numbers or indented: its lines count by themselves.
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length < 2
    ? []
    : lines.filter((line) => line.length >= MIN_LINE_LENGTH && !line.startsWith("-----"))
      .map((line) => ({ form: PLAIN, bytes: utf8(line) }));
  return [...whole, ...parts];
}

function formsOf(secret: Uint8Array): readonly Pattern[] {
  const inBase64 = [0, 1, 2].map((before) => base64Core(secret, before));
  const exact = [secret, concatBytes(secret, utf8("\n"))].map((bytes) => base64(bytes));
  const hex = Array.from(secret, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [
    { form: PLAIN, bytes: secret },
    ...[...exact, ...exact.map((text) => text.replace(/=+$/, ""))]
      .map((text) => ({ form: BASE64, bytes: utf8(text) })),
    ...inBase64.filter((bytes) => bytes.length >= MIN_REDACTED_LENGTH)
      .map((bytes) => ({ form: BASE64, bytes })),
    { form: HEX, bytes: utf8(hex) },
  ];
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The characters that a secret alone decides, when it stands after so many bytes of a base64 text. */
function base64Core(secret: Uint8Array, before: number): Uint8Array {
  const all = base64(concatBytes(new Uint8Array(before), secret));
  const bits = 8 * (before + secret.length);
  return utf8(all.slice(Math.ceil(8 * before / 6), Math.floor(bits / 6)));
}

/** What was done to bytes: what to show, how many were read, whether anything was cut out. */
interface Matched {
  readonly out: Uint8Array;
  readonly used: number;
  readonly changed: boolean;
}

/** All patterns of a form that go on from the same beginning. */
interface Branch {
  readonly next: Map<number, Branch>;
  /** What stands for the secret that ends here. */
  label?: Uint8Array;
}

/** The patterns of one form. */
interface Tree {
  readonly form: Form;
  readonly root: Branch;
}

function treesOf(secrets: Iterable<readonly [name: string, value: string]>): readonly Tree[] {
  const trees = [PLAIN, BASE64, HEX].map((form) => ({ form, root: { next: new Map() } as Branch }));
  for (const [name, value] of secrets) {
    const label = utf8(`[secret ${name}]`);
    for (const { form, bytes } of patternsOf(value)) {
      let at = trees.find((tree) => tree.form === form)?.root as Branch;
      for (const byte of bytes) {
        const folded = form.fold[byte] as number;
        let next = at.next.get(folded);
        if (next === undefined) at.next.set(folded, next = { next: new Map() });
        at = next;
      }
      at.label ??= label;
    }
  }
  return trees.filter(({ root }) => root.next.size > 0);
}

/** Where what was found ends; `MISS`, or `CUT` when the bytes end before that shows. */
const MISS = -1;
const CUT = -2;

type Found = { readonly end: number; readonly label: Uint8Array | undefined };
type Finder = (bytes: Uint8Array, at: number, last: boolean) => Found;

const NOTHING: Found = { end: MISS, label: undefined };
const UNDECIDED: Found = { end: CUT, label: undefined };

function createMatcher(
  trees: readonly Tree[],
): (bytes: Uint8Array, last: boolean) => Matched {
  /** For each byte, whether a secret can begin with it: 1 as it stands, 2 where it begins an escape. */
  const begins = Uint8Array.from(
    { length: 256 },
    (_, byte) =>
      (trees.some(({ form, root }) => root.next.has(form.fold[byte] as number)) ? 1 : 0) +
      (isEscape(byte) ? 2 : 0),
  );
  const longestAt: Finder = (bytes, at, last) => {
    const begun = begins[bytes[at] as number] as number;
    let longest = NOTHING;
    for (let mode = 1; mode <= 2; mode++) {
      if (begun === 0 || (mode === 1 && begun === 2)) continue;
      for (const tree of trees) {
        const found = longestIn(tree, bytes, at, mode === 2, last);
        if (found.end === CUT) return UNDECIDED;
        if (found.end > longest.end) longest = found;
      }
    }
    return longest;
  };
  return (bytes, last) => {
    const out: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      if (begins[bytes[at] as number] === 0) {
        at++;
        continue;
      }
      const found = wholeAt(longestAt, bytes, at, last);
      if (found.end === CUT) break;
      if (found.label === undefined) {
        at++;
        continue;
      }
      out.push(bytes.subarray(from, at), found.label);
      from = at = found.end;
    }
    out.push(bytes.subarray(from, at));
    return { out: concatBytes(...out), used: at, changed: out.length > 1 };
  };
}

/** What begins at a place, with all that begins inside it and goes on behind it. */
function wholeAt(longestAt: Finder, bytes: Uint8Array, at: number, last: boolean): Found {
  const first = longestAt(bytes, at, last);
  if (first.label === undefined) return first;
  let { end } = first;
  for (let inside = at + 1; inside < end; inside++) {
    const other = longestAt(bytes, inside, last);
    if (other.end === CUT) return other;
    end = Math.max(end, other.end);
  }
  return { end, label: first.label };
}

/**
 * The longest secret of a form that begins at a place.
 * @param escaped whether escapes in the text are read; else only what is there byte for byte counts
 * @param last whether nothing comes behind the bytes
 */
function longestIn(
  { form, root }: Tree,
  bytes: Uint8Array,
  start: number,
  escaped: boolean,
  last: boolean,
): Found {
  const { fold, breaks } = form;
  let longest = NOTHING;
  let branch = root;
  let at = start;
  for (let broken = 0; branch.next.size > 0;) {
    if (at >= bytes.length) return last ? longest : UNDECIDED;
    const byte = bytes[at] as number;
    const read = escaped && isEscape(byte) ? unescaped(bytes, at) : undefined;
    if (read === "cut" && !last) return UNDECIDED;
    const unit = read === "cut" ? undefined : read;
    const after = unit === undefined ? undefined : branchAfter(branch, unit.bytes, fold);
    const next = after ?? branch.next.get(fold[byte] as number);
    if (next === undefined) {
      const between = byte === PLUS ? byte : unit?.bytes[0] ?? byte;
      if (branch === root || breaks[between] === 0 || ++broken > MAX_BREAK) break;
      at += unit?.length ?? 1;
      continue;
    }
    at += after === undefined ? 1 : (unit as { readonly length: number }).length;
    branch = next;
    broken = 0;
    if (branch.label !== undefined) longest = { end: at, label: branch.label };
  }
  return longest;
}

function branchAfter(from: Branch, bytes: Uint8Array, fold: Uint8Array): Branch | undefined {
  let at: Branch | undefined = from;
  for (const byte of bytes) {
    at = at.next.get(fold[byte] as number);
    if (at === undefined) return undefined;
  }
  return at;
}
