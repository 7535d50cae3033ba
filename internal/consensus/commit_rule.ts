/**
 * Which leaders' blocks are committed: Mysticeti's rule with one leader slot a round. Pure functions
 * of the blocks held and of who leads; source: design page of the ledger, and the Mysticeti paper
 * (https://arxiv.org/abs/2310.14821).
 */
import type { Committee } from "#internal/proofs/mod.ts";

/** What the rule needs to know of a block. */
export interface SlotBlock {
  readonly round: number;
  readonly author: number;
  /** Its parents of the round before, by author. */
  readonly links: readonly (SlotBlock | undefined)[];
}

/** The blocks a validator holds. */
export interface CommitView<B extends SlotBlock> {
  readonly committee: Pick<Committee, "isQuorum">;
  /** The highest round with a block. */
  readonly top: number;
  at(round: number): readonly B[];
  /** Who leads a round. */
  leader(round: number): number;
  /** True when `block` lies in the history of `of`. */
  descends(of: B, block: B): boolean;
}

/** What is known of a round's leader slot. */
export type Decision<B> =
  | { readonly type: "commit"; readonly block: B }
  | { readonly type: "skip" }
  | { readonly type: "undecided" };

/** Rounds after a slot in which its indirect decision is looked for: from this on. */
const INDIRECT_ROUNDS = 3;

/** True when `block` (of r+2) certifies `leader` (of r): a quorum of its parents supports it. */
function certifies(
  view: CommitView<SlotBlock>,
  block: SlotBlock,
  leader: SlotBlock,
): boolean {
  let mask = 0;
  for (const parent of block.links) {
    if (parent?.links[leader.author] === leader) mask |= 1 << parent.author;
  }
  return view.committee.isQuorum(mask);
}

/** Authors of r+1 with a block that has no parent in the slot. */
function blaming(view: CommitView<SlotBlock>, round: number, leader: number): number {
  let mask = 0;
  for (const block of view.at(round + 1)) {
    if (block.links[leader] === undefined) mask |= 1 << block.author;
  }
  return mask;
}

/** Direct commit: a quorum of r+2 certifies. Direct skip: a quorum of r+1 has no parent there. */
export function decideDirectly<B extends SlotBlock>(
  view: CommitView<B>,
  round: number,
): Decision<B> {
  const leader = view.leader(round);
  for (const block of view.at(round)) {
    if (block.author !== leader) continue;
    let mask = 0;
    for (const later of view.at(round + 2)) {
      if (certifies(view, later, block)) mask |= 1 << later.author;
    }
    if (view.committee.isQuorum(mask)) return { type: "commit", block };
  }
  if (view.committee.isQuorum(blaming(view, round, leader))) return { type: "skip" };
  return { type: "undecided" };
}

/** By an anchor of r+3 or later: commit iff a block of r+2 in its history certifies. */
function decideIndirectly<B extends SlotBlock>(
  view: CommitView<B>,
  round: number,
  anchor: B,
): Decision<B> {
  const leader = view.leader(round);
  for (const block of view.at(round)) {
    if (block.author !== leader) continue;
    for (const later of view.at(round + 2)) {
      if (view.descends(anchor, later) && certifies(view, later, block)) {
        return { type: "commit", block };
      }
    }
  }
  return { type: "skip" };
}

/**
 * Decides the slot of `from`, looking at later slots as far as it must.
 * @param known decisions made under the same leaders; grows.
 */
export function decideSlot<B extends SlotBlock>(
  view: CommitView<B>,
  from: number,
  known: Map<number, Decision<B>>,
): Decision<B> {
  // From the top down, so that each slot's later ones are settled when it asks for them.
  for (let round = view.top - 1; round >= from; round--) {
    if (known.has(round)) continue;
    let decision = decideDirectly(view, round);
    for (let r = round + INDIRECT_ROUNDS; decision.type === "undecided" && r < view.top; r++) {
      const later = known.get(r);
      if (later === undefined) break;
      if (later.type === "commit") decision = decideIndirectly(view, round, later.block);
      else if (later.type === "undecided") break;
    }
    if (decision.type !== "undecided") known.set(round, decision);
  }
  return known.get(from) ?? { type: "undecided" };
}
