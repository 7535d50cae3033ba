/**
 * Content from outside: what strangers wrote and a session took in, from where and when, and which
 * values of a call come from it.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { addressesIn, plainAddress } from "./addresses.ts";
import { folded, holdsWhole } from "./own_words.ts";
import type { DerivedValue, OutsideContent, SessionState } from "./state.ts";

/** Text of a value that is kept with the verdict, characters. */
const KEPT_LENGTH = 80;
/** A value shorter than this is looked for as whole tokens only; a longer piece stands anywhere. */
const PIECE_LENGTH = 24;
/** Derived values that are told of one call. */
const MAX_DERIVED = 20;
/** Pieces of one value that are looked for. */
const MAX_PIECES = 100;
/** Characters of content that are looked through, the newest first; no model was shown more. */
const MAX_LOOKED_LENGTH = 16_000_000;
/** A number that stands somewhere by chance. */
const CHANCE = /^\d{0,8}$/;

/** Notes content from outside, and names its source once. */
export function bringIn(state: SessionState, content: OutsideContent): void {
  state.brought.push(content);
  if (!state.outside.includes(content.from)) state.outside.push(content.from);
}

/** What taints a session, for the session of a subagent whose task was written in it. */
export function inheritedOutside(
  state: SessionState,
): readonly { readonly from: string; readonly text: string }[] {
  return state.brought.map(({ from, text }) => ({ from, text }));
}

/** The newest content that holds a value as whole tokens; a bare number is no evidence of any. */
export function sourceOf(state: SessionState, value: string): OutsideContent | undefined {
  const wanted = value.trim();
  if (wanted === "" || CHANCE.test(wanted)) return undefined;
  return newest(state).find((content) => holdsWhole(foldedText(content), wanted));
}

/** Which of a call's values come from outside: whole ones, addresses in them, and longer pieces. */
export function derivedValues(state: SessionState, input: JsonValue): DerivedValue[] {
  const found: DerivedValue[] = [];
  const contents = newest(state);
  for (const { path, text } of textsOf(input)) {
    for (const { piece, whole } of piecesOf(text)) {
      if (found.length === MAX_DERIVED) return found;
      const source = CHANCE.test(piece) ? undefined : contents.find(holding(piece));
      if (source === undefined) continue;
      found.push({
        argument: path,
        from: source.from,
        ...(source.call === undefined ? {} : { call: source.call }),
        value: piece.slice(0, KEPT_LENGTH).toWellFormed(),
        whole,
      });
      if (whole) break;
    }
  }
  return found;
}

/** Addresses in a call's values which content from outside gave and nobody else. */
export function carriedAddresses(
  state: SessionState,
  input: JsonValue,
): { readonly address: string; readonly from: string }[] {
  const carried = new Map<string, string>();
  for (const { text } of textsOf(input)) {
    for (const address of addressesIn(text)) {
      const source = sourceOf(state, address) ?? sourceOf(state, plainAddress(address));
      if (source !== undefined) carried.set(address, source.from);
    }
  }
  return [...carried].map(([address, from]) => ({ address, from }));
}

function newest({ brought }: SessionState): readonly OutsideContent[] {
  let length = 0;
  const first = brought.findLastIndex(({ text }) => (length += text.length) > MAX_LOOKED_LENGTH);
  return brought.slice(first + 1).reverse();
}

/** Folding is most of the work and content never changes. */
const FOLDED = new WeakMap<OutsideContent, string>();

function foldedText(content: OutsideContent): string {
  const known = FOLDED.get(content);
  if (known !== undefined) return known;
  const text = folded(content.text);
  FOLDED.set(content, text);
  return text;
}

function holding(piece: string): (content: OutsideContent) => boolean {
  if (piece.length < PIECE_LENGTH) return (content) => holdsWhole(foldedText(content), piece);
  const wanted = folded(piece);
  return (content) => foldedText(content).includes(wanted);
}

/** The texts in a value, with where they stand. */
export function* textsOf(
  value: JsonValue | undefined,
  path = "",
): Generator<{ readonly path: string; readonly text: string }> {
  if (typeof value === "string") yield { path, text: value };
  else if (typeof value === "number" || typeof value === "bigint") {
    yield { path, text: String(value) };
  } else if (value !== null && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) {
      yield* textsOf(member as JsonValue, path === "" ? key : `${path}.${key}`);
    }
  }
}

/** What of a text is looked for: all of it, then the addresses and the longer lines in it. */
function* piecesOf(text: string): Generator<{ readonly piece: string; readonly whole: boolean }> {
  const all = text.trim();
  if (all === "") return;
  yield { piece: all, whole: true };
  let count = 0;
  for (const address of addressesIn(all)) {
    if (address !== all && ++count <= MAX_PIECES) yield { piece: address, whole: false };
  }
  for (const line of all.split(/[\n\r]+|(?<=[.!?])\s+/u)) {
    const piece = line.trim();
    if (piece !== all && piece.length >= PIECE_LENGTH && ++count <= MAX_PIECES) {
      yield { piece, whole: false };
    }
  }
}
