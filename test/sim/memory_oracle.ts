/** The memory logs of a run: their heads are those of what their owners hold, and never go back. */
import type { Identity, LedgerState, MemoryLog } from "#internal/ledger/mod.ts";
import { memoryLogKind } from "#internal/ledger/mod.ts";
import type { MemoryHead } from "#internal/memory/mod.ts";
import {
  EMPTY_MEMORY_HEAD,
  headOf,
  nodeOver,
  proveGrowth,
  proveRecall,
  verifyGrowth,
  verifyRecall,
} from "#internal/memory/mod.ts";
import { box, FRAMES, indexOf, isIn } from "../memory/_atoms.ts";
import { LOG_ATOMS } from "./memory_life.ts";
import { Violation } from "./violation.ts";

const INDEX = indexOf(LOG_ATOMS);
/** A box of every frame that holds most atoms. */
const ASKED = FRAMES.map((frame) => box([0, -50, -50], [900, 50, 50], 0, 1000, frame));

/** What the oracle reads of a state. */
export type KnownState = Pick<LedgerState, "at" | "entries">;

interface Known {
  readonly log: MemoryLog;
  /** The agent it belongs to was suspended. */
  readonly isFrozen: boolean;
}

/** Looks at every log after every Pulse. */
export class MemoryOracle {
  readonly #known = new Map<string, Known>();
  /** Moves of heads that were seen. */
  moves = 0;

  /** @throws {Violation} `memory` when a log is not what it has to be. */
  pulse(pulse: bigint, state: KnownState): void {
    for (const [id, { kind, value }] of state.entries()) {
      if (kind !== memoryLogKind.name) continue;
      const log = value as MemoryLog;
      const broken = (why: string): Violation =>
        new Violation("memory", `log ${id.slice(0, 8)} in Pulse ${pulse} ${why}`);
      const before = this.#known.get(id);
      const isFrozen = isSuspended(state, log.agent);
      this.#known.set(id, { log, isFrozen });
      if (!isSame(log, headAt(Number(log.size)))) {
        throw broken("has a head that its owner never had");
      }
      if (before === undefined) {
        if (log.opened !== pulse) throw broken("was opened in another Pulse");
        continue;
      }
      const old = before.log;
      if (log.owner !== old.owner || log.agent !== old.agent || log.opened !== old.opened) {
        throw broken("changed hands");
      }
      if (log.head === old.head) {
        if (!isSame(log, old) || log.sealed !== old.sealed || log.committed !== old.committed) {
          throw broken("changed without a commit");
        }
        continue;
      }
      this.moves++;
      if (log.head < old.head || log.size < old.size) throw broken("went back");
      if (old.sealed !== null) throw broken("grew after its seal");
      if (before.isFrozen && isFrozen) throw broken("grew while its agent was suspended");
      if (log.committed !== pulse) throw broken("has the transaction time of another Pulse");
      const fault = faultOfHead(old, log);
      if (fault !== undefined) throw broken(fault);
    }
  }
}

function isSuspended(state: KnownState, agent: string | null): boolean {
  if (agent === null) return false;
  const identity = state.at(agent)?.value as Identity | undefined;
  return identity !== undefined && (identity.suspensions.length > 0 || identity.revoked !== null);
}

function headAt(size: number): MemoryHead {
  if (size === 0) return EMPTY_MEMORY_HEAD;
  return size > INDEX.size ? { size: -1n, root: "" } : headOf(nodeOver(INDEX, 0, size));
}
function isSame(a: MemoryHead, b: MemoryHead): boolean {
  return a.size === b.size && a.root === b.root;
}

/** What the old head let anybody find, the new one does too, and either proof is of its head alone. */
function faultOfHead(old: MemoryHead, now: MemoryHead): string | undefined {
  const [from, to] = [Number(old.size), Number(now.size)];
  if (!verifyGrowth(old, now, proveGrowth(INDEX, from, to))) {
    return "does not continue its old head";
  }
  for (const asked of ASKED) {
    const proof = proveRecall(INDEX, to, asked, LOG_ATOMS.length);
    const verdict = verifyRecall(now, asked, proof);
    const held = LOG_ATOMS.slice(0, to).flatMap((atom, seq) => isIn(atom, asked) ? [seq] : []);
    const expected = held.join();
    const shown = verdict.ok ? verdict.atoms.map(({ seq }) => seq).join() : "nothing";
    if (shown !== expected) return `recalls ${shown} where it holds ${expected}`;
    if (from < to && verifyRecall(old, asked, proof).ok) return "is recalled under its old head";
  }
  return undefined;
}
