import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatUsd,
  formatUsdGrouped,
  MAX_AMOUNT,
  MICRO_PER_USD,
  parseFactor,
  parseUsd,
} from "#internal/core/mod.ts";

describe("parseFactor()", () => {
  it.each([["2", 2_000_000n], [1.5, 1_500_000n], ["0.000001", 1n]])(
    "reads %s as %s millionths",
    (input, millionths) => expect(parseFactor(input)).toBe(millionths),
  );
  it.each(["0", "0.0000001", "-1", "2,5", "", "1e3", "Infinity"])("refuses %j", (input) => {
    expect(() => parseFactor(input)).toThrow(
      /is no factor: give one above 0 with at most six decimals, like 1\.5$/,
    );
  });
});

describe("parseUsd()", () => {
  it.each([
    ["1.5", 1_500_000n],
    ["0.000001", 1n],
    [0.2, 200_000n],
    [1, 1_000_000n],
    [31.2422, 31_242_200n],
    [5000n, 5_000_000_000n],
    ["18446744073709.551615", MAX_AMOUNT],
  ])("reads %s as %s micro-units, by its text [L-057 L-059]", (input, micro) => {
    expect(parseUsd(input)).toBe(micro);
  });

  it.each([
    ["0", "0 is nothing: give an amount above 0"],
    ["0.000000", "0.000000 is nothing: give an amount above 0"],
    ["1e-7", "1e-7 has an exponent: write it out like 0.25"],
    [1e-7, "1e-7 has an exponent: write it out like 0.25"],
    ["1e30", "1e30 has an exponent: write it out like 0.25"],
    ["-1", "-1 is negative: give an amount above 0"],
    ["0.1234567", "0.1234567 has seven decimals, USD has six: write it like 0.123457"],
    ["NaN", "NaN is not a number: write USD like 1.5"],
    [Number.POSITIVE_INFINITY, "Infinity is not a number: write USD like 1.5"],
    ["1,5", "1,5 has a comma: write decimals with a point, like 1.5"],
    ["1,000.5", "1,000.5 has commas: write it without, like 1000.5"],
    ["", '"" is no amount: write USD like 1.5'],
    [" ", '" " is no amount: write USD like 1.5'],
    [" 1", '" 1" has space around it: write USD like 1.5'],
    ["1 ", '"1 " has space around it: write USD like 1.5'],
    ["1\n", '"1\\n" has space around it: write USD like 1.5'],
    ["01", "01 has a zero before it: write it like 1"],
    ["007.5", "007.5 has a zero before it: write it like 7.5"],
    ["00", "00 has a zero before it: write it like 0"],
    [".5", ".5 is no amount: write USD like 1.5"],
    ["5.", "5. is no amount: write USD like 1.5"],
    ["0x10", "0x10 is no amount: write USD like 1.5"],
    ["١", "١ is no amount: write USD like 1.5"],
    [
      "18446744073709.551616",
      "18446744073709.551616 is more than the ledger can hold: give a smaller amount",
    ],
  ])("refuses %s with a reason of its own [L-064]", (input, message) => {
    expect(() => parseUsd(input)).toThrow(message);
  });

  it("takes zero only where it is allowed", () => {
    expect(parseUsd("0", { allowZero: true })).toBe(0n);
  });

  it("reads back every amount that formatUsd() writes [L-061]", () => {
    fc.assert(fc.property(fc.bigInt({ min: 1n, max: MAX_AMOUNT }), (micro) => {
      const text = formatUsd(micro);
      expect(text).not.toMatch(/\.\d*0$|\.$/);
      expect(parseUsd(text)).toBe(micro);
    }));
  });

  it("never throws anything but its own error on any text", () => {
    fc.assert(fc.property(fc.string(), (text) => {
      try {
        expect(parseUsd(text)).toBeTypeOf("bigint");
      } catch (error) {
        expect(error).toMatchObject({ code: "amount" });
      }
    }));
  });
});

describe("formatUsdGrouped()", () => {
  it.each([
    [5_000n * MICRO_PER_USD, "5,000"],
    [100_000n * MICRO_PER_USD, "100,000"],
    [999n * MICRO_PER_USD, "999"],
    [1_234_567_500_000n, "1,234,567.5"],
    [1_100n, "0.0011"],
    [0n, "0"],
  ])("writes %s as %s [L-062]", (micro, text) => {
    expect(formatUsdGrouped(micro)).toBe(text);
  });
});
