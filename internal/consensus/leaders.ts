/** Who leads a round: drawn by weight, from a seed that changes after every 32nd anchor. */
import { encode, struct, u32 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";

/** Anchors under one leader seed, and within which a validator must have had a block ordered. */
export const SEED_ANCHORS = 32;

const LEADER_TAG = "sion/leader/v1";
const roundCodec = struct({ round: u32 });

/** A seed with those that may be drawn from it. */
export interface LeaderSeed {
  readonly seed: Uint8Array;
  /** Mask of the validators that may lead. */
  readonly eligible: number;
}

/** The author whose block is the slot of a round. */
export function drawLeader(committee: Committee, from: LeaderSeed, round: number): number {
  const total = committee.weightOf(from.eligible);
  const hash = taggedHash(LEADER_TAG, from.seed, encode(roundCodec, { round }));
  // 16 bytes of the hash leave a bias below 2⁻⁶⁰ for any total of 64-bit stakes.
  const view = new DataView(hash.buffer, hash.byteOffset);
  let left = ((view.getBigUint64(0, true) << 64n) | view.getBigUint64(8, true)) % total;
  for (let author = 0; author < committee.members.length; author++) {
    if ((from.eligible & (1 << author)) === 0) continue;
    const weight = committee.members[author]?.weight as bigint;
    if (left < weight) return author;
    left -= weight;
  }
  throw new RangeError("Cannot draw a leader: nobody may lead");
}

/** `drawLeader` that remembers the rounds it was asked for. */
export function leaderSchedule(
  committee: Committee,
  from: LeaderSeed,
): (round: number) => number {
  const known = new Map<number, number>();
  return (round) => {
    let leader = known.get(round);
    if (leader === undefined) {
      leader = drawLeader(committee, from, round);
      if (known.size > 4096) known.clear();
      known.set(round, leader);
    }
    return leader;
  };
}
