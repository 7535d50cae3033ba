/** Lies about the state that a Pulse was executed on: the eighth line fails for each. */
import { decode, encode, fromHex, toHex } from "#internal/core/mod.ts";
import { objectHash } from "#internal/ledger/mod.ts";
import type { PartialTree, WorldWitness } from "#internal/proofs/mod.ts";
import { worldWitnessCodec } from "#internal/proofs/mod.ts";
import type { Case, Lie } from "./_lying_node.ts";
import { flipped, insteadOf, pulse, refuse } from "./_lying_node.ts";

const witness = (change: (value: WorldWitness) => WorldWitness): Lie => (answer) => {
  const value = decode(worldWitnessCodec, fromHex(answer["bytes"] as string));
  const bytes = encode(worldWitnessCodec, change(value));
  return { ...answer, bytes: toHex(bytes), size: bytes.length };
};

/** Changes what a tree shows, leaf by leaf. */
const leaves = (change: (leaf: PartialTree) => PartialTree): Lie => {
  const walk = (tree: PartialTree): PartialTree =>
    tree.type === "branch"
      ? { type: "branch", left: walk(tree.left), right: walk(tree.right) }
      : change(tree);
  return witness((value) => ({ ...value, trees: value.trees.map(walk) }));
};

const lie = (name: string, reason: RegExp, world: Lie): Case => ({
  name,
  line: 8,
  reason,
  lies: { world },
});

/** All of line eight. */
export const WORLD_CASES: readonly Case[] = [
  lie("no witness", /does not give it/, refuse),
  lie(
    "another Pulse's witness",
    /stack A: .*not of the state before|not in the witness/,
    (a) => insteadOf("world", () => ({ number: pulse - 4 }))(a, {}),
  ),
  lie(
    "objects hidden behind their hashes",
    /stack A: .*only its hash is in the witness/,
    leaves((leaf) =>
      leaf.type === "opened"
        ? { type: "closed", key: leaf.key, valueHash: objectHash(leaf.object) }
        : leaf
    ),
  ),
  lie("bytes that are no witness", /its witness: Cannot decode/, (answer) => ({
    ...answer,
    bytes: "ff".repeat((answer["bytes"] as string).length / 2),
  })),
  lie("a witness that ends early", /its witness: Cannot decode/, (answer) => ({
    ...answer,
    bytes: (answer["bytes"] as string).slice(0, -2),
    size: (answer["size"] as number) - 1,
  })),
  lie("a witness that never ends", /the witness is missing/, (answer, params) => ({
    ...answer,
    bytes: params["from"] === 0 ? answer["bytes"] : "",
    size: (answer["size"] as number) + 1,
  })),
  lie("a witness beyond all bounds", /the witness is too large/, (answer) => ({
    ...answer,
    size: 2 ** 40,
  })),
  lie(
    "another balance before",
    /stack A: .*not of the state before/,
    leaves((leaf) => leaf.type === "opened" ? { ...leaf, object: flipped(leaf.object) } : leaf),
  ),
  lie(
    "a shard's tree left out",
    /stack A: .*not one tree a shard/,
    witness((value) => ({ ...value, trees: value.trees.slice(1) })),
  ),
  lie(
    "the shards' trees swapped",
    /stack A: .*not of the state before/,
    witness((value) => ({ ...value, trees: value.trees.toReversed() })),
  ),
  lie(
    "a log of claims that there is not",
    /stack A: .*peaks are not those/,
    witness((value) => ({ ...value, peaks: [new Uint8Array(32)] })),
  ),
];
