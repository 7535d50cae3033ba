/** Atoms, boxes and a naive model of memory logs, written from docs/protocol/memory.md by hand. */
import fc from "fast-check";
import { concatBytes, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { Atom, FramedHull, Hull, MemorySource } from "#internal/memory/mod.ts";
import { decodeAtom, encodeAtom, MemoryIndex, OPEN_END } from "#internal/memory/mod.ts";

export const FRAMES = ["dock", "warehouse-3", "yard", "île", "roof", "cellar"] as const;

/** An atom with defaults: where `at` says so a box of 10 mm around it in a frame. */
export function atomOf(
  fields: Partial<Atom> & { at?: readonly [bigint, bigint, bigint]; frame?: string } = {},
): Atom {
  const { at, frame = "warehouse-3", ...rest } = fields;
  const place = at === undefined ? null : {
    frame,
    min: [at[0] - 5n, at[1] - 5n, at[2] - 5n] as const,
    max: [at[0] + 5n, at[1] + 5n, at[2] + 5n] as const,
  };
  return {
    kind: "observation",
    subject: "pallet-17",
    predicate: "at",
    value: { kind: "entity", body: "aisle-4" },
    confidence: 1000,
    from: 100n,
    until: 130n,
    place,
    ...rest,
  };
}

/** A box in a frame. */
export function box(
  min: readonly [number, number, number],
  max: readonly [number, number, number],
  from: number,
  until: number,
  frame = "warehouse-3",
): FramedHull {
  const [x, y, z] = min;
  const [X, Y, Z] = max;
  return {
    frame,
    min: [BigInt(x), BigInt(y), BigInt(z), BigInt(from)],
    max: [BigInt(X), BigInt(Y), BigInt(Z), BigInt(until)],
  };
}

export function indexOf(atoms: readonly Atom[]): MemoryIndex {
  const index = new MemoryIndex();
  for (const atom of atoms) index.append(encodeAtom(atom));
  return index;
}

const small = fc.bigInt({ min: -6n, max: 6n });
const edge = fc.oneof(
  { weight: 12, arbitrary: small },
  { weight: 1, arbitrary: fc.constantFrom(-(2n ** 63n), 2n ** 63n - 2n) },
);
const span = edge.chain((low) =>
  fc.bigInt({ min: 1n, max: 5n }).map((length): [bigint, bigint] => [
    low,
    low + length > OPEN_END ? OPEN_END : low + length,
  ])
);

const placeArb = fc.record({
  frame: fc.constantFrom(...FRAMES),
  spans: fc.tuple(span, span, span),
}).map(({ frame, spans: [x, y, z] }) => ({
  frame,
  min: [x[0], y[0], z[0]] as const,
  max: [x[1], y[1], z[1]] as const,
}));

/** Any atom, crowded together so that boxes touch, meet and miss each other. */
export const atoms: fc.Arbitrary<Atom> = fc.record({
  kind: fc.constantFrom("observation", "world-state", "my-own-2"),
  subject: fc.constantFrom("pallet-17", "Tür", "🤖"),
  predicate: fc.constantFrom("at", "open"),
  value: fc.oneof(
    fc.boolean().map((body) => ({ kind: "boolean" as const, body })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((body) => ({ kind: "integer" as const, body })),
    fc.constant({ kind: "entity" as const, body: "aisle-4" }),
    fc.string({ maxLength: 9 }).filter((text) => text.isWellFormed())
      .map((body) => ({ kind: "text" as const, body })),
  ),
  confidence: fc.integer({ min: 0, max: 1000 }),
  time: fc.oneof({ weight: 4, arbitrary: span }, {
    weight: 1,
    arbitrary: small.map((from): [bigint, bigint] => [from, OPEN_END]),
  }),
  place: fc.option(placeArb, { freq: 4 }),
}).map(({ time: [from, until], ...atom }) => ({ ...atom, from, until }));

/** A box to ask for, in a frame that atoms are in or not. */
export const boxes: fc.Arbitrary<FramedHull> = fc.record({
  frame: fc.constantFrom(...FRAMES, "nowhere"),
  spans: fc.tuple(span, span, span, span),
}).map(({ frame, spans: [x, y, z, t] }) => ({
  frame,
  min: [x[0], y[0], z[0], t[0]] as const,
  max: [x[1], y[1], z[1], t[1]] as const,
}));

/** Whether an atom's box and another have a point in common: the meaning of a recall, by itself. */
export function isIn({ place, from, until }: Atom, asked: FramedHull): boolean {
  if (place === null || place.frame !== asked.frame) return false;
  const min = [...place.min, from];
  const max = [...place.max, until];
  return [0, 1, 2, 3].every((i) => {
    const low = (min[i] as bigint) > (asked.min[i] as bigint) ? min[i] : asked.min[i];
    const high = (max[i] as bigint) < (asked.max[i] as bigint) ? max[i] : asked.max[i];
    return (low as bigint) < (high as bigint);
  });
}

// The model: the text's formats by hand, quadratic, with nothing kept.

function u64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt.asUintN(64, value), true);
  return bytes;
}

function tagged(tag: string, ...parts: Uint8Array[]): Uint8Array {
  return sha256(Uint8Array.of(tag.length), utf8(tag), ...parts);
}

function encodeHulls(hulls: readonly Hull[]): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(hulls.length)];
  for (const { frame, min, max } of hulls) {
    if (frame === null) parts.push(Uint8Array.of(0));
    else parts.push(Uint8Array.of(1, utf8(frame).length), utf8(frame));
    parts.push(...min.map(u64), ...max.map(u64));
  }
  return concatBytes(...parts);
}

/** The bounds of a set of atoms, from all of them at once. */
export function modelBounds(all: readonly Atom[]): Hull[] {
  const placed = all.filter(({ place }) => place !== null);
  const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const frames = [...new Set(placed.map(({ place }) => place?.frame ?? ""))].sort(bytewise);
  const hull = (some: readonly Atom[], frame: string | null): Hull => {
    const least = (values: bigint[]) => values.reduce((a, b) => (a < b ? a : b));
    const most = (values: bigint[]) => values.reduce((a, b) => (a > b ? a : b));
    const axis = (side: "min" | "max", i: 0 | 1 | 2) =>
      some.map(({ place }) => (place as NonNullable<Atom["place"]>)[side][i]);
    const min = [0, 1, 2].map((i) => least(axis("min", i as 0)));
    const max = [0, 1, 2].map((i) => most(axis("max", i as 0)));
    return {
      frame,
      min: [...min, least(some.map(({ from }) => from))] as unknown as Hull["min"],
      max: [...max, most(some.map(({ until }) => until))] as unknown as Hull["max"],
    };
  };
  if (frames.length > 4) return [hull(placed, null)];
  return frames.map((frame) => hull(placed.filter(({ place }) => place?.frame === frame), frame));
}

/** The hash of the tree over some atoms, by the recursion of RFC 6962. */
export function modelRoot(all: readonly Atom[]): Uint8Array {
  if (all.length === 0) return tagged("sion/memory/v1", u64(0n));
  let content: Uint8Array;
  if (all.length === 1) {
    content = tagged("sion/memory-atom/v1", encodeAtom(all[0] as Atom));
  } else {
    const k = 2 ** Math.ceil(Math.log2(all.length) - 1);
    content = tagged("sion/memory-pair/v1", modelRoot(all.slice(0, k)), modelRoot(all.slice(k)));
  }
  const bounds = encodeHulls(modelBounds(all));
  return tagged("sion/memory/v1", u64(BigInt(all.length)), bounds, content);
}

/** All atoms of a source. */
export function atomsOf(source: MemorySource): Atom[] {
  return Array.from({ length: source.size }, (_, at) => decodeAtom(source.atom(at)));
}

/** The tree over a source's atoms, made anew. */
export function indexOfBytes(source: MemorySource): MemoryIndex {
  const index = new MemoryIndex();
  for (let at = 0; at < source.size; at++) index.append(source.atom(at));
  return index;
}
