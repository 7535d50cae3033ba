/** Memory logs for tests: how they are opened and how their heads move. */
import type { Action } from "#internal/ledger/mod.ts";
import type { Atom, MemoryHead, MemoryNode } from "#internal/memory/mod.ts";
import { EMPTY_MEMORY_HEAD, headOf, nodeOver, proveGrowth } from "#internal/memory/mod.ts";
import { atomOf, FRAMES, indexOf } from "../memory/_atoms.ts";

/** Atoms in and out of frames, more frames than bounds tell apart. */
export const SOME_ATOMS: readonly Atom[] = Array.from(
  { length: 12 },
  (_, n) =>
    n % 4 === 3
      ? atomOf({ subject: `door-${n}`, kind: "world-state" })
      : atomOf({ at: [100n * BigInt(n), -7n, 0n], frame: FRAMES[n % FRAMES.length] ?? "" }),
);

/** The body of a commit. */
export interface Commit {
  readonly log: string;
  readonly agent: string | null;
  readonly from: MemoryHead;
  readonly to: MemoryHead;
  readonly proof: readonly MemoryNode[];
  readonly seal: boolean;
}

export const openLog = (agent: string | null = null): Action => ({
  kind: "memory_open",
  body: { agent },
});

export const commit = (body: Commit): Action => ({ kind: "memory_commit", body });

/** Commits that move a log of these atoms from one size to another. */
export function growing(
  log: string,
  atoms: readonly Atom[],
  agent: string | null = null,
): (from: number, to: number, seal?: boolean) => Commit {
  const index = indexOf(atoms);
  const head = (size: number): MemoryHead =>
    size === 0 ? EMPTY_MEMORY_HEAD : headOf(nodeOver(index, 0, size));
  return (from, to, seal = false) => ({
    log,
    agent,
    from: head(from),
    to: head(to),
    proof: proveGrowth(index, from, to),
    seal,
  });
}
