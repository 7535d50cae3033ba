/** Agents below an agent: what spawning takes and gives. */
import type { AccountId, ObjectId } from "#internal/core/mod.ts";
import type { Outcome, SignOptions } from "./outcome_types.ts";

/** One of several new agents. */
export interface SpawnedAgent {
  readonly name: string;
  /** Its account: a wallet name or 64 hex digits. @default keyless: the spawning wallet signs for it */
  readonly wallet?: string;
  /** Micro-USD of its allotment. Without it the agent gets no charter. */
  readonly budget?: bigint;
  /** Wallet names or accounts that it may pay. @default whom the charter above allows */
  readonly payees?: readonly string[];
  /** Micro-USD a payment. @default what the charter above allows */
  readonly maxPayment?: bigint;
  /** Pulses from now in which its charter holds. @default as long as the charter above */
  readonly expiresInPulses?: number;
}

/** Several agents below one, in one transaction. */
export interface AgentSpawn extends Omit<SignOptions, "keyless"> {
  /** The wallet that acts for the agent above: its own, or the one that signs for it. */
  readonly wallet: string;
  /** The agent above: an id, a unique beginning of it, or a name that is unique. */
  readonly parent: string;
  /** 1 to 32. */
  readonly agents: readonly SpawnedAgent[];
  /** Micro-USD of fee money moved to each new account, all in one transfer. @default 0.01 USD */
  readonly fees?: bigint;
}

/** A payment of a keyless agent under its charter. */
export interface KeylessPayment {
  readonly agent: ObjectId;
  readonly charter: ObjectId;
  readonly allotment: ObjectId;
  /** A wallet name (devnet) or an account. */
  readonly payee: string;
  /** Micro-USD. */
  readonly amount: bigint;
  readonly purpose: string;
  /** Session and call, for the receipt claim to name; both or neither. */
  readonly session?: string;
  readonly call?: string;
}

/** Payments of keyless agents under one signature. */
export interface JointPayment extends Omit<SignOptions, "keyless"> {
  /** The wallet that signs for all of them: that of the nearest agent above with a key. */
  readonly wallet: string;
  /** At most 128. */
  readonly payments: readonly KeylessPayment[];
}

/** New agents' ids, in the order they were asked for; none when the transaction failed. */
export interface SpawnedAgents {
  readonly agents: readonly {
    readonly agent: ObjectId;
    readonly name: string;
    readonly account: AccountId;
    /** Missing without a budget. */
    readonly charter?: ObjectId;
    readonly allotment?: ObjectId;
  }[];
  /** Of the spawning, then of the transfer of fee money if there was one. */
  readonly outcomes: readonly Outcome[];
}
