/** Makes what a Pulse is executed again from, out of the state that it was executed on. */
import { idBytes, toHex } from "#internal/core/mod.ts";
import type { LedgerState } from "#internal/ledger/mod.ts";
import { shardOf } from "#internal/ledger/mod.ts";
import type { SparseWitness } from "#internal/merkle/mod.ts";
import type { PartialTree, WorldWitness } from "./world_input.ts";

/**
 * The witness of a Pulse.
 * @param before the state that it was executed on.
 * @param touched keys of all that its execution read or wrote, as `PulseOutput.touched` has them.
 */
export function buildWitness(before: LedgerState, touched: Iterable<string>): WorldWitness {
  const wanted = before.shards.map((): Uint8Array[] => []);
  for (const key of touched) wanted[shardOf(key, wanted.length)]?.push(idBytes(key));
  const trees = before.shards.map((tree, shard) =>
    treeOf(tree.witness(wanted[shard] as Uint8Array[]), before)
  );
  return { trees, peaks: before.knowledge.peaks };
}

function treeOf(known: SparseWitness, state: LedgerState): PartialTree {
  switch (known.type) {
    case "branch":
      return {
        type: "branch",
        left: treeOf(known.left, state),
        right: treeOf(known.right, state),
      };
    case "leaf": {
      const { key, valueHash, wanted } = known;
      if (!wanted) return { type: "closed", key, valueHash };
      const object = state.bytes(toHex(key));
      if (object === undefined) throw new TypeError("The state's trees hold what it does not");
      return { type: "opened", key, object };
    }
    default:
      return known;
  }
}
