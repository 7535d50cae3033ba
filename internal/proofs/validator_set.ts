/** A session's committee: who may sign blocks, with what weight, and what a quorum is. */
import { cutWeights, MAX_COMMITTEE, validatorId } from "#internal/ledger/mod.ts";

export { cutWeights, MAX_COMMITTEE, validatorId };

/** One member of a committee. Its place in the committee is what blocks call `author`. */
export interface CommitteeMember {
  /** H(both keys), 64 hex digits. */
  readonly id: string;
  /** Dual public key. */
  readonly publicKey: Uint8Array;
  /** Stake in micro-USD. */
  readonly stake: bigint;
  /** Voting weight: the stake, cut so that nobody has a third. */
  readonly weight: bigint;
}

/** The validators of one session, in the order that `author` counts. Bit i of a mask is member i. */
export interface Committee {
  readonly members: readonly CommitteeMember[];
  /** Sum of all weights. */
  readonly total: bigint;
  /** The least weight of a quorum. */
  readonly quorum: bigint;
  /** Weight of the members in a mask. */
  weightOf(mask: number): bigint;
  /** True when the members in a mask are a quorum. */
  isQuorum(mask: number): boolean;
  /** True when the members in a mask have more than a third: one of them is honest. */
  hasHonest(mask: number): boolean;
}

/** The least weight of a quorum: 266667 of 400000. */
export function quorumOf(total: bigint): bigint {
  return (2n * total) / 3n + 1n;
}

/** Micro-units of the stake asset in one whole unit. */
const WHOLE_UNIT = 1_000_000n;

/** Stake as people and programs are shown it: in whole units, 300000 for 300,000 USD. */
export function shownStake(stake: bigint): bigint {
  return stake / WHOLE_UNIT;
}

/** The least stake of a quorum in whole units, rounded up: 266667 for 266,666.666667 USD. */
export function shownQuorum(quorum: bigint): bigint {
  return (quorum + WHOLE_UNIT - 1n) / WHOLE_UNIT;
}

/**
 * The committee of validators in the order given.
 * @throws {RangeError} unless there are 1 to 16, of distinct keys, each with stake.
 */
export function committeeOf(
  validators: readonly { readonly publicKey: Uint8Array; readonly stake: bigint }[],
): Committee {
  if (validators.length < 1 || validators.length > MAX_COMMITTEE) {
    throw new RangeError(
      `Cannot form a committee: ${validators.length} validators, 1 to 16 allowed`,
    );
  }
  const weights = cutWeights(validators.map(({ stake }) => stake));
  const members = validators.map(({ publicKey, stake }, i) => ({
    id: validatorId(publicKey),
    publicKey,
    stake,
    weight: weights[i] as bigint,
  }));
  if (members.some(({ weight }) => weight <= 0n)) {
    throw new RangeError("Cannot form a committee: a validator has no stake that counts");
  }
  if (new Set(members.map(({ id }) => id)).size < members.length) {
    throw new RangeError("Cannot form a committee: two validators have one key");
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0n);
  const quorum = quorumOf(total);
  const weightOf = (mask: number): bigint =>
    weights.reduce((sum, weight, i) => (mask & (1 << i)) === 0 ? sum : sum + weight, 0n);
  // Quorums are asked for at every block and statement: one answer a mask, found once.
  const known = new Int8Array(1 << members.length);
  const isQuorum = (mask: number): boolean => {
    if (known[mask] === 0) known[mask] = weightOf(mask) >= quorum ? 1 : -1;
    return known[mask] === 1;
  };
  const hasHonest = (mask: number): boolean => 3n * weightOf(mask) > total;
  return { members, total, quorum, weightOf, isQuorum, hasHonest };
}
