/** A Pulse's header: what a quorum of validators signs and everything is proven against. */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, encode, list, option, struct, u16, u32, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { BlockRef } from "#internal/ledger/mod.ts";
import { blockRefCodec } from "#internal/ledger/mod.ts";

/** Rounds in a Pulse: Pulse p executes the anchors of rounds 4p−3 to 4p. */
export const PULSE_ROUNDS = 4;
const PULSE_TAG = "sion/pulse/v1";

/** Digests are 32 bytes. */
export interface Header {
  readonly version: number;
  /** Chain identity; zeros in Pulse 0. */
  readonly chain: Uint8Array;
  readonly number: bigint;
  /** Digest of the header before; zeros in Pulse 0. */
  readonly previous: Uint8Array;
  /** Committee session, from 0. */
  readonly session: number;
  /** The Pulse at which the session is due to end, once that is set. */
  readonly sessionEnd: bigint | null;
  readonly epoch: bigint;
  /** Anchors committed since genesis, those of this Pulse included. */
  readonly anchorCount: bigint;
  /** The anchors of this Pulse, ascending. */
  readonly anchors: readonly BlockRef[];
  readonly beacon: Uint8Array;
  /** Stake-weighted median of the authors' clocks, never below the Pulse before. */
  readonly timeMs: bigint;
  readonly stateRoot: Uint8Array;
  readonly knowledgeRoot: Uint8Array;
  readonly knowledgeSize: bigint;
  readonly receiptsRoot: Uint8Array;
  /** Root of the published data's square; Pulse 0 publishes nothing and has the empty root. */
  readonly dataRoot: Uint8Array;
  /** Hash of the validator set, the parameters, session and epoch. */
  readonly config: Uint8Array;
  /** Root of the forced units with their deadlines. */
  readonly forcedRoot: Uint8Array;
  readonly forcedPending: number;
  readonly forcedOverdue: number;
  /** Hash of what ordering goes on from: tallies, stops, ordered blocks, leader seed, links. */
  readonly tail: Uint8Array;
  /** Root over the shards' leaves: state before, units, credits out and in, state after. */
  readonly leavesRoot: Uint8Array;
}

export const headerCodec: Codec<Header> = struct({
  version: u16,
  chain: bytes32,
  number: u64,
  previous: bytes32,
  session: u32,
  sessionEnd: option(u64),
  epoch: u64,
  anchorCount: u64,
  anchors: list(blockRefCodec, PULSE_ROUNDS),
  beacon: bytes32,
  timeMs: u64,
  stateRoot: bytes32,
  knowledgeRoot: bytes32,
  knowledgeSize: u64,
  receiptsRoot: bytes32,
  dataRoot: bytes32,
  config: bytes32,
  forcedRoot: bytes32,
  forcedPending: u32,
  forcedOverdue: u32,
  tail: bytes32,
  leavesRoot: bytes32,
});

/** The digest of a header: what `PulseVote` names and the next header calls `previous`. */
export function headerDigest(header: Header): Uint8Array {
  return taggedHash(PULSE_TAG, header.chain, encode(headerCodec, header));
}

/** The Pulse whose window holds a round. */
export function pulseOfRound(round: number): number {
  return Math.ceil(round / PULSE_ROUNDS);
}

/** The first round of a Pulse's window. */
export function firstRoundOf(pulse: number): number {
  return PULSE_ROUNDS * pulse - PULSE_ROUNDS + 1;
}

/** The last round of a Pulse's window. */
export function lastRoundOf(pulse: number): number {
  return PULSE_ROUNDS * pulse;
}
