/** The field, the code and the kernel under the square. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "#internal/core/mod.ts";
import { completeAxis, encodeParity } from "../../internal/merkle/square/axis_code.ts";
import { combine, combineByTables } from "../../internal/merkle/square/combine.ts";
import { inverse, multiply } from "../../internal/merkle/square/field.ts";
import { recoveryMatrix } from "../../internal/merkle/square/reed_solomon.ts";
import { combineFile } from "../../scripts/gen-kernel.ts";
import { someBytes } from "./_squares.ts";

const range = (length: number, from = 0) => Array.from({ length }, (_, i) => from + i);

/** Multiplication by the definition: as polynomials, reduced by 0x11d. */
function multiplyByDefinition(a: number, b: number): number {
  let product = 0;
  for (let bit = 0; bit < 8; bit++) {
    if ((b >> bit) & 1) product ^= a << bit;
  }
  for (let bit = 14; bit >= 8; bit--) {
    if ((product >> bit) & 1) product ^= 0x11d << (bit - 8);
  }
  return product;
}

function combined(matrix: readonly Uint8Array[], sources: readonly Uint8Array[], by = combine) {
  const targets = matrix.map(() => new Uint8Array(sources[0]!.length).fill(0xee));
  by(matrix, sources, targets);
  return targets;
}

describe("the field", () => {
  it("multiply() is the product of polynomials modulo 0x11d, for all pairs", () => {
    const wrong: string[] = [];
    for (let a = 0; a < 256; a++) {
      for (let b = 0; b < 256; b++) {
        if (multiply(a, b) !== multiplyByDefinition(a, b)) wrong.push(`${a} * ${b}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("multiply() gives the products that Backblaze's implementation lists", () => {
    expect([multiply(3, 4), multiply(7, 7), multiply(23, 45)]).toEqual([12, 21, 41]);
  });

  it("inverse() inverts all elements but 0", () => {
    for (let a = 1; a < 256; a++) expect(multiply(a, inverse(a))).toBe(1);
    expect(() => inverse(0)).toThrow(RangeError);
  });
});

describe("recoveryMatrix()", () => {
  interface Vector {
    source: string;
    data: string[];
    parity: string[];
  }

  it("recoveryMatrix() gives the parity of published vectors [L-270]", () => {
    const path = new URL("../../fixtures/merkle/reed_solomon.json", import.meta.url);
    const vectors = JSON.parse(readFileSync(path, "utf8")) as Vector[];
    for (const { data, parity } of vectors) {
      const k = data.length;
      const made = combined(recoveryMatrix(range(k), range(k, k)), data.map(fromHex));
      expect(made.map(toHex)).toEqual(parity);
    }
    expect(vectors).toHaveLength(4);
  });

  it("recoveryMatrix() refuses a point that is known twice", () => {
    expect(() => recoveryMatrix([0, 1, 1], [3])).toThrow(RangeError);
  });

  it("recoveryMatrix() keeps shares that are known", () => {
    const matrix = recoveryMatrix([3, 9, 12], [3, 9, 12]);
    expect(matrix.map((row) => [...row])).toEqual([[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
  });
});

describe("completeAxis()", () => {
  const axis = range(8).map((i) => someBytes(64, i));
  const parity = axis.map(() => new Uint8Array(64));
  encodeParity(axis, parity);
  const whole = [...axis, ...parity];

  /** All sets of eight of sixteen places, as bits. */
  const eights = range(1 << 16).filter((bits) => {
    let count = 0;
    for (let rest = bits; rest > 0; rest &= rest - 1) count++;
    return count === 8;
  });

  it("any eight of sixteen shares determine the others: all 12,870 sets [L-270]", () => {
    // One byte a share is enough, since the code works byte by byte.
    const bytes = whole.map((share) => share.subarray(0, 1));
    const wrong: number[] = [];
    for (const bits of eights) {
      const known = range(16).filter((place) => (bits >> place) & 1);
      const missing = range(16).filter((place) => !((bits >> place) & 1));
      const sources = known.map((place) => bytes[place]!);
      const made = combined(recoveryMatrix(known, missing), sources, combineByTables);
      if (missing.some((place, i) => made[i]![0] !== bytes[place]![0])) wrong.push(bits);
    }
    expect(eights).toHaveLength(12_870);
    expect(wrong).toEqual([]);
  });

  it("completeAxis() gives all sixteen shares and their root, whichever eight are known", () => {
    const root = toHex(completeAxis(new Map(axis.entries())).root);
    fc.assert(
      fc.property(fc.shuffledSubarray(range(16), { minLength: 8, maxLength: 8 }), (places) => {
        const found = completeAxis(new Map(places.map((place) => [place, whole[place]!])));
        expect(found.shares).toEqual(whole);
        expect(toHex(found.root)).toBe(root);
      }),
      { numRuns: 40 },
    );
  });
});

describe("combine()", () => {
  it("combine_wasm.ts is what its sources in scripts/kernel give", async () => {
    const path = new URL("../../internal/merkle/square/combine_wasm.ts", import.meta.url);
    expect(readFileSync(path, "utf8")).toBe(await combineFile());
  });

  it("combine() by the kernel is byte-equal to plain JavaScript, over many fillings of its memory", () => {
    const bytes = fc.uint8Array({ minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(bytes, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(64, 128, 1472, 1536, 1600, 4096, 3200),
        fc.nat(1000),
        (matrix, length, seed) => {
          const sources = range(8).map((i) => someBytes(length, seed + i));
          expect(combined(matrix, sources)).toEqual(combined(matrix, sources, combineByTables));
        },
      ),
      { numRuns: 25 },
    );
  });

  it("combine() multiplies every byte by every coefficient as the field does", () => {
    const source = Uint8Array.from(range(256));
    const zero = new Uint8Array(256);
    for (let a = 0; a < 256; a++) {
      const [target] = combined([Uint8Array.of(0, 0, 0, 0, 0, a, 0, 0)], [
        ...range(5).map(() => zero),
        source,
        zero,
        zero,
      ]);
      expect(target).toEqual(source.map((byte) => multiply(a, byte)));
    }
  });

  it("combine() takes shares of any number and size", () => {
    const sources = range(3).map((i) => someBytes(5, i));
    const matrix = recoveryMatrix([0, 1, 2], [0, 4]);
    expect(combined(matrix, sources)[0]).toEqual(sources[0]);
    expect(combined(matrix, sources)).toEqual(combined(matrix, sources, combineByTables));
  });
});
