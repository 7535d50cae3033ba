/** Sampling of published data: places, the bound, verdicts, encodings. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { ShareProof } from "#internal/merkle/mod.ts";
import { DataSquare, reconstruct, verifyBadEncoding, verifyShare } from "#internal/merkle/mod.ts";
import type { SampleCoordinate } from "#internal/proofs/mod.ts";
import {
  badEncodingCodec,
  LEAST_WITHHELD,
  provenShareCodec,
  sampleCoordinates,
  SAMPLES,
  shareProofCodec,
  squareCommitmentCodec,
  verifySamples,
  withholdingBound,
} from "#internal/proofs/mod.ts";
import { CHAIN, provenShares, someBytes, withOneWrongShare } from "../merkle/_squares.ts";

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const SEED = sha256(Uint8Array.of(1));
const SQUARE = DataSquare.of(someBytes(10_000));
const HEADER = { chain: CHAIN, dataRoot: SQUARE.root(CHAIN) };

const answer = ({ row, column, through }: SampleCoordinate) => SQUARE.prove(row, column, through);
const placeOf = ({ row, column }: SampleCoordinate) => row * 16 + column;

describe("sampleCoordinates()", () => {
  it("sampleCoordinates() draws different places of the square, the same for the same seed [L-269 L-270]", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 256 }), (seed, count) => {
        const places = sampleCoordinates(seed, count);
        expect(new Set(places.map(placeOf)).size).toBe(count);
        for (const { row, column } of places) {
          expect(row >= 0 && row < 16 && column >= 0 && column < 16).toBe(true);
        }
        expect(sampleCoordinates(seed, count)).toEqual(places);
      }),
      { numRuns: 30 },
    );
  });

  it("sampleCoordinates() draws sixteen unless told, and more begin with the same [L-270]", () => {
    expect(sampleCoordinates(SEED)).toHaveLength(SAMPLES);
    expect(SAMPLES).toBe(16);
    expect(sampleCoordinates(SEED, 40).slice(0, 16)).toEqual(sampleCoordinates(SEED));
  });

  it("sampleCoordinates() draws every place and both axes about equally often", () => {
    const drawn = new Uint32Array(256);
    let rows = 0;
    const runs = 2000;
    for (let i = 0; i < runs; i++) {
      for (const place of sampleCoordinates(sha256(Uint8Array.of(i, i >> 8)))) {
        drawn[placeOf(place)]!++;
        if (place.through === "row") rows++;
      }
    }
    const expected = runs * 16 / 256;
    const chiSquare = drawn.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    // 255 degrees of freedom: 330 is passed once in a thousand; the seeds are fixed.
    expect(chiSquare).toBeLessThan(330);
    expect(Math.abs(rows - runs * 8)).toBeLessThan(400);
  });

  it("sampleCoordinates() refuses other seeds and counts", () => {
    expect(() => sampleCoordinates(SEED.subarray(1))).toThrow(TypeError);
    for (const count of [0, 257, -1, 1.5, NaN]) {
      expect(() => sampleCoordinates(SEED, count)).toThrow(RangeError);
    }
  });
});

describe("withholdingBound()", () => {
  /** C(n, k). */
  function choose(n: bigint, k: bigint): bigint {
    let result = 1n;
    for (let i = 0n; i < k; i++) result = result * (n - i) / (i + 1n);
    return result;
  }

  it("withholdingBound() of 16 shares is C(175, 16) / C(256, 16), printed rounded up [L-269 L-270]", () => {
    const { numerator, denominator, text } = withholdingBound(16);
    expect(numerator * choose(256n, 16n)).toBe(denominator * choose(175n, 16n));
    expect(text).toBe("< 1.9e-3");
    // 1.8096e-3, so that 1.8e-3 would be no bound.
    expect([numerator, denominator]).toEqual([76_341_376_163n, 42_187_386_900_648n]);
    expect(Number(numerator) / Number(denominator)).toBeCloseTo(1.8096e-3, 7);
  });

  it("withholdingBound() is a fraction in lowest terms", () => {
    expect(withholdingBound(1)).toEqual({ numerator: 175n, denominator: 256n, text: "< 6.9e-1" });
    const two = withholdingBound(2);
    expect([two.numerator, two.denominator]).toEqual([175n * 174n / 30n, 256n * 255n / 30n]);
  });

  it("withholdingBound() prints the least two digits above the value, for every count", () => {
    for (let count = 1; count <= 175; count++) {
      const { numerator, denominator, text } = withholdingBound(count);
      const [, digits, power] = /^< (\d\.\d)e(-\d+)$/.exec(text) ?? [];
      const printed = BigInt(digits!.replace(".", ""));
      const scale = 10n ** (1n - BigInt(power!));
      expect(printed * denominator > numerator * scale).toBe(true);
      // The next lower number of two digits, which below 1.0 is a tenth as far away.
      const lower = printed === 10n ? [99n, scale * 10n] as const : [printed - 1n, scale] as const;
      expect(lower[0] * denominator <= numerator * lower[1]).toBe(true);
    }
  });

  it("withholdingBound() is 0 when more are sampled than can be left", () => {
    expect(withholdingBound(176)).toEqual({ numerator: 0n, denominator: 1n, text: "0" });
    expect(withholdingBound(256).text).toBe("0");
    expect(() => withholdingBound(0)).toThrow(RangeError);
    expect(() => withholdingBound(257)).toThrow(RangeError);
  });
});

describe("verifySamples()", () => {
  const places = sampleCoordinates(SEED);
  const answers = places.map(answer);
  const judge = (given: readonly (ShareProof | undefined)[]) =>
    verifySamples(HEADER, places, given);

  it("verifySamples() accepts sixteen shares under the data root and says the bound [L-250 L-269]", () => {
    expect(judge(answers)).toEqual({ ok: true, verified: 16, bound: withholdingBound(16) });
  });

  it("verifySamples() counts what is right and names the first share that is not", () => {
    const [first, second] = answers as [ShareProof, ShareProof];
    const { row, column } = first;
    const at = `the share at row ${row}, column ${column}`;
    const other = first.through === "row" ? "column" : "row";
    const wrong = { ...first, share: first.share.with(0, first.share[0]! ^ 1) };
    const cases: [ShareProof | undefined, string][] = [
      [undefined, `${at} is not there`],
      [second, `${at} was answered with another one`],
      [SQUARE.prove(row, column, other), `${at} was answered with another one`],
      [wrong, `${at} is not under the data root`],
      [{ ...first, path: [] }, `${at} is not under the data root`],
    ];
    for (const [given, reason] of cases) {
      expect(judge(answers.with(0, given!))).toEqual({ ok: false, verified: 15, reason });
    }
    expect(judge([])).toEqual({ ok: false, verified: 0, reason: `${at} is not there` });
  });

  it("verifySamples() refuses answers of another Pulse or chain", () => {
    expect(verifySamples({ ...HEADER, dataRoot: sha256() }, places, answers).ok).toBe(false);
    expect(verifySamples({ ...HEADER, chain: sha256() }, places, answers).ok).toBe(false);
  });

  it("verifySamples() judges no sampling in which a place counts twice", () => {
    const [first] = places as [SampleCoordinate];
    const again = { ...first, through: first.through === "row" ? "column" : "row" } as const;
    expect(() => verifySamples(HEADER, [first, again], [answer(first), answer(again)])).toThrow(
      TypeError,
    );
  });

  it("withholding 81 shares is met by sampling about as often as the bound says [L-270]", () => {
    const withheld = (place: SampleCoordinate) => place.row < 9 && place.column < 9;
    let unnoticed = 0;
    const runs = 1500;
    for (let i = 0; i < runs; i++) {
      const four = sampleCoordinates(sha256(Uint8Array.of(i, i >> 8, 3)), 4);
      if (!four.some(withheld)) unnoticed++;
    }
    const { numerator, denominator } = withholdingBound(4);
    const expected = runs * Number(numerator * 10_000n / denominator) / 10_000;
    expect(LEAST_WITHHELD).toBe(81);
    // Five standard deviations of a binomial variable near 0.22.
    expect(Math.abs(unnoticed - expected)).toBeLessThan(5 * Math.sqrt(runs * 0.22 * 0.78));
  });
});

describe("the encodings", () => {
  const wrong = withOneWrongShare(SQUARE, 77);
  const found = reconstruct(wrong.commitment, provenShares(wrong, Array(256).keys()));
  if (found.kind !== "bad-encoding") throw new Error(found.kind);
  const padding = { kind: "padding" as const, body: SQUARE.proveInAxis(7, 7, "row") };
  const encoded = [
    encode(shareProofCodec, SQUARE.prove(2, 12, "column")),
    encode(provenShareCodec, SQUARE.proveInAxis(2, 12, "column")),
    encode(squareCommitmentCodec, SQUARE.commitment),
    encode(badEncodingCodec, found.proof),
    encode(badEncodingCodec, { commitment: SQUARE.commitment, fault: padding }),
  ] as const;
  const codecs = [
    shareProofCodec,
    provenShareCodec,
    squareCommitmentCodec,
    badEncodingCodec,
    badEncodingCodec,
  ] as const;

  it("proofs that were encoded and decoded still hold", () => {
    const proof = decode(shareProofCodec, encoded[0]);
    expect(verifyShare(HEADER.dataRoot, CHAIN, proof)).toBe(true);
    const fraud = decode(badEncodingCodec, encoded[3]);
    expect(verifyBadEncoding(wrong.root(CHAIN), CHAIN, fraud)).toBe(true);
    expect(verifyBadEncoding(HEADER.dataRoot, CHAIN, decode(badEncodingCodec, encoded[4]))).toBe(
      false,
    );
    expect(encoded[2]).toHaveLength(1030);
  });

  it("every other encoding is refused as such, or shows nothing, and never throws anything else", () => {
    const change = fc.record({ at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(fc.nat(4), change, fc.nat(), fc.boolean(), (which, { at, mask }, cut, cuts) => {
        const bytes = encoded[which]!.slice();
        bytes[at % bytes.length]! ^= mask;
        const given = cuts ? bytes.subarray(0, cut % bytes.length) : bytes;
        try {
          const value = decode<unknown>(codecs[which]!, given);
          if (which === 0) {
            expect(verifyShare(HEADER.dataRoot, CHAIN, value as ShareProof)).toBe(false);
          }
          expect(encode<unknown>(codecs[which]!, value)).toEqual(given);
        } catch (error) {
          expect(error).toMatchObject({ code: "codec" });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("random bytes are refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(4), (bytes, which) => {
        expect(() => decode<unknown>(codecs[which]!, bytes)).toThrow(
          expect.objectContaining({ code: "codec" }),
        );
      }),
      { numRuns: 100 },
    );
  });
});
