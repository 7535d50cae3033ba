/**
 * Sampling of published data. Who knows a header's data root asks for a few shares of the square at
 * places nobody could foresee: to make the data unrecoverable a node must withhold 81 of the 256
 * shares, and then most draws of sixteen meet one of those.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  encode,
  list,
  mapped,
  struct,
  u32,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type {
  Axis,
  BadEncodingProof,
  ProvenShare,
  ShareProof,
  SquareCommitment,
} from "#internal/merkle/mod.ts";
import {
  AXIS_PATH,
  DATA_WIDTH,
  MAX_SHARE_BYTES,
  ROOT_PATH,
  SQUARE_SHARES,
  SQUARE_WIDTH,
  verifyShare,
} from "#internal/merkle/mod.ts";
import type { Header } from "./header.ts";

const SAMPLE_TAG = "sion/sample/v1";

/** Shares a light client samples of a Pulse. */
export const SAMPLES = 16;
/** Bytes of a seed from which places are drawn. */
export const SAMPLE_SEED_BYTES = 32;
/** The fewest shares whose absence blocks reconstruction: a 9 × 9 part of the square. */
export const LEAST_WITHHELD: number = (DATA_WIDTH + 1) ** 2;

/** A place to be sampled, and the root its share is to be proven through. */
export interface SampleCoordinate {
  readonly row: number;
  readonly column: number;
  readonly through: Axis;
}

/** How likely it is that a sampling misses shares that are withheld. */
export interface WithholdingBound {
  /** The exact value is numerator / denominator. */
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** As reports print it, never too small: `< 1.9e-3`; `0` when it cannot be missed. */
  readonly text: string;
}

/** What sampling showed. */
export type SamplingVerdict =
  | { readonly ok: true; readonly verified: number; readonly bound: WithholdingBound }
  | { readonly ok: false; readonly verified: number; readonly reason: string };

/**
 * Different places of the square, drawn uniformly and without replacement.
 * @param seed 32 random bytes that whoever serves the shares cannot know before it has committed
 * itself to the data.
 * @param count from 1 to 256.
 * @throws {TypeError} on a seed of another length. @throws {RangeError} on another count.
 */
export function sampleCoordinates(seed: Uint8Array, count: number = SAMPLES): SampleCoordinate[] {
  if (seed.length !== SAMPLE_SEED_BYTES) {
    throw new TypeError(`Cannot sample: the seed is not ${SAMPLE_SEED_BYTES} bytes`);
  }
  checkCount(count);
  const bytes = byteStream(seed);
  const rest = Array.from({ length: SQUARE_SHARES }, (_, place) => place);
  const places: SampleCoordinate[] = [];
  for (let i = 0; i < count; i++) {
    const [place] = rest.splice(uniform(bytes, rest.length), 1) as [number];
    places.push({
      row: Math.floor(place / SQUARE_WIDTH),
      column: place % SQUARE_WIDTH,
      through: uniform(bytes, 2) === 0 ? "row" : "column",
    });
  }
  return places;
}

/**
 * The probability that `count` different random shares are all there while {@link LEAST_WITHHELD} of
 * the 256 are withheld: the product over i < count of (175 − i) / (256 − i).
 * @param count from 1 to 256.
 * @throws {RangeError} on another count.
 */
export function withholdingBound(count: number): WithholdingBound {
  checkCount(count);
  let numerator = 1n;
  let denominator = 1n;
  for (let i = 0; i < count; i++) {
    numerator *= BigInt(Math.max(0, SQUARE_SHARES - LEAST_WITHHELD - i));
    denominator *= BigInt(SQUARE_SHARES - i);
  }
  const divisor = greatestCommonDivisor(numerator, denominator);
  return {
    numerator: numerator / divisor,
    denominator: denominator / divisor,
    text: numerator === 0n ? "0" : `< ${nextTwoDigits(numerator, denominator)}`,
  };
}

/**
 * Checks the answers to a sampling against a certified header: one for each place, in order,
 * `undefined` where there was none. Untrusted answers never throw.
 * @throws {TypeError} when a place is sampled twice, which the bound does not allow for.
 */
export function verifySamples(
  header: Pick<Header, "chain" | "dataRoot">,
  places: readonly SampleCoordinate[],
  answers: readonly (ShareProof | undefined)[],
): SamplingVerdict {
  if (new Set(places.map(({ row, column }) => row * SQUARE_WIDTH + column)).size < places.length) {
    throw new TypeError("Cannot judge a sampling: a place is sampled twice");
  }
  let verified = 0;
  let reason: string | undefined;
  for (const [i, place] of places.entries()) {
    const fault = sampleFault(header, place, answers[i]);
    if (fault === undefined) verified++;
    else reason ??= `the share at row ${place.row}, column ${place.column} ${fault}`;
  }
  if (reason !== undefined) return { ok: false, verified, reason };
  return { ok: true, verified, bound: withholdingBound(places.length) };
}

const axisCodec: Codec<Axis> = mapped(
  bool,
  (axis: Axis) => axis === "column",
  (isColumn): Axis => isColumn ? "column" : "row",
);

/** The encoding of a share with its path to a data root: what answers a sample. */
export const shareProofCodec: Codec<ShareProof> = struct({
  dataBytes: u32,
  row: u8,
  column: u8,
  through: axisCodec,
  share: byteString(MAX_SHARE_BYTES),
  path: list(bytes32, ROOT_PATH),
});

/** The encoding of a share for who has the commitment. */
export const provenShareCodec: Codec<ProvenShare> = struct({
  row: u8,
  column: u8,
  through: axisCodec,
  share: byteString(MAX_SHARE_BYTES),
  path: list(bytes32, AXIS_PATH),
});

/** The encoding of what a data root commits to: 1,030 bytes. */
export const squareCommitmentCodec: Codec<SquareCommitment> = struct({
  dataBytes: u32,
  rowRoots: list(bytes32, SQUARE_WIDTH),
  columnRoots: list(bytes32, SQUARE_WIDTH),
});

/** The encoding of a bad-encoding proof. */
export const badEncodingCodec: Codec<BadEncodingProof> = struct({
  commitment: squareCommitmentCodec,
  fault: union({
    axis: [
      0,
      struct({ axis: axisCodec, index: u8, shares: list(provenShareCodec, DATA_WIDTH) }),
    ],
    padding: [1, provenShareCodec],
  }),
});

function sampleFault(
  { chain, dataRoot }: Pick<Header, "chain" | "dataRoot">,
  place: SampleCoordinate,
  answer: ShareProof | undefined,
): string | undefined {
  if (answer === undefined) return "is not there";
  const { row, column, through } = answer;
  if (row !== place.row || column !== place.column || through !== place.through) {
    return "was answered with another one";
  }
  return verifyShare(dataRoot, chain, answer) ? undefined : "is not under the data root";
}

function checkCount(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > SQUARE_SHARES) {
    throw new RangeError(`Cannot sample: ${count} is no number from 1 to ${SQUARE_SHARES}`);
  }
}

/** The bytes of H("sion/sample/v1", seed, u32 n) for n = 0, 1, … */
function* byteStream(seed: Uint8Array): Generator<number, never> {
  for (let n = 0;; n++) yield* taggedHash(SAMPLE_TAG, seed, encode(u32, n));
}

/** A uniform number below `limit` ≤ 256: bytes in the last, partial run of it are passed over. */
function uniform(bytes: Generator<number, never>, limit: number): number {
  const end = 256 - 256 % limit;
  for (;;) {
    const byte = bytes.next().value;
    if (byte < end) return byte % limit;
  }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [greater, less] = [a, b];
  while (less !== 0n) [greater, less] = [less, greater % less];
  return greater;
}

/** The least number of two digits above a fraction between 0 and 1: `1.9e-3` for 0.0018096. */
function nextTwoDigits(numerator: bigint, denominator: bigint): string {
  let exponent = 0;
  let scaled = numerator;
  while (scaled < denominator) {
    scaled *= 10n;
    exponent--;
  }
  const digits = 10n * scaled / denominator + 1n;
  // 9.9… is followed by 10.
  const [shown, power] = digits === 100n ? [10n, exponent + 1] : [digits, exponent];
  return `${shown / 10n}.${shown % 10n}e${power}`;
}
