/** One Pulse executed by both stacks: the production executor, and stack B from a witness of it. */
import { encode, fromHex, toHex } from "#internal/core/mod.ts";
import type { Ordered, PulseOutput, SignedUnit } from "#internal/ledger/mod.ts";
import { logPeaksRoot } from "#internal/merkle/mod.ts";
import { differingFields, executeByStackB } from "#internal/proofs/mod.ts";
import type { ExecutedPulse, PartialTree, WorldInput, WorldOrdered } from "#internal/proofs/mod.ts";
import { shardOf } from "../../internal/proofs/world/stack_b/objects.ts";
import { encodeReceipt } from "../../internal/proofs/world/stack_b/receipt.ts";
import { writeTree } from "../../internal/proofs/world/stack_b/tree.ts";
import { CHAIN } from "../ledger/_world.ts";
import type { World } from "../ledger/_world.ts";
import { cut } from "./_stack_b.ts";

/** What both stacks say of a Pulse. */
export interface Compared {
  readonly a: PulseOutput;
  readonly b: ExecutedPulse;
  readonly input: WorldInput;
  /** What they disagree about, one line each. */
  readonly differences: readonly string[];
}

/** Executes a Pulse in the world and by stack B, from the keys that it touched or the whole state. */
export function executeByBoth(
  world: World,
  ordered: readonly (SignedUnit | Ordered)[],
  options: { readonly advanceMs?: bigint; readonly witness?: "touched" | "whole" } = {},
): Compared {
  const before = world.state;
  const a = world.execute(ordered, options.advanceMs);
  const trees = before.shards.map((): PartialTree => ({ type: "empty" }));
  for (const [key] of before.entries()) {
    const shard = shardOf(key, trees.length);
    const object = before.bytes(key) ?? new Uint8Array();
    trees[shard] = writeTree(trees[shard] as PartialTree, fromHex(key), object);
  }
  const whole = options.witness === "whole";
  const touched = whole ? [...before.entries()].map(([key]) => key) : [...a.touched];
  const input: WorldInput = {
    chain: CHAIN,
    pulse: world.pulse,
    timeMs: world.timeMs,
    beacon: "00".repeat(32),
    shards: trees.length,
    before: {
      stateRoot: before.root(),
      knowledgeRoot: logPeaksRoot(before.knowledge),
      knowledgeSize: before.knowledge.size,
    },
    ordered: ordered.map((item) => orderedOf(world, item)),
    trees: trees.map((tree, shard) =>
      cut(tree, touched.filter((key) => shardOf(key, trees.length) === shard))
    ),
    peaks: before.knowledge.peaks,
  };
  const b = executeByStackB(input);
  return { a, b, input, differences: differencesOf(world, a, b) };
}

function orderedOf(world: World, item: SignedUnit | Ordered): WorldOrdered {
  if ("unit" in item) {
    return { type: "unit", bytes: world.ledger.encodeSigned(item), forced: false };
  }
  if (item.type === "void") return item;
  return { type: "unit", bytes: world.ledger.encodeSigned(item.signed), forced: item.forced };
}

function differencesOf(world: World, a: PulseOutput, b: ExecutedPulse): string[] {
  const { roots } = a;
  const fields = differingFields(b.output, {
    stateRoot: roots.state,
    knowledgeRoot: roots.knowledge,
    knowledgeSize: roots.knowledgeSize,
    receiptsRoot: roots.receipts,
    leavesRoot: roots.leaves,
  });
  const lines: string[] = [];
  for (const [i, receipt] of a.receipts.entries()) {
    const other = b.receipts[i];
    const bytes = toHex(encode(world.ledger.receiptCodec, receipt));
    if (other && toHex(encodeReceipt(other)) === bytes) continue;
    const body = other?.outcome.kind === "failed" ? other.outcome.body : other?.outcome.kind;
    const said = receipt.outcome.kind === "failed" ? receipt.outcome.reason : receipt.outcome.kind;
    lines.push(`${receipt.kind}: A "${said}" (${receipt.fee}), B "${body}" (${other?.fee})`);
  }
  return [...fields, ...lines];
}
