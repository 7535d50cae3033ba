/** What an agent's tools need of the ledger. `client_ledger.ts` is the real one. */
import type {
  Abortable,
  AssessedClaim,
  ClaimQuestion,
  FetchedResource,
  KeptMemory,
  LedgerEventValue,
  MemoryBox,
  NewAtom,
  NewAttestation,
  NewResult,
  NewTask,
  Outcome,
  PaidFetch,
  Recalled,
  Remembered,
  SignOptions,
  TaskSettlement,
  TaskValue,
} from "#internal/client/mod.ts";

/** The agent's money and limits, as of a Pulse. Amounts are decimal USD. */
export interface Budget {
  /** What the allotment still holds. */
  readonly budget_remaining_usd: string;
  /** The charter it pays under. */
  readonly charter: string;
  /** The last Pulse it may pay in; null: no end. */
  readonly expires_at_pulse: number | null;
  /** What its account holds for fees. */
  readonly fee_money_usd: string;
  /** The most one payment may be; null: no limit of its own. */
  readonly max_payment_usd: string | null;
  /** Who it may pay, by name where known; null: anyone. */
  readonly payees: readonly string[] | null;
  readonly pulse: number;
  /** What its bucket lets through now, and the allotment holds. */
  readonly spendable_now_usd: string;
  /** `good`, or why the ledger refuses its payments now. */
  readonly standing: string;
}

/** A transaction that was signed: kept before it is sent. */
export interface SignedTransaction {
  readonly transaction: string;
  /** Digest of the unit it is in. */
  readonly unit: string;
  /** What was signed, as a sentence. */
  readonly intent: string;
  readonly wallet: string;
  readonly sequence: bigint;
  readonly validUntil: bigint;
}

/** How a call that signs is watched. */
export interface Acting {
  /** Called when it is signed and before it can be sent; throwing sends nothing. */
  readonly onSigned: (signed: SignedTransaction) => void;
  readonly signal: AbortSignal;
}

/** A payment out of the agent's allotment. */
export interface AgentPayment extends Acting {
  /** A wallet name (devnet) or an account. */
  readonly to: string;
  /** Micro-USD. */
  readonly amount: bigint;
  readonly purpose: string;
  /** The session and the call that make it; its receipt claim names them. */
  readonly session: string;
  readonly call: string;
}

/** What the agent itself says of a call; who acts and how it is watched comes from elsewhere. */
type Own<T> = Omit<T, keyof SignOptions | "wallet" | "charter" | "allotment">;

/** What is asked of a URL that may charge. */
export type AgentFetch = Own<Pick<PaidFetch, "url" | "most" | "reach">>;

/** The agent's memory logs, whose files are on this machine. */
export interface AgentMemory {
  list(): Promise<readonly KeptMemory[]>;
  open(acting: Acting): Promise<Outcome>;
  remember(atom: Own<NewAtom>, options: Abortable): Promise<Remembered>;
  commit(log: string, acting: Acting): Promise<Outcome>;
  /** Of the agent's own logs. */
  recall(
    asked: MemoryBox & { readonly log: string },
    options: Abortable,
  ): Promise<Pick<Recalled, "value" | "outside">>;
}

/** Tasks, as the agent posts them out of its allotment and works for those of others. */
export interface AgentTasks {
  show(task: string, options: Abortable): Promise<TaskValue>;
  /** Those that the agent posted, or that are for it; else all. */
  list(as: "poster" | "worker" | undefined, options: Abortable): Promise<readonly TaskValue[]>;
  post(task: Own<NewTask>, acting: Acting): Promise<Outcome & { readonly task?: string }>;
  attest(
    given: Own<NewAttestation>,
    acting: Acting,
  ): Promise<Outcome & { readonly claim?: string }>;
  submit(given: Own<NewResult>, acting: Acting): Promise<Outcome & { readonly claim?: string }>;
  settle(given: Own<TaskSettlement>, acting: Acting): Promise<Outcome>;
  refund(task: string, acting: Acting): Promise<Outcome>;
}

/** The ledger as one agent acts on it. Failures are thrown as the client's errors. */
export interface AgentLedger {
  budget(signal: AbortSignal): Promise<Budget>;
  /** The fee of a payment as it would be signed now, micro-USD. */
  payFee(payment: Omit<AgentPayment, "onSigned">): Promise<bigint>;
  /** Pays and waits for the receipt, a failed one included. */
  pay(payment: AgentPayment): Promise<Outcome>;
  /**
   * What became of a payment that was signed, completing it where it is on its way. `not-made`: it
   * was not sent and never will be. `unknown`: nobody can say yet.
   */
  outcome(
    signed: SignedTransaction,
    signal: AbortSignal,
  ): Promise<Outcome | "not-made" | "unknown">;
  /** What the decision rule says of a claim. */
  assess(question: ClaimQuestion, options: Abortable): Promise<AssessedClaim>;
  events(
    range: { readonly from?: number; readonly limit: number },
    options: Abortable,
  ): Promise<readonly LedgerEventValue[]>;
  /** Fetches over HTTP, and pays out of the allotment at most once if the server charges. */
  fetchPaid(asked: AgentFetch, acting: Acting): Promise<FetchedResource>;
  /** Whether a payment for a fetch is still kept, to be shown when the same is fetched again. */
  isShownAgain(transaction: string): Promise<boolean>;
  readonly memory: AgentMemory;
  readonly tasks: AgentTasks;
}
