/** Units that blocks may name: held as long as somebody may ask, and never without bound. */
import { describe, expect, it } from "vitest";
import { createLedger } from "#internal/ledger/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import { OWN, UnitPool } from "../../internal/consensus/unit_pool.ts";
import { accountOf, payTo, World } from "../ledger/_world.ts";

const ledger = createLedger();
const world = new World();

function unit(amount: bigint): SignedUnit {
  return world.unit("alice", [payTo([accountOf("bob"), amount])]);
}

/** A ledger to which every signed unit is as long as this. */
function withSize(bytes: number): UnitPool {
  const encoded = new Uint8Array(bytes);
  return new UnitPool({ ...ledger, encodeSigned: () => encoded });
}

describe("UnitPool", () => {
  it("gives each form of a unit, and says what a store is to keep when a block first names it", () => {
    const pool = new UnitPool(ledger);
    const signed = unit(1n);
    const again: SignedUnit = {
      ...signed,
      authorization: {
        ...signed.authorization,
        signatures: [{ key: 0, signature: new Uint8Array(32).fill(9) }],
      },
    };
    const form = pool.add(signed, 2);
    const other = pool.add(again, 2);
    expect(other).not.toBe(form);
    expect(pool.get(other)?.digest).toBe(pool.get(form)?.digest);
    const bytes = ledger.encodeSigned(signed);
    expect(pool.name(form, 7)).toEqual({ form, bytes, until: 71 });
    expect(pool.name(form, 71)).toBeUndefined();
    expect(pool.name(form, 72)).toEqual({ form, bytes: undefined, until: 136 });
    expect(() => pool.name("00".repeat(32), 7)).toThrow(RangeError);
    expect(pool.looseCount).toBe(1);
  });

  it("keeps a decided unit's digest and not its bytes, until no block names it", () => {
    const pool = new UnitPool(ledger);
    const signed = unit(2n);
    const form = pool.add(signed, OWN);
    pool.name(form, 1);
    expect(pool.bytesOf(form)).toEqual(ledger.encodeSigned(signed));
    pool.strip([form]);
    expect(pool.bytesOf(form)).toBeUndefined();
    expect(pool.get(form)).toMatchObject({
      digest: ledger.unitDigest(signed.unit),
      size: ledger.encodeSigned(signed).length,
      signed: undefined,
    });
    pool.forget([form]);
    expect(pool.has(form)).toBe(false);
  });

  it("keeps 8 MiB of a sender's units that no block names, forgets its oldest, and nobody else's", () => {
    const pool = withSize(512 << 10);
    const of = (from: number, count: number, first: bigint): string[] =>
      Array.from({ length: count }, (_, i) => pool.add(unit(first + BigInt(i)), from));
    const others = of(1, 2, 100n);
    const named = of(2, 1, 200n);
    for (const form of named) pool.name(form, 1);
    const mine = of(2, 18, 300n);
    expect(mine.map((form) => pool.has(form))).toEqual([false, false, ...Array(16).fill(true)]);
    expect([...others, ...named].every((form) => pool.has(form))).toBe(true);
    expect(pool.looseCount).toBe(18);
  });

  it("goes on in the next session with what is held", () => {
    const [before, pool] = [new UnitPool(ledger), new UnitPool(ledger)];
    const [carried, stripped, loose] = [5n, 6n, 7n].map((amount) => before.add(unit(amount), 1));
    for (const form of [carried, stripped]) before.name(form as string, 3);
    before.strip([stripped as string]);
    pool.inherit(before);
    expect([carried, stripped, loose].map((form) => pool.has(form as string)))
      .toEqual([true, false, true]);
  });

  it("gives a unit's bytes anew after no block named it, while it waits to be carried again", () => {
    const pool = new UnitPool(ledger);
    const signed = unit(3n);
    const form = pool.add(signed, OWN);
    pool.name(form, 1);
    pool.unname([form, "00".repeat(32)]);
    expect(pool.bytesOf(form)).toEqual(ledger.encodeSigned(signed));
    expect(pool.name(form, 300)).toEqual({ form, bytes: ledger.encodeSigned(signed), until: 364 });
  });
});
