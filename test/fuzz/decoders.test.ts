/**
 * Every decoder of what comes from outside takes mutated, cut, oversized, spliced and random input:
 * it answers a value whose encoding is the input, or a typed error; in work that the input's length
 * bounds. `scripts/fuzz` runs the same for as long as asked.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Decoder } from "./_decoder.ts";
import { decoder, fuzz } from "./_decoder.ts";
import { DECODERS, INSIDE } from "./_registry.ts";

/** Of each decoder; a long run has its own. */
const EFFORT = { places: 120, inputs: 160 };
const SEED = 1;

describe("a decoder of outside bytes", () => {
  test.each(DECODERS)("$name stands whatever comes", async (of: Decoder) => {
    await fuzz(of, SEED, EFFORT);
  });
});

describe("fuzz()", () => {
  const planted: readonly (readonly [string, RegExp, (bytes: Uint8Array) => unknown])[] = [
    ["another error", /threw TypeError/, (bytes) => {
      if (bytes.length !== 4) throw new TypeError("x");
    }],
    [
      "a value too large",
      /larger than its input/,
      (bytes) => bytes.length === 4 ? 0 : Array(1 << 20).fill(0),
    ],
    ["an input it changed", /changed its input/, (bytes) => bytes.reverse()],
  ];
  test.each(planted)("fuzz() notices %s", async (_name, message, decode) => {
    const of = decoder({
      name: "planted",
      covers: [],
      samples: () => [Uint8Array.of(1, 2, 3, 4)],
      decode,
    });
    await expect(fuzz(of, SEED, EFFORT)).rejects.toThrow(message);
  });

  test("fuzz() notices a second encoding of a value", async () => {
    const of = decoder<Uint8Array>({
      name: "planted",
      covers: [],
      samples: () => [Uint8Array.of(1, 2, 3, 4)],
      decode: (bytes) => bytes.slice(0, 4),
      encode: (value) => value,
    });
    await expect(fuzz(of, SEED, EFFORT)).rejects.toThrow(/another encoding/);
  });
});

describe("the registry of decoders", () => {
  const covered = new Set(DECODERS.flatMap(({ covers }) => covers));
  const known = (name: string): boolean => covered.has(name) || name in INSIDE;

  test("every codec that a unit exports, and every place that decodes, is in it or is told why not", () => {
    const internal = fileURLToPath(new URL("../../internal/", import.meta.url));
    const missing: string[] = [];
    for (const name of readdirSync(internal, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts") || name === join("core", "codec.ts")) continue;
      const source = readFileSync(join(internal, name), "utf8");
      const uses = [
        ...source.matchAll(/^export const (\w+Codec)\b/gm),
        ...source.matchAll(/[^.\w]decode\((\w+)(?=[,(])/g),
        ...source.matchAll(/\b(\w+\.decode)\(/g),
        ...source.matchAll(/\b(\w+(?:File|Body|params|result))\.parse\(/g),
        ...source.matchAll(/\b(decode[A-Z]\w+|parseSeed|readOrigin)\(/g),
      ].map(([, found]) => found as string);
      missing.push(...uses.filter((use) => !known(use)).map((use) => `${name}: ${use}`));
    }
    expect([...new Set(missing)]).toEqual([]);
  });

  test("nothing is told to be inside that is not there, or is held to account", () => {
    expect(Object.keys(INSIDE).filter((name) => covered.has(name))).toEqual([]);
    expect(new Set(DECODERS.map(({ name }) => name)).size).toBe(DECODERS.length);
  });
});
