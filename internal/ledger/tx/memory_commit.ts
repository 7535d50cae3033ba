/**
 * Moves the head of a memory log along a proof that the log grew, or seals it for good. Of what was
 * added the ledger sees no more than hashes and bounds, in a proof of the order of the logarithm.
 */
import type { ValueOf } from "#internal/core/mod.ts";
import { bool, id, list, option, shortId, struct, u64 } from "#internal/core/mod.ts";
import {
  boundsFault,
  growthProofLength,
  MAX_PATH,
  memoryNodeCodec,
  verifyGrowth,
} from "#internal/memory/mod.ts";
import { actingAgent } from "../delegation.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import type { MemoryLog } from "../objects/memory_log.ts";
import { memoryLogKind } from "../objects/memory_log.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

const headCodec = struct({
  /** Atoms. */
  size: u64,
  root: id,
});

const codec = struct({
  log: id,
  /** Identity of the agent that the log belongs to; null for the acting account's own. */
  agent: option(id),
  /** The head that the log has. */
  from: headCodec,
  /** The head that it will have. */
  to: headCodec,
  /** That what `to` stands for begins with all that `from` stands for. */
  proof: list(memoryNodeCodec, MAX_PATH),
  /** Whether the head will never move again. */
  seal: bool,
});

/** Body of `memory_commit`. */
export type MemoryCommitBody = ValueOf<typeof codec>;

function faultOf({ from, to, proof, seal }: MemoryCommitBody): string | undefined {
  const isSame = from.size === to.size && from.root === to.root;
  if (from.size >= to.size && !(seal && isSame)) {
    return "a commit must add atoms to its log, or seal the log as it is";
  }
  const nodes = growthProofLength(from.size, to.size);
  if (nodes === undefined) return "a memory log holds at most 2^40 atoms";
  if (proof.length !== nodes) {
    return `the proof has ${proof.length} nodes where ${nodes} are needed`;
  }
  for (const { bounds } of proof) {
    const fault = boundsFault(bounds);
    if (fault !== undefined) return `the proof has no bounds: ${fault}`;
  }
  return undefined;
}

/**
 * The log, which must be the acting account's or its agent's. Of an account that is not the owner's
 * it says the same whether there is such a log or not: else what a certificate fixes would hang on
 * another lane.
 */
function ownLog(view: View, { log, agent }: MemoryCommitBody, who: string): MemoryLog {
  const value = view.get(memoryLogKind, log);
  view.require(
    value !== undefined && value.owner === view.actor && value.agent === agent,
    "invalid transaction",
    `${who} has no memory log ${shortId(log)}`,
  );
  return value;
}

export const memoryCommit = defineTxKind({
  name: "memory_commit",
  tag: 81,
  since: "1.0",
  certificateFixes: ({ agent }) => agent === null ? "outcome" : "execution",
  body: codec,
  check: faultOf,
  touches: ({ log, agent }) => agent === null ? { owned: [log] } : { shared: [log, agent] },
  intent({ log, agent, from, to, seal }, say) {
    const of = agent === null ? "" : ` of agent ${say.short(agent)}`;
    if (from.size === to.size) return `Seal memory log ${say.short(log)}${of} for good, as it is`;
    const grow = `Move memory log ${say.short(log)}${of} from ${atoms(from.size)} to ${to.size} ` +
      `(root ${say.short(to.root)})`;
    return seal ? `${grow}, and seal it for good` : grow;
  },
  apply(view: View, body: MemoryCommitBody) {
    const { log, agent, from, to, proof, seal } = body;
    if (agent !== null) actingAgent(view, agent);
    const who = agent === null ? "the account" : `agent ${shortId(agent)}`;
    const value = ownLog(view, body, who);
    view.require(value.sealed === null, "invalid transaction", "the memory log is sealed");
    view.require(
      value.size === from.size && value.root === from.root,
      "invalid transaction",
      "the memory log has another head",
    );
    view.require(
      verifyGrowth(from, to, proof),
      "invalid transaction",
      "the proof does not show that the memory log grew",
    );
    const grown: MemoryLog = {
      ...value,
      size: to.size,
      root: to.root,
      head: value.head + 1n,
      committed: view.pulse,
      sealed: seal ? view.pulse : null,
    };
    view.put(memoryLogKind, log, grown);
    view.emit("MemoryLogCommitted", {
      added: to.size - from.size,
      head: grown.head,
      log,
      root: to.root,
      sealed: seal,
      size: to.size,
    });
  },
  tells: {
    MemoryLogCommitted: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "MemoryLogCommitted"), say),
});

function told(fields: EventFields, say: Say): string {
  const end = fields.flag("sealed") ? " and is sealed" : "";
  return `memory log ${say.short(fields.id("log"))} now holds ${atoms(fields.amount("size"))} ` +
    `(head ${fields.amount("head")})${end}`;
}

function atoms(count: bigint): string {
  return count === 1n ? "1 atom" : `${count} atoms`;
}
