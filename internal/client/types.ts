/** What a client offers: the values that commands, MCP tools and agents show and act on. */
import type { AccountId, Digest, JsonValue, ObjectId } from "#internal/core/mod.ts";

/** The environment variables a client looks at (`SION_HOME`, `SION_NODE`, `HOME`). */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a client finds its node and its files. Precedence: option, environment, default. */
export interface ClientOptions {
  /** Address of the node. @default SION_NODE, else `http://127.0.0.1:8400` */
  readonly node?: string;
  /** The folder of all state. @default SION_HOME, else `~/.sion` */
  readonly home?: string;
  readonly env: Environment;
  /** Chain identity to insist on, 64 hex digits. @default whatever the node serves */
  readonly chain?: string;
  /** Told what is waited for, at most once a second and never in the first second. */
  readonly onWait?: (waiting: Waiting) => void;
  /** Told what a person should know besides the answer: one sentence. */
  readonly onNote?: (note: string) => void;
  /** Replaces the way to the node, for tests and embedding. */
  readonly transport?: Transport;
}

/** What a wait is for. */
export interface Waiting {
  /** As in `Pulse 205` or `the node`. */
  readonly what: string;
  readonly elapsedMs: number;
}

/** Carries one call of the RPC contract to a node; `params` and the answer are plain JSON. */
export type Transport = (
  method: string,
  params: JsonValue,
  options: { readonly signal?: AbortSignal },
) => Promise<JsonValue>;

/** Codes of what can go wrong; docs/reference/errors.md has the sentences. */
export type ClientErrorCode =
  | "node-unreachable"
  | "other-chain"
  | "node-error"
  | "wallet-unknown"
  | "no-money"
  | "not-enough"
  | "payee"
  | "argument"
  | "refused"
  | "not-found"
  | "transaction-hex"
  | "answer-lost"
  | "expired"
  | "taken";

/** Names of accounts and objects in sentences. */
export type NameOf = (id: string) => string | undefined;

/** An account that a person named. */
export interface ResolvedAccount {
  readonly account: AccountId;
  /** The wallet name it was given by or is known by. */
  readonly name?: string;
  /** True when the ledger has the account. */
  readonly seen: boolean;
}

/** One transaction to be made: a kind's name and its body, as the ledger defines them. */
export interface Action {
  readonly kind: string;
  readonly body: unknown;
}

/** What a signed, kept, not yet sent transaction is. */
export interface Signed {
  readonly digest: Digest;
  /** Digest of the unit it is a member of. */
  readonly unit: string;
  /** Hex of the unit's canonical encoding with its signatures. */
  readonly hex: string;
  readonly wallet: string;
  readonly sequence: bigint;
  /** The last Pulse it may execute in. */
  readonly validUntil: bigint;
  /** As in `Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.` */
  readonly intent: string;
}

/** What the ledger answered. Field names and their order are those of the MCP tools' results. */
export interface Outcome {
  readonly digest: Digest;
  /** Decimal USD. */
  readonly fee: string;
  /** The Pulse it executed in. */
  readonly pulse: number;
  /** The receipt as a sentence. */
  readonly receipt: string;
  readonly status: "Success" | { readonly Failed: string };
  readonly events: readonly JsonValue[];
  /** Ids of the objects it made, in order. */
  readonly made: readonly ObjectId[];
}

/** Called before anything is sent, once for each transaction, in order; throwing sends nothing. */
export type OnSign = (signed: Signed) => void | Promise<void>;

/** Options of everything that signs. */
export interface SignOptions {
  readonly onSign?: OnSign;
  /** Called as each outcome is known, in order. */
  readonly onOutcome?: (outcome: Outcome, index: number) => void;
  readonly signal?: AbortSignal;
  /** How long the transaction may take. @default 20 Pulses */
  readonly validForPulses?: number;
}

/** Arguments of a payment under a charter. */
export interface AgentPayment extends SignOptions {
  /** The agent's wallet. */
  readonly agent: string;
  readonly charter: string;
  readonly allotment: string;
  /** A wallet name (devnet) or an account. */
  readonly payee: string;
  /** Micro-USD. */
  readonly amount: bigint;
  readonly purpose: string;
  /** Named in the receipt claim when both are given. */
  readonly session?: string;
  readonly call?: string;
}

/** Arguments of a new agent with a budget. */
export interface NewAgent extends SignOptions {
  /** The wallet that stands above the agent and pays. */
  readonly principal: string;
  /** The agent's wallet. */
  readonly wallet: string;
  /** @default the wallet's name */
  readonly name?: string;
  /** Micro-USD put in the allotment; without it there is no charter. */
  readonly budget?: bigint;
  /** Wallet names or accounts it may pay. @default anyone */
  readonly payees?: readonly string[];
  /** Micro-USD a payment. @default no limit below the bucket */
  readonly maxPayment?: bigint;
  /** What the bucket gets back over time. @default nothing: the bucket is the budget */
  readonly refill?: Refill;
  /** Pulses from now. @default never */
  readonly expiresInPulses?: number;
  /** Micro-USD of fee money moved to the agent's account. @default 0.1 USD */
  readonly fees?: bigint;
}

/** An amount that comes back in every period, bit by bit. */
export interface Refill {
  /** Micro-USD. */
  readonly amount: bigint;
  readonly periodMs: bigint;
}

/** A new agent's ids; `charter` and `allotment` are missing without a budget. */
export interface CreatedAgent {
  readonly agent: ObjectId;
  readonly charter?: ObjectId;
  readonly allotment?: ObjectId;
  readonly outcomes: readonly Outcome[];
}

/** The value of `sion_submit_intent`; without waiting only the first two are there. */
export interface Submitted {
  readonly digest: Digest;
  readonly intent: string;
  readonly pulse?: number;
  readonly receipt?: string;
  readonly status?: Outcome["status"];
}
