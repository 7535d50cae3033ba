/** What a client offers: the values that commands, MCP tools and agents show and act on. */
import type { AccountId, Clock, Digest, JsonValue, ObjectId, Random } from "#internal/core/mod.ts";
import type { Receipt } from "#internal/ledger/mod.ts";
import type { LightSource, PulseReport } from "#internal/proofs/mod.ts";
import type { MethodName, RpcCalls, StatusView } from "#internal/rpc/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { SettlementProof, SionPayload } from "#internal/x402/mod.ts";
import type { AgentSpawn, JointPayment, SpawnedAgents } from "./agent_types.ts";
import type { MemoryCalls } from "./memory_types.ts";
import type { StorageCalls } from "./storage_types.ts";
import type { Abortable, Outcome, Signing, SignOptions } from "./outcome_types.ts";
import type { ObjectReading, ProvenStake, ReadClaim, TransactionReading } from "./reading_types.ts";
import type { FetchedResource, OfferPayment, PaidFetch } from "./paid_types.ts";
import type { StakeCalls } from "./staking_types.ts";
import type { TaskCalls } from "./task_types.ts";

export type * from "./agent_types.ts";
export type { Abortable, Outcome, Signing, SignOptions } from "./outcome_types.ts";
export type * from "./paid_types.ts";
export type * from "./reading_types.ts";

/** How a client finds its node and its files. Precedence: option, environment, default. */
export interface ClientOptions {
  /** Address of the node. @default SION_NODE, else `http://127.0.0.1:8400` */
  readonly node?: string;
  /** The folder of all state. @default SION_HOME, else `~/.sion` */
  readonly home?: string;
  readonly env: Environment;
  /** Chain identity to insist on, 64 hex digits. @default whatever the node serves */
  readonly chain?: string;
  /** Told what is waited for (`Pulse 205`), and `undefined` when nothing is any more. */
  readonly onWait?: (what: string | undefined) => void;
  /** Told what a person should know besides the answer: one sentence. */
  readonly onNote?: (note: string) => void;
  /** The way to the node. @default HTTP to `node` */
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly random?: Random;
}

/**
 * Carries one call of the RPC contract to a node: `params` are as `encodeRequest` takes them, the
 * answer is a JSON value.
 */
export type Transport = (
  method: MethodName,
  params: unknown,
  options: { readonly signal?: AbortSignal; readonly waitsMs: number },
) => Promise<unknown>;

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

/** A wallet's key change for a validator that it operates. */
export interface KeyRotation extends SignOptions {
  /** The operator's wallet. */
  readonly wallet: string;
  /** Id of the validator, or of a key that it has or had. */
  readonly validator: string;
  /** Secret: the 32 bytes that the new key derives from. */
  readonly seed: Uint8Array;
}

/** Transactions of one wallet, each a unit of its own, signed ahead and sent in order. */
export interface Transaction extends SignOptions {
  readonly wallet: string;
  readonly actions: readonly Action[];
  /** All actions in one unit under one signature; they execute and fail singly. @default false */
  readonly batch?: boolean;
}

/** A plain payment. */
export interface Payment extends SignOptions {
  /** A wallet of this machine. */
  readonly from: string;
  /** A wallet name (devnet) or an account. */
  readonly to: string;
  /** Micro-USD. */
  readonly amount: bigint;
  /**
   * An unfinished payment of as much to the same account, which an earlier process left behind, is
   * this one: it is finished, and nothing else is paid. @default false
   */
  readonly resume?: boolean;
}

/** One payment of a list. */
export interface ListedPayment {
  /** A wallet name (devnet) or an account. */
  readonly to: string;
  /** Micro-USD. */
  readonly amount: bigint;
  /** Where it stands, for errors. @default `payment <its number>` */
  readonly source?: string;
}

/** A list of payments of one wallet, up to 128 under one signature. */
export interface BatchPayment {
  /** A wallet of this machine. */
  readonly from: string;
  /** 1 to 10,000. */
  readonly payments: readonly ListedPayment[];
  /** Pay although the list was made before, and give up another that is not finished. @default false */
  readonly again?: boolean;
  /**
   * Called for each unit before it is signed, kept or sent, in order. What it throws stops the batch
   * there. The wallet is held meanwhile: it must not call the client.
   */
  readonly onSign?: (signing: BatchSigning) => void | Promise<void>;
  /** Called as outcomes are known, those of an earlier call of the same list first. */
  readonly onOutcome?: (outcome: Outcome, index: number) => void;
  /** Aborting stops the waiting; what was sent may still execute, and is kept. */
  readonly signal?: AbortSignal;
  /** How many Pulses from its signing each unit may execute in. @default 20 */
  readonly validForPulses?: number;
}

/** A unit of a batch that is about to be signed. */
export interface BatchSigning extends Omit<Signing, "intent"> {
  /** The batch's name, 16 hex digits. */
  readonly batch: string;
  /** Which part of the list, from 1, and of how many. */
  readonly part: number;
  readonly parts: number;
  readonly payments: number;
  /** Micro-USD of all its payments. */
  readonly amount: bigint;
  /** Micro-USD of all their fees. */
  readonly fee: bigint;
}

/** A batch whose payments all have an outcome. */
export interface BatchResult {
  readonly batch: string;
  /** One for each payment, in order. */
  readonly outcomes: readonly Outcome[];
  /** How many of them an earlier call of the same list had made. */
  readonly earlier: number;
}

/** A payment under a charter. */
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
  /** Session and call, for the receipt claim to name; both or neither. */
  readonly session?: string;
  readonly call?: string;
}

/** An amount that comes back over a period, bit by bit. */
export interface Refill {
  /** Micro-USD. */
  readonly amount: bigint;
  readonly periodMs: bigint;
}

/** A new agent with its budget. */
export interface NewAgent extends SignOptions {
  /** The wallet that stands above the agent and pays. */
  readonly principal: string;
  /** The agent's wallet: a name or an account. */
  readonly wallet: string;
  /** @default the wallet's name */
  readonly name?: string;
  /** Micro-USD put in the allotment. Without it the agent gets no charter. */
  readonly budget?: bigint;
  /** Wallet names or accounts that it may pay. @default anyone */
  readonly payees?: readonly string[];
  /** Micro-USD a payment. @default no limit but the bucket */
  readonly maxPayment?: bigint;
  /** What the bucket gets back over time. @default nothing, and the bucket holds the budget */
  readonly refill?: Refill;
  /** Pulses from now in which the charter holds. @default all */
  readonly expiresInPulses?: number;
  /** Micro-USD of fee money moved to the agent's account. @default 0.1 USD */
  readonly fees?: bigint;
}

/** A new agent's ids; `charter` and `allotment` are missing without a budget. */
export interface CreatedAgent {
  readonly agent: ObjectId;
  readonly charter?: ObjectId;
  readonly allotment?: ObjectId;
  /** In the order of signing. A failed one is the reason why later ones failed too. */
  readonly outcomes: readonly Outcome[];
}

/** A new claim. Beside its issuer's dual signature it can rest on more, any of which makes it false. */
export interface NewClaim extends SignOptions {
  /** A wallet of this machine. */
  readonly issuer: string;
  /** What it states. */
  readonly subject: string;
  /** @default `note/v1` */
  readonly schema?: string;
  /** Label of the issuer's bond that it rests on. */
  readonly bondLabel?: string;
  /** Ids of claims that it rests on, or their beginnings. */
  readonly restsOn?: readonly string[];
  /** Who may find it false: a wallet name or an account, with the label of its bond for that. */
  readonly adjudicator?: { readonly account: string; readonly label: string };
  /** Thousandths: how often its being false would be noticed. @default 1000 */
  readonly detection?: number;
  /** Pulses that it is valid for. @default 1000 */
  readonly holdsForPulses?: number;
}

/** What became of issuing a claim, with the claim's id where there is one. */
export type IssuedClaim = Outcome & { readonly claim?: ObjectId };

/** A claim that somebody may rely on. */
export interface ClaimQuestion {
  /** The claim's id, or a unique beginning of it. */
  readonly claim: string;
  /** Micro-USD that are lost if the claim is false. */
  readonly value: bigint;
  /** The safety factor κ, in millionths. @default 2,000,000 */
  readonly kappa?: bigint;
  /** Ids of atoms that are not trusted, or beginnings that are unique among the claim's. */
  readonly distrust?: readonly string[];
}

/** What it costs to corrupt something; micro-USD. */
export type CostValue = "Infinite" | { readonly Finite: number | bigint };

/** An atom that a claim rests on. */
export type AtomValue = {
  /** Micro-USD of the bond behind it; null for an atom that has none. */
  readonly bond: number | bigint | null;
  readonly cost: CostValue;
  readonly id: string;
  readonly trusted: boolean;
  /** As in `bond dana:tests`. */
  readonly what: string;
};

/** The value of `sion_assess_claim`: what the decision rule says of a claim. */
export type AssessedClaim = {
  readonly atoms: readonly AtomValue[];
  /** What the claim states. */
  readonly claim: string;
  readonly decision: {
    readonly accept: boolean;
    readonly adjudicator_cap: CostValue;
    readonly coc: { readonly exact: boolean; readonly high: CostValue; readonly low: CostValue };
    readonly detection_adjusted: CostValue;
    readonly effective: CostValue;
    readonly reasons: readonly string[];
    /** κ·V in micro-USD. */
    readonly required: number | bigint;
    readonly reservable: CostValue;
  };
  readonly status: string;
};

/** The value of `sion_status`. */
export type Status = StatusView;

/** The value of `sion_balance`. */
export type Balance = {
  readonly account: AccountId;
  /** Decimal amounts, one an asset. */
  readonly balances: readonly { readonly amount: string; readonly asset: string }[];
  readonly pulse: number;
};

/** One item of `sion_events`' value. */
export type LedgerEventValue = {
  readonly event: JsonValue;
  readonly pulse: number;
  /** The transaction that caused it; null for the system. */
  readonly tx: Digest | null;
};

/** The value of `sion_submit_intent`; without waiting only the first two are there. */
export type Submitted = {
  readonly digest: Digest;
  readonly intent: string;
  readonly pulse?: number;
  readonly receipt?: string;
  readonly status?: Outcome["status"];
};

/** A transaction's receipt, proven under the certificate of its Pulse. */
export type ReceiptValue = {
  /** Stake of a quorum and stake that signed, in whole USD. */
  readonly certificate: ProvenStake;
  readonly chain: string;
  /** Whether the chain is the one that was asked for. */
  readonly chain_pinned: boolean;
  readonly digest: Digest;
  readonly events: readonly JsonValue[];
  /** `success`, or why it failed. */
  readonly outcome: string;
  readonly pulse: number;
  readonly receipt: string;
  /** Always true: a receipt that cannot be proven is an error. */
  readonly verified: boolean;
};

/** A receipt with what proves it. */
export interface ReceiptProofValue {
  readonly receipt: Receipt;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Whether the identity was given from outside. */
  readonly pinned: boolean;
  readonly certificate: ProvenStake;
}

/** A transaction of anybody's, as the ledger is proven to have executed it. */
export interface ProvenTransaction {
  /** Who acted. */
  readonly account: AccountId;
  readonly kind: string;
  readonly body: unknown;
  readonly succeeded: boolean;
  readonly proof: SettlementProof;
}

/** A head that a light client came to trust. */
export type FollowedHead = {
  /** Claims in the knowledge log. */
  readonly claims: number;
  /** Digest of the header, 64 hex digits. */
  readonly header: string;
  readonly pulse: number;
  /** Pulses whose published data was sampled since the last head, each with 16 shares. */
  readonly sampled_pulses: number;
  readonly session: number;
  /** Stake that signed, and all of it, in whole USD. */
  readonly signed: number | bigint;
  readonly stake: number | bigint;
};

/** A unit signed without being sent. */
export type OfflineSigned = {
  readonly digest: Digest;
  readonly intent: string;
  /** What `submit` takes: hex of the canonical encoding. */
  readonly tx: string;
  readonly validUntil: bigint;
};

/** An object of the ledger as JSON, with its id and the name of its kind. */
export type ObjectValue = {
  readonly id: ObjectId;
  readonly kind: string;
  readonly object: { readonly [member: string]: JsonValue };
};

/** A charter with an allotment under it. */
export interface Purse {
  readonly charter: ObjectValue;
  readonly allotment: ObjectValue;
  /** Micro-USD left. */
  readonly balance: bigint;
}

/** A client of one node, with this machine's wallets. No I/O before a method is called. */
export interface Client extends Disposable {
  /** Address of the node. */
  readonly node: string;
  /** The folder of all state. */
  readonly home: string;
  /** Each method of the RPC contract. */
  readonly rpc: RpcCalls;
  status(options?: Abortable): Promise<Status>;
  balance(account: string, options?: Abortable): Promise<Balance>;
  /**
   * The first events from a Pulse on; without one the newest of the last 20 Pulses. In their order.
   * @param range `limit` @default 50
   */
  events(
    range: { readonly from?: number; readonly limit?: number },
    options?: Abortable,
  ): Promise<readonly LedgerEventValue[]>;
  /** Events as they happen, from a Pulse on (default: from the next), until the signal aborts. */
  followEvents(
    range: { readonly from?: number },
    options?: Abortable,
  ): AsyncIterable<LedgerEventValue>;
  /** An account by wallet name or 64 hex digits. @throws {SionError} `payee` */
  resolve(
    nameOrAccount: string,
    options?: Abortable & { readonly otherwise?: string },
  ): Promise<ResolvedAccount>;
  /** Names of accounts, as far as this machine knows them. */
  names(options?: Abortable): Promise<(id: string) => string | undefined>;
  /** Signs, keeps, sends, waits. One outcome for each action. */
  transact(transaction: Transaction): Promise<readonly Outcome[]>;
  pay(payment: Payment): Promise<Outcome>;
  /**
   * Pays a list, up to 128 payments under one signature; they execute and fail singly. Calling it
   * again with the same list after a crash goes on with what was begun and pays nothing twice, until
   * `endBatch` says that the outcome was told; then the list is refused unless `again` asks for it.
   * @throws {SionError} as `pay`, and `batch-open`, `batch-made`, `batch-busy`
   */
  payBatch(batch: BatchPayment): Promise<BatchResult>;
  /** Says that the outcome of a batch has reached whoever asked for it. */
  endBatch(batch: string): Promise<void>;
  /** A list signed for sending later, its units in order. Nothing of it is kept. */
  signBatchOffline(batch: BatchPayment): Promise<readonly OfflineSigned[]>;
  agentPay(payment: AgentPayment): Promise<Outcome>;
  /**
   * The fee, micro-USD, that `agentPay` would sign for now. Signs, keeps and finishes nothing.
   * @throws {SionError} as `agentPay`, when the money for it is not there
   */
  agentPayFee(payment: AgentPayment): Promise<bigint>;
  /**
   * Payments of several keyless agents in one batch under one signature, each at a member's fee. They
   * execute and fail singly; one outcome each, in order.
   */
  payTogether(payment: JointPayment): Promise<readonly Outcome[]>;
  /**
   * Fetches over HTTP what may charge through x402, and pays for it once if need be.
   * @throws {SionError} `PaidErrorCode`, `WebErrorCode`, and as `pay`
   */
  fetchPaid(asked: PaidFetch): Promise<FetchedResource>;
  /** Pays for an offer, or finds the payment that was made for it and that nobody took. */
  payOffer(asked: OfferPayment): Promise<SionPayload>;
  /** Says that the payment for an offer was taken, so that it is not shown again. */
  offerTaken(payment: SionPayload): Promise<void>;
  /** Makes several agents below one in one transaction, and moves fee money to them. */
  spawnAgents(spawn: AgentSpawn): Promise<SpawnedAgents>;
  /**
   * How a wallet acts for an agent: what signing takes beside it.
   * @throws {SionError} `argument` when the wallet does not act for it
   */
  actingFor(
    wallet: string,
    agent: ObjectValue,
    options?: Abortable,
  ): Promise<Pick<SignOptions, "keyless">>;
  /** The charter and allotment with the most money that an agent can pay from now, if any. */
  purse(agent: ObjectId, options?: Abortable): Promise<Purse | undefined>;
  createAgent(agent: NewAgent): Promise<CreatedAgent>;
  /** States something on the ledger. */
  issueClaim(claim: NewClaim): Promise<IssuedClaim>;
  /**
   * Applies the decision rule to a claim, with this reader's distrust. The rule is computed here, of
   * what the node says is in the state.
   */
  assessClaim(question: ClaimQuestion, options?: Abortable): Promise<AssessedClaim>;
  /** A claim by its id or the beginning of it. @throws {SionError} `not-found`, `node-error` */
  readClaim(claim: string, options?: Abortable): Promise<ReadClaim>;
  /** Gives a validator another key from its next session on. */
  rotateKey(rotation: KeyRotation): Promise<Outcome>;
  /** Signs the wallet's next transaction and neither keeps nor sends it. */
  signOffline(payment: Payment): Promise<OfflineSigned>;
  /** Sends a unit that was signed elsewhere. @throws {SionError} `transaction-hex`, `refused` */
  submitHex(
    tx: string,
    options?: {
      readonly wait?: boolean;
      readonly onIntent?: (intent: string, digest: string) => void;
      readonly signal?: AbortSignal;
    },
  ): Promise<Submitted>;
  /**
   * A transaction's receipt, waiting up to `waitMs`, proven as a light client does.
   * @param options `chain` is the identity to insist on. @default the client's
   * @throws {SionError} `not-found`, `pending`, `expired`, `not-certified`, `not-proven`
   */
  receipt(
    digest: string,
    options?: {
      readonly waitMs?: number;
      readonly chain?: string;
      readonly signal?: AbortSignal;
    },
  ): Promise<ReceiptValue>;
  /**
   * What the ledger did with a transaction of anybody's: proven, or `pending` while that may still
   * come, or `unknown`. Waits up to `waitMs`.
   * @throws {SionError} `not-proven`, `other-chain`
   */
  provenTransaction(
    digest: string,
    options: { readonly waitMs: number; readonly chain?: string } & Abortable,
  ): Promise<ProvenTransaction | "pending" | "unknown">;
  /**
   * Verifies a Pulse (the newest certified one unless given) as a light client: nine checks. What
   * does not hold is in the report, never an error.
   */
  verifyPulse(
    request: {
      readonly pulse?: number;
      readonly chain?: string;
      /** Told the receipts that the fifth check is of: where that holds they are the Pulse's. */
      readonly onReceipts?: (receipts: readonly Uint8Array[]) => void;
    },
    options?: Abortable,
  ): Promise<PulseReport>;
  /** What became of a transaction, with its proof, as it is known now. Nothing is sent or finished. */
  readTransaction(digest: string, options?: Abortable): Promise<TransactionReading>;
  /** What the newest certified state holds under a key, with its proof. Accounts have keys of their own. */
  readProven(key: string, options?: Abortable): Promise<ObjectReading>;
  /** The node's proofs as they are asked for, for whoever verifies by themselves. */
  proofSource(options?: Abortable): Promise<LightSource>;
  /**
   * Follows the pinned chain from the head that this machine trusts, a value for each new head,
   * until the signal aborts; with `once` only to the node's newest.
   * @throws {SionError} `not-proven`, `fork`, `withheld`, `behind`
   */
  followChain(options?: { readonly once?: boolean } & Abortable): AsyncIterable<FollowedHead>;
  /**
   * What became of a transaction that this machine may have sent: its outcome (waited for when it
   * is under way or still to be sent), or `undefined` when it never executes.
   */
  settle(digest: string, options?: Abortable): Promise<Outcome | undefined>;
  /** Devnet only: new money for an account. */
  faucet(account: string, amount: bigint, options?: Abortable): Promise<Outcome>;
  /** An object by its id, or by a unique beginning of it among objects of `kind`. */
  object(kind: string, id: string, options?: Abortable): Promise<ObjectValue>;
  /** All objects of a kind, or those whose member names an id. */
  objects(
    kind: string,
    where?: { readonly member: string; readonly equals: string },
    options?: Abortable,
  ): Promise<readonly ObjectValue[]>;
  /** Memory logs. */
  readonly memory: MemoryCalls;
  /** Task Charters: money in escrow for work. */
  readonly tasks: TaskCalls;
  /** Storage deals. */
  readonly storage: StorageCalls;
  /** Stake. */
  readonly stake: StakeCalls;
  /** This machine's wallets. */
  readonly wallets: WalletBook;
}

/** A wallet as lists show it. */
export interface WalletEntry {
  readonly name: string;
  readonly account: AccountId;
}

/** The seed files, with the accounts they stand for. */
export interface WalletBook {
  list(): Promise<readonly WalletEntry[]>;
  /** Makes a wallet with a fresh seed. @throws {SionError} `wallet-exists`, `wallet-name` */
  create(name: string): Promise<WalletEntry>;
  /** Keeps a given seed. */
  import(name: string, seed: Uint8Array): Promise<WalletEntry>;
  /** A wallet with a file, or a deterministic one of the node's devnet. */
  show(name: string, options?: Abortable): Promise<WalletEntry & { readonly file: boolean }>;
  /**
   * The devnet's wallet that a file of this name would stand in front of: one that every devnet
   * funds, or, where a devnet's node answers, one that has an account there.
   */
  shadowed(name: string, options?: Abortable): Promise<"funded" | "used" | undefined>;
  /** The file of a wallet, as messages show it. */
  path(name: string): Promise<string>;
}
