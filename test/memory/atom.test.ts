import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "#internal/core/mod.ts";
import type { Atom } from "#internal/memory/mod.ts";
import {
  atomFault,
  atomId,
  decodeAtom,
  encodeAtom,
  MAX_ATOM_BYTES,
  OPEN_END,
  parseAtomValue,
  statementOf,
} from "#internal/memory/mod.ts";
import { atomOf, atoms } from "./_atoms.ts";

describe("atoms", () => {
  it("encodeAtom() has one encoding an atom, and the id is a hash of it [L-416 L-417 L-433]", () => {
    fc.assert(fc.property(atoms, (atom) => {
      const bytes = encodeAtom(atom);
      expect(decodeAtom(bytes)).toEqual(atom);
      expect(atomId(structuredClone(atom))).toBe(atomId(atom));
    }));
  });

  it("encodeAtom() writes every field where the protocol says", () => {
    const atom = atomOf({ confidence: 900, at: [1n, 2n, -3n], frame: "w" });
    const i64 = (value: bigint) => toHex(new Uint8Array(new BigInt64Array([value]).buffer));
    expect(toHex(encodeAtom(atom))).toBe([
      "0b6f62736572766174696f6e", // observation
      "0970616c6c65742d3137", // pallet-17
      "026174", // at
      "02076169736c652d34", // entity aisle-4
      "8403", // 900
      i64(100n),
      i64(130n),
      "01",
      "0177",
      ...[-4n, -3n, -8n, 6n, 7n, 2n].map(i64),
    ].join(""));
  });

  it("decodeAtom() refuses any changed byte or takes it as another atom", () => {
    const atom = atomOf({ at: [1n, 2n, 3n] });
    const bytes = encodeAtom(atom);
    for (let at = 0; at < bytes.length; at++) {
      for (const bit of [1, 2, 64, 128]) {
        const changed = bytes.with(at, (bytes[at] as number) ^ bit);
        let other: Atom;
        try {
          other = decodeAtom(changed);
        } catch {
          continue;
        }
        expect(other).not.toEqual(atom);
        expect(encodeAtom(other)).toEqual(changed);
      }
    }
  });

  it("atomFault() refuses atoms that no log can hold [L-424]", () => {
    const place = { frame: "w", min: [0n, 0n, 0n], max: [1n, 1n, 1n] } as const;
    const faulty: Partial<Atom>[] = [
      { kind: "" },
      { kind: "World" },
      { kind: "two words" },
      { kind: "9th" },
      { subject: "" },
      { predicate: "" },
      { value: { kind: "entity", body: "" } },
      { confidence: 1001 },
      { from: 5n, until: 5n },
      { place: { ...place, frame: "" } },
      { place: { ...place, max: [1n, 0n, 1n] } },
    ];
    for (const fields of faulty) {
      const atom = { ...atomOf(), ...fields };
      expect(atomFault(atom), JSON.stringify(Object.keys(fields))).toBeDefined();
      expect(() => encodeAtom(atom)).toThrow(TypeError);
    }
    expect(atomFault({ ...atomOf(), kind: "my-own-kind-2", until: OPEN_END, place }))
      .toBeUndefined();
  });

  it("encodeAtom() bounds every text, so an atom has a greatest size", () => {
    const longest = atomOf({
      kind: "k".repeat(32),
      subject: "s".repeat(256),
      predicate: "p".repeat(256),
      value: { kind: "text", body: "v".repeat(4096) },
      at: [0n, 0n, 0n],
      frame: "f".repeat(64),
    });
    expect(encodeAtom(longest).length).toBe(MAX_ATOM_BYTES);
    const over: Partial<Atom>[] = [
      { kind: "k".repeat(33) },
      { subject: "s".repeat(257) },
      { subject: "ü".repeat(129) },
      { value: { kind: "text", body: "v".repeat(4097) } },
    ];
    for (const fields of over) {
      expect(() => encodeAtom({ ...longest, ...fields })).toThrow(TypeError);
    }
  });

  const values: [string, string, unknown, string][] = [
    ["true", "boolean", true, "true"],
    ["false", "boolean", false, "false"],
    ["0", "integer", 0n, "0"],
    ["-17", "integer", -17n, "-17"],
    ["9223372036854775807", "integer", 9223372036854775807n, "9223372036854775807"],
    ["9223372036854775808", "text", "9223372036854775808", "9223372036854775808"],
    ["007", "text", "007", "007"],
    ["-0", "text", "-0", "-0"],
    ["1.5", "text", "1.5", "1.5"],
    ["True", "text", "True", "True"],
    ["@aisle-4", "entity", "aisle-4", "aisle-4"],
    ["@", "text", "@", "@"],
    ["", "text", "", ""],
    [" 5", "text", " 5", " 5"],
  ];
  it.each(values)("parseAtomValue(%j) is %s [L-430 L-431 L-457]", (input, kind, body, said) => {
    const value = parseAtomValue(input);
    expect(value).toEqual({ kind, body });
    expect(statementOf({ ...atomOf(), value })).toBe(`pallet-17 at ${said}`);
  });
});
