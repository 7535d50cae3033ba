/**
 * What is signed and voted as one: 1 to 128 members, each a transaction in a slot of its own, under
 * one authorization. One member is a plain transaction, more are a batch.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type { Policy } from "./policy.ts";

/** Members of a unit. */
export const MAX_MEMBERS = 128;

/** One transaction: the account that acts, its slot, and what it does. */
export interface Member {
  readonly account: AccountId;
  /** The account's slot; slots of an account are used in order from 0. */
  readonly sequence: bigint;
  /** Name of a registered transaction kind. */
  readonly kind: string;
  /** Typed by the kind. */
  readonly body: unknown;
}

/** What the signatures cover. Never changed once made: its encoding and digest are remembered. */
export interface Unit {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** The last Pulse in which the unit can execute. */
  readonly validUntil: bigint;
  /** Micro-USD: the unit is refused when its members' fees together are more. */
  readonly maxFee: bigint;
  readonly members: readonly Member[];
}

/** Signatures under one policy for all members. */
export interface Authorization {
  readonly policy: Policy;
  /** One for each member: `accountId(policy, salts[i])` is the account of member i. */
  readonly salts: readonly Uint8Array[];
  /** Exactly the policy's threshold of dual signatures of the unit's digest; `key` ascending. */
  readonly signatures: readonly KeySignature[];
}

/** A dual signature by one of a policy's keys. */
export interface KeySignature {
  /** Index into the policy's keys. */
  readonly key: number;
  readonly signature: Uint8Array;
}

/** A unit as a client submits it. */
export interface SignedUnit {
  readonly unit: Unit;
  readonly authorization: Authorization;
}

/** A slot of an account. */
export interface Slot {
  readonly account: AccountId;
  readonly sequence: bigint;
}
