/** Bytes from outside as they may come: samples broken in every way that a decoder must stand. */
import { concatBytes } from "#internal/core/mod.ts";
import type { Random } from "../sim/random.ts";

/** Lengths and numbers at the ends of their ranges, as ULEB128, little and big endian. */
const EXTREMES: readonly Uint8Array[] = [
  [0x00],
  [0x01],
  [0x7f],
  [0x80, 0x00],
  [0x80, 0x01],
  [0xff, 0xff, 0x03],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0x1f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x00, 0x00, 0x10, 0x00],
  [0xff, 0xff, 0xff, 0x7f],
].map((bytes) => Uint8Array.from(bytes));

/** Bytes that text formats give a meaning to. */
const MARKS = Array.from('"\\{}[],:\r\n\0 -e.0129tfnu', (mark) => mark.charCodeAt(0));

/** The longest input that is made, bytes. */
const MAX_INPUT_BYTES = 1 << 17;

/** One way of making an input. */
type Mutation = (
  bytes: Uint8Array,
  random: Random,
  samples: readonly Uint8Array[],
) => Uint8Array;

const place = (bytes: Uint8Array, random: Random): number => random.int(0, bytes.length);

function edited(bytes: Uint8Array, at: number, removed: number, added: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), added, bytes.subarray(at + removed));
}

const MUTATIONS: readonly Mutation[] = [
  // A bit.
  (bytes, random) => {
    const at = place(bytes, random);
    return bytes.map((byte, i) => i === at ? byte ^ (1 << random.int(0, 7)) : byte);
  },
  // A few bytes.
  (bytes, random) => {
    const out = bytes.slice();
    for (let n = random.int(1, 8); n > 0 && out.length > 0; n--) {
      out[random.int(0, out.length - 1)] = random.int(0, 255);
    }
    return out;
  },
  // What may be a length, an extreme one; in place of as many bytes, of one, or put in between.
  (bytes, random) => {
    const extreme = random.pick(EXTREMES);
    const removed = random.pick([extreme.length, 1, 0]);
    return edited(bytes, place(bytes, random), removed, extreme);
  },
  // The front alone.
  (bytes, random) => bytes.slice(0, place(bytes, random)),
  // A piece left out.
  (bytes, random) => edited(bytes, place(bytes, random), random.int(1, 40), new Uint8Array()),
  // A piece twice.
  (bytes, random) => {
    const at = place(bytes, random);
    const piece = bytes.slice(at, at + random.int(1, 200));
    return edited(bytes, at, 0, piece);
  },
  // More behind it.
  (bytes, random) => concatBytes(bytes, random.bytes(random.int(1, 40))),
  // Much more behind it, or in between.
  (bytes, random) => {
    const much = new Uint8Array(random.int(1_000, MAX_INPUT_BYTES / 2)).fill(random.int(0, 255));
    return edited(bytes, random.chance(0.5) ? bytes.length : place(bytes, random), 0, much);
  },
  // The front of one and the back of another.
  (bytes, random, samples) => {
    const other = random.pick(samples);
    return concatBytes(
      bytes.subarray(0, place(bytes, random)),
      other.subarray(place(other, random)),
    );
  },
  // A mark of a text format.
  (bytes, random) => {
    const marks = Uint8Array.from({ length: random.int(1, 4) }, () => random.pick(MARKS));
    return edited(bytes, place(bytes, random), random.int(0, 2), marks);
  },
  // The same again and again: nesting.
  (bytes, random) => {
    const mark = Uint8Array.of(random.pick([...MARKS, 0x01, 0xff]));
    return edited(
      bytes,
      place(bytes, random),
      0,
      new Uint8Array(random.int(100, 5_000)).fill(mark[0] as number),
    );
  },
  // Nothing of a sample.
  (_bytes, random) => random.bytes(random.int(0, 400)),
];

/** An input: a sample, changed once or a few times. */
export function mutated(samples: readonly Uint8Array[], random: Random): Uint8Array {
  let bytes = random.pick(samples);
  for (let n = random.chance(0.7) ? 1 : random.int(2, 4); n > 0; n--) {
    bytes = random.pick(MUTATIONS)(bytes, random, samples);
  }
  return bytes.slice(0, MAX_INPUT_BYTES);
}

/** Every truncation, of a long sample so many; and every extreme length at as many places. */
export function* systematic(sample: Uint8Array, most: number): Generator<Uint8Array> {
  const step = Math.max(1, Math.ceil(sample.length / most));
  for (let at = 0; at < sample.length; at += step) {
    yield sample.slice(0, at);
    const extreme = EXTREMES[(at / step) % EXTREMES.length] as Uint8Array;
    yield edited(sample, at, 1, extreme);
  }
}
