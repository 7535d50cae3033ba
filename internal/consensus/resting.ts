/**
 * Who leaves a round out while many units come. A block costs a signature, and a verification at each
 * of the others; a quorum of blocks says all that a round has to say, and what the one that rests
 * would have said it says in the next. With it goes the room for a faulty one, so validators rest only
 * while nobody misses a turn and slots are decided as fast as they can be.
 */
import type { Committee } from "#internal/proofs/mod.ts";

/** Rounds before in which everybody but who rested must have had a block. */
const CLEAN_ROUNDS = 4;
/** Rounds that the newest anchor is below a round at most: who withholds support keeps slots undecided. */
const ANCHOR_LAG = 4;

/** What is known of earlier rounds. */
export interface RestingView {
  /** The first that the session has blocks of. */
  readonly firstRound: number;
  readonly lastAnchor: number;
  leader(round: number): number;
  /** Mask of those whose block of a round is held. */
  authorsAt(round: number): number;
  readonly committee: Pick<Committee, "members" | "isQuorum">;
}

/** The validator that leaves a round out; undefined when all are to make a block. */
export function resterOf(round: number, view: RestingView): number | undefined {
  const { members, isQuorum } = view.committee;
  if (round - CLEAN_ROUNDS < view.firstRound || view.lastAnchor < round - ANCHOR_LAG) {
    return undefined;
  }
  const everybody = members.reduce((mask, _, author) => mask | (1 << author), 0);
  for (let earlier = round - CLEAN_ROUNDS; earlier < round; earlier++) {
    const expected = everybody & ~(1 << turnOf(earlier, view));
    if ((expected & ~view.authorsAt(earlier)) !== 0) return undefined;
  }
  const rester = turnOf(round, view);
  const others = everybody & ~(1 << rester);
  return rester !== view.leader(round) && isQuorum(others) ? rester : undefined;
}

/**
 * Who rests in a round if anybody does: it is not waited for. What decides whether it rests, each validator
 * sees a little differently.
 */
export function mayRestAt(
  round: number,
  view: Pick<RestingView, "leader" | "committee">,
): number | undefined {
  const turn = turnOf(round, view);
  return turn === view.leader(round) ? undefined : turn;
}

/** Each in turn; when it would be the leader, who is two places on. */
function turnOf(
  round: number,
  { leader, committee: { members } }: Pick<RestingView, "leader" | "committee">,
): number {
  const turn = round % members.length;
  return turn === leader(round) ? (turn + 2) % members.length : turn;
}
