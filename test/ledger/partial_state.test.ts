import { describe, expect, it } from "vitest";
import { idBytes, SionError } from "#internal/core/mod.ts";
import type { LedgerState } from "#internal/ledger/mod.ts";
import { accountKey, partialState, shardOf, USD } from "#internal/ledger/mod.ts";
import { SparseTree } from "#internal/merkle/mod.ts";
import { accountOf, FUNDS, payTo, usd, World } from "./_world.ts";

const [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => accountOf(name)) as [
  string,
  string,
  string,
];

/** What is known of a world's state by some keys; `hidden` ones without their objects. */
function known(world: World, keys: readonly string[], hidden: readonly string[] = []): LedgerState {
  const { state } = world;
  const { length } = state.shards;
  const trees = state.shards.map((tree, shard) => {
    const here = [...keys, ...hidden].filter((key) => shardOf(key, length) === shard);
    return SparseTree.partial(tree.witness(here.map(idBytes)));
  });
  const objects = keys.flatMap((key) => {
    const bytes = state.bytes(key);
    return bytes === undefined ? [] : [[key, bytes] as const];
  });
  return partialState(world.ledger, { trees, objects, knowledge: state.knowledge });
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof SionError) return error.code;
    throw error;
  }
  return "";
}

describe("partialState()", () => {
  it("lets a Pulse execute to the same roots from what it touched", () => {
    const world = new World({ shards: 1 });
    const before = world.state;
    const unit = world.unit("alice", [payTo([bob, usd(1)], [accountOf("newcomer"), 5n])]);
    const output = world.execute([unit]);
    world.state = before;
    const part = known(world, [...output.touched]);
    expect(part.root()).toEqual(before.root());
    const again = world.ledger.execute(part, {
      pulse: world.pulse,
      timeMs: world.timeMs,
      beacon: new Uint8Array(32),
      ordered: [{ type: "unit", signed: unit, forced: false }],
    });
    expect(again.roots).toEqual(output.roots);
    expect(again.receipts).toEqual(output.receipts);
    expect(again.state.account(bob)?.balances.get(USD)).toBe(FUNDS + usd(1));
    expect(codeOf(() => again.state.account(carol))).toBe("witness");
  });

  it("never says that an object outside the witness is absent", () => {
    const world = new World({ shards: 1 });
    const [keyOfAlice, keyOfBob] = [accountKey(alice), accountKey(bob)];
    const part = known(world, [keyOfAlice, "00".repeat(32)], [keyOfBob]);
    expect(part.account(alice)).toEqual(world.state.account(alice));
    expect(part.at("00".repeat(32))).toBeUndefined();
    expect(codeOf(() => part.account(bob))).toBe("witness");
    expect(codeOf(() => part.bytes(keyOfBob))).toBe("witness");
    const outside = ["carol", "dana"].map((name) => codeOf(() => part.account(accountOf(name))));
    expect(outside).toContain("witness");
    const trees = Array.from({ length: 257 }, () => SparseTree.empty);
    const { knowledge } = world.state;
    expect(() => partialState(world.ledger, { trees, objects: [], knowledge })).toThrow(RangeError);
  });
});
