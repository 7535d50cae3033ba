/** What a round waits for before a validator makes its block: blocks of the round before that may still come. */
import type { DagNode } from "./dag.ts";
import type { ReadyRound } from "./producer.ts";
import type { Session } from "./session.ts";

/** What is known of a session's rounds. */
type Rounds = Pick<Session, "dag" | "facts" | "order" | "self">;

/**
 * The leader's block of the round before is in or cannot come any more, with a quorum of support for the
 * leader before that or its slot skipped; or all blocks of the round are in but that of who may rest.
 */
export function isLeaderIn(
  { round, before }: ReadyRound,
  rounds: Rounds,
  resting: number | undefined,
): boolean {
  const { order, facts, dag } = rounds;
  if (round <= facts.firstRound) return true;
  const active = before.filter(({ author }) => author !== resting).length;
  if (active === facts.committee.members.length - (resting === undefined ? 0 : 1)) return true;
  const leader = order.leader(round - 1);
  const isIn = before.some(({ author }) => author === leader);
  if (!isIn && (beyond(round, rounds) & (1 << leader)) === 0) return false;
  if (round - 2 < facts.firstRound) return true;
  const earlier = order.leader(round - 2);
  let against = 0;
  const support = new Map<DagNode, number>();
  for (const block of dag.at(round - 1)) {
    const slot = block.links[earlier];
    if (slot === undefined) against |= 1 << block.author;
    else support.set(slot, (support.get(slot) ?? 0) | (1 << block.author));
  }
  return facts.committee.isQuorum(against) ||
    [...support.values()].some((mask) => facts.committee.isQuorum(mask));
}

/** Everybody whose block of two rounds before is held has one of the round before, but who makes none. */
export function areAllIn(
  { round, before }: ReadyRound,
  rounds: Rounds,
  resting: number | undefined,
): boolean {
  const absent = beyond(round, rounds) | (resting === undefined ? 0 : 1 << resting);
  const inMask = before.reduce((mask, { author }) => mask | (1 << author), absent);
  return (rounds.dag.authorsAt(round - 2) & ~inMask) === 0;
}

/** Whoever is at a round already, as a mask: what is not held of the round before, they never made. */
function beyond(round: number, { dag, self }: Rounds): number {
  return dag.authorsAt(round) | (self === null ? 0 : 1 << self);
}
