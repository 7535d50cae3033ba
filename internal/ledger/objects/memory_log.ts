/**
 * A memory log: how far a log of memory atoms has come that is kept off the ledger. Its head moves
 * only along proofs that the log grew. It belongs to an account or, through it, to an agent.
 */
import type { Codec } from "#internal/core/mod.ts";
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

export interface MemoryLog {
  /** The account that opened it: nobody else's commits move its head. */
  readonly owner: string;
  /** Identity of the agent it belongs to; null for an account's own. */
  readonly agent: string | null;
  /** Atoms in the log, by its owner's word. */
  readonly size: bigint;
  /** Root of the tree over them: 64 hex digits. */
  readonly root: string;
  /** How often the head has moved. */
  readonly head: bigint;
  /** The Pulse it was opened in. */
  readonly opened: bigint;
  /** The Pulse of the head: that of the last commit, or of the opening. */
  readonly committed: bigint;
  /** The Pulse from which on the head stays as it is. */
  readonly sealed: bigint | null;
}

const codec: Codec<MemoryLog> = struct({
  owner: id,
  agent: option(id),
  size: u64,
  root: id,
  head: u64,
  opened: u64,
  committed: u64,
  sealed: option(u64),
});

export const memoryLogKind = defineObjectKind({
  name: "memory_log",
  tag: 80,
  codec,
  refs: ({ owner, agent }: MemoryLog) => ({ owner, agent }),
  view: (value: MemoryLog) => ({
    owner: value.owner,
    agent: value.agent,
    size: value.size,
    root: value.root,
    head: value.head,
    opened: value.opened,
    committed: value.committed,
    sealed: value.sealed,
  }),
});
