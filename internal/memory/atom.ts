/**
 * Memory atoms: statements (subject, predicate, value) with how sure they are, when they held and, for
 * robots, where. The ledger never sees one; their encoding is what a log's tree commits to.
 */
import type { Codec, CodecErrorCode } from "#internal/core/mod.ts";
import {
  bool,
  decode,
  encode,
  i64,
  mapped,
  option,
  SionError,
  struct,
  text,
  toHex,
  tuple,
  u16,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Bounds, FramedHull } from "./bounds.ts";
import { boxFault, MAX_FRAME_BYTES } from "./bounds.ts";

const ATOM_TAG = "sion/memory-atom/v1";
const MAX_KIND_BYTES = 32;
/** Bytes of a subject, a predicate or the name of an entity. */
const MAX_TERM_BYTES = 256;
/** Bytes of a value that is text. */
const MAX_TEXT_BYTES = 4096;
/** Thousandths of certainty. */
export const MAX_CONFIDENCE = 1000;

/** Kinds that are known; any other of the same form is kept as it is. */
export const ATOM_KINDS: readonly string[] = [
  "observation",
  "coverage",
  "world-state",
  "semantic",
  "episodic",
  "procedural",
  "preference",
  "goal",
  "plan",
];

const KIND = /^[a-z][a-z0-9-]*$/;

/** What a statement says of its subject. */
export type AtomValue =
  | { readonly kind: "boolean"; readonly body: boolean }
  | { readonly kind: "integer"; readonly body: bigint }
  | { readonly kind: "entity"; readonly body: string }
  | { readonly kind: "text"; readonly body: string };

/** x, y and z in millimetres. */
export type Point = readonly [x: bigint, y: bigint, z: bigint];

/** A box in a frame, half-open: from `min` up to, and without, `max`. */
export interface Place {
  readonly frame: string;
  readonly min: Point;
  readonly max: Point;
}

/** One atom. */
export interface Atom {
  /** Lower-case letters, digits and `-`, beginning with a letter; at most 32. */
  readonly kind: string;
  readonly subject: string;
  readonly predicate: string;
  readonly value: AtomValue;
  /** Thousandths, 0 to 1000. */
  readonly confidence: number;
  /** When it began to hold, seconds since the Unix epoch. */
  readonly from: bigint;
  /** When it no longer held, above `from`; `OPEN_END` where that is not known. */
  readonly until: bigint;
  /** Where it held; null where that is not said. */
  readonly place: Place | null;
}

const valueCodec: Codec<AtomValue> = union({
  boolean: [0, bool],
  integer: [1, i64],
  entity: [2, text(MAX_TERM_BYTES)],
  text: [3, text(MAX_TEXT_BYTES)],
});

const pointCodec: Codec<Point> = tuple(i64, i64, i64);

const fieldsCodec: Codec<Atom> = struct({
  kind: text(MAX_KIND_BYTES),
  subject: text(MAX_TERM_BYTES),
  predicate: text(MAX_TERM_BYTES),
  value: valueCodec,
  confidence: u16,
  from: i64,
  until: i64,
  place: option(struct({ frame: text(MAX_FRAME_BYTES), min: pointCodec, max: pointCodec })),
});

/** The encoding of atoms; bytes that {@link atomFault} finds a fault in are refused. */
export const atomCodec: Codec<Atom> = mapped(fieldsCodec, (atom: Atom) => atom, (atom) => {
  const fault = atomFault(atom);
  if (fault === undefined) return atom;
  throw new SionError<CodecErrorCode>("codec", `Cannot decode: ${fault}`);
});

/** The bytes of an atom all of whose texts are as long as they may be. */
export const MAX_ATOM_BYTES = 4780;

/** Why an atom cannot be one, else undefined. Lengths are the encoding's to check. */
export function atomFault(atom: Atom): string | undefined {
  if (!KIND.test(atom.kind)) {
    return "an atom's kind must be lower-case letters, digits and -, beginning with a letter";
  }
  if (atom.subject === "" || atom.predicate === "") return "an atom has no subject or predicate";
  if (atom.value.kind === "entity" && atom.value.body === "") return "an entity has no name";
  if (atom.confidence > MAX_CONFIDENCE) {
    return `an atom's confidence is over ${MAX_CONFIDENCE} thousandths`;
  }
  if (atom.from >= atom.until) return "an atom ends before it begins to hold";
  const [hull] = boundsOf(atom);
  return hull && boxFault(hull);
}

/** The bytes that a log holds of an atom. @throws {TypeError} when there can be no such atom. */
export function encodeAtom(atom: Atom): Uint8Array {
  const fault = atomFault(atom);
  if (fault !== undefined) throw new TypeError(`Cannot encode atom: ${fault}`);
  return encode(atomCodec, atom);
}

/** The atom of its bytes. @throws {SionError} `codec` unless they are the encoding of one. */
export function decodeAtom(bytes: Uint8Array): Atom {
  return decode(atomCodec, bytes);
}

/** The id of an atom: a hash of all it says, 32 bytes. Equal atoms have one id. */
export function atomDigest(bytes: Uint8Array): Uint8Array {
  return taggedHash(ATOM_TAG, bytes);
}

/** As {@link atomDigest}, as 64 hex digits. */
export function atomId(atom: Atom): string {
  return toHex(atomDigest(encodeAtom(atom)));
}

/** Where and when an atom held; nothing for one without a place. */
export function boundsOf({ place, from, until }: Atom): Bounds {
  return place === null ? [] : [boxOf(place, from, until)];
}

/** A place during an interval. */
export function boxOf({ frame, min, max }: Place, from: bigint, until: bigint): FramedHull {
  return { frame, min: [...min, from], max: [...max, until] };
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/**
 * The value of a text by its form: `true` and `false` are booleans, the shortest decimal digits of a
 * signed 64-bit number an integer, `@name` an entity; anything else, `007` too, is text as it stands.
 */
export function parseAtomValue(input: string): AtomValue {
  if (input === "true" || input === "false") return { kind: "boolean", body: input === "true" };
  if (INTEGER.test(input) && input.length <= 20) {
    const body = BigInt(input);
    if (BigInt.asIntN(64, body) === body) return { kind: "integer", body };
  }
  if (input.startsWith("@") && input.length > 1) return { kind: "entity", body: input.slice(1) };
  return { kind: "text", body: input };
}

/** An atom in words: `pallet-17 at aisle-4`. Its parts are as they were given: quote before printing. */
export function statementOf({ subject, predicate, value }: Atom): string {
  return `${subject} ${predicate} ${value.body}`;
}
