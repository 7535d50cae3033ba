/** What a client offers of stake. */
import type { AccountId, ObjectId } from "#internal/core/mod.ts";
import type { Abortable, Foreseeing, Outcome } from "./outcome_types.ts";

/** Stake given to a validator's pool. */
export interface NewDelegation extends Foreseeing {
  readonly wallet: string;
  /** The validator's id, that of a key of its, or a unique beginning of one. */
  readonly validator: string;
  /** Micro-USD. */
  readonly amount: bigint;
}

/** What an owner does with a delegation. */
export interface OwnDelegation extends Foreseeing {
  readonly wallet: string;
  /** Its id, or a unique beginning of it. */
  readonly delegation: string;
}

/** What an owner does with a delegation, or an operator with a validator's own stake. */
export interface OwnStake extends Foreseeing {
  readonly wallet: string;
  /** The id of a delegation or validator, or a unique beginning of it. */
  readonly stake: string;
}

/** What an operator does with a validator. */
export interface OwnValidator extends Foreseeing {
  /** The operator's wallet. */
  readonly wallet: string;
  readonly validator: string;
}

/** A new validator. */
export interface NewValidator extends Foreseeing {
  /** The operator's wallet. */
  readonly wallet: string;
  /** Secret: the 32 bytes that its key derives from. */
  readonly seed: Uint8Array;
  /** Own stake, micro-USD. */
  readonly stake: bigint;
  /** Ten-thousandths. @default 0 */
  readonly commission?: number;
}

/** A validator with its pool; amounts in whole and broken units of the stake asset. */
export type PoolValue = {
  readonly commission: string;
  readonly delegated: string;
  readonly earned: string;
  readonly earning: string;
  /** As a wallet where this machine knows one, else 64 hex digits. */
  readonly operator: string;
  readonly own: string;
  readonly status: string;
  readonly validator: ObjectId;
  /** In whole units. */
  readonly weight: number | bigint;
};

/** All validators. */
export interface Pools {
  readonly epoch: number;
  /** The Pulse at which it is due to end; null: it never does. */
  readonly epochEnd: number | null;
  readonly pools: readonly PoolValue[];
  /** The value of `sion_stake_pools`: the epoch, then a line a validator. */
  readonly lines: readonly string[];
}

/** The value of `sion_stake_show`. */
export type StakeShown = {
  readonly account: AccountId;
  readonly delegations: readonly {
    readonly delegation: ObjectId;
    readonly phase: "pending" | "earning" | "unbonding";
    /** Decimal USD. */
    readonly rewards_owed: string;
    readonly shares: string;
    /** The Pulse its phase began in. */
    readonly since: number;
    /** In units of the stake asset, a comma every three digits. */
    readonly stake: string;
    readonly state: string;
    readonly validator: ObjectId;
    readonly withdrawable_at: number | null;
  }[];
  readonly epoch: number;
};

/** A validator that the node saw contradict itself, in a session. */
export interface Accused {
  readonly validator: ObjectId;
  readonly session: number;
}

/** Everything about stake. */
export interface StakeCalls {
  pools(options?: Abortable): Promise<Pools>;
  /** Delegations of an account, given by a wallet's name or in full. */
  show(account: string, options?: Abortable): Promise<StakeShown>;
  /** The id of a validator's object. @throws {SionError} `not-found`, `argument` */
  validator(text: string, options?: Abortable): Promise<ObjectId>;
  delegate(given: NewDelegation): Promise<Outcome>;
  /** Collects rewards: a delegation's, or those of a validator's operator. */
  claim(given: OwnStake): Promise<Outcome>;
  undelegate(given: OwnDelegation): Promise<Outcome>;
  /** Withdraws what unbonded: a delegation's stake, or a validator's own. */
  withdraw(given: OwnStake): Promise<Outcome>;
  register(given: NewValidator): Promise<Outcome>;
  /** @param given `commission` in ten-thousandths. */
  setCommission(given: OwnValidator & { readonly commission: number }): Promise<Outcome>;
  leave(given: OwnValidator): Promise<Outcome>;
  /** Whom the node saw sign two things that contradict each other, as long as that is not slashed. */
  accused(options?: Abortable): Promise<readonly Accused[]>;
  /**
   * Has those slashed whom the node saw sign two things that contradict each other; one outcome for
   * each. It was done before where it fails; with `foresee` those are left out.
   */
  report(given: Foreseeing & { readonly wallet: string }): Promise<readonly Outcome[]>;
}
