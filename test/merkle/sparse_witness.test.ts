import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, SionError, toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { SparseWitness } from "#internal/merkle/mod.ts";
import { SparseTree } from "#internal/merkle/mod.ts";

/** Keys that share long prefixes as often as not. */
const near = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(7)).map(([first, middle, last]) => {
  const key = new Uint8Array(32);
  key[0] = first << 6;
  key[15] = middle;
  key[31] = last;
  return key;
});
const key = fc.oneof(near, fc.uint8Array({ minLength: 32, maxLength: 32 }));
const value = fc.nat(1000).map((n) => sha256(Uint8Array.of(n & 255, n >> 8)));
const entries = fc.array(fc.tuple(key, value), { maxLength: 30 });

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SionError) return error.code;
    throw error;
  }
  return "";
}

function count(witness: SparseWitness, type: SparseWitness["type"]): number {
  const below = witness.type === "branch"
    ? count(witness.left, type) + count(witness.right, type)
    : 0;
  return below + (witness.type === type ? 1 : 0);
}

describe("SparseTree known in part", () => {
  it("partial() reads, writes and hashes as the whole tree does, for the keys of its witness", () => {
    fc.assert(
      fc.property(entries, fc.array(fc.tuple(key, value), { maxLength: 8 }), (held, more) => {
        const whole = SparseTree.empty.setMany(held);
        const wanted = [...more.map(([one]) => one), ...held.slice(0, 3).map(([one]) => one)];
        const part = SparseTree.partial(whole.witness(wanted));
        expect(part.root()).toEqual(whole.root());
        for (const one of wanted) expect(part.get(one)).toEqual(whole.get(one));
        const writes = wanted.map((one, i) => [one, sha256(Uint8Array.of(i))] as const);
        expect(part.setMany(writes).root()).toEqual(whole.setMany(writes).root());
        expect(part.setMany(more).root()).toEqual(whole.setMany(more).root());
      }),
    );
  });

  it("get(), set() and prove() of a key outside the witness throw, and never say absent", () => {
    fc.assert(
      fc.property(entries, fc.array(key, { maxLength: 4 }), key, (held, wanted, asked) => {
        const whole = SparseTree.empty.setMany(held);
        const part = SparseTree.partial(whole.witness(wanted));
        const codes = [
          () => part.get(asked),
          () => part.set(asked, new Uint8Array(32)),
          () => part.prove(asked),
          () => part.multiproof([asked]),
        ].map(codeOf);
        if (codes[0] === "") {
          expect(part.get(asked)).toEqual(whole.get(asked));
          expect(codes).toEqual(["", "", "", ""]);
        } else {
          expect(new Set(codes)).toEqual(new Set(["witness"]));
        }
      }),
    );
  });

  it("witness() marks the wanted leaves, and hides all that no path goes through", () => {
    const held = Array.from({ length: 64 }, (_, i) => sha256(Uint8Array.of(i)));
    const whole = SparseTree.empty.setMany(held.map((one) => [one, one] as const));
    const [first, second] = held.toSorted(compareBytes) as [Uint8Array, Uint8Array];
    const absent = second.with(31, (second[31] as number) ^ 1);
    const witness = whole.witness([first, absent, first]);
    const shown: [string, boolean][] = [];
    const walk = (at: SparseWitness): void => {
      if (at.type === "leaf") shown.push([toHex(at.key), at.wanted]);
      if (at.type !== "branch") return;
      walk(at.left);
      walk(at.right);
    };
    walk(witness);
    expect(shown).toEqual([[toHex(first), true], [toHex(second), false]]);
    expect(count(witness, "stub")).toBeGreaterThan(4);
    const part = SparseTree.partial(witness);
    expect(part.size).toBe(2);
    expect(codeOf(() => [...part.entries()])).toBe("witness");
    expect(SparseTree.empty.witness([first])).toEqual({ type: "empty" });
    expect(whole.witness([])).toEqual({ type: "stub", hash: whole.root() });
  });
});
