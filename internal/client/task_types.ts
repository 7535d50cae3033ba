/** What a client offers of tasks. */
import type { AccountId, ObjectId, TASK_STATES } from "#internal/core/mod.ts";
import type { Abortable, Outcome, SignOptions } from "./outcome_types.ts";

/** A task to be posted. Accounts are wallet names (devnet) or 64 hex digits. */
export interface NewTask extends SignOptions {
  /** The poster's wallet; the agent's, with a charter. */
  readonly wallet: string;
  /** Micro-USD in escrow. */
  readonly amount: bigint;
  /** Who alone can be paid. @default anyone: a bounty */
  readonly worker?: string | undefined;
  /** The description, of which the ledger gets the hash. @default none */
  readonly spec?: Uint8Array | undefined;
  /** Ids of claims that every result rests on, or their beginnings. */
  readonly requires?: readonly string[] | undefined;
  /** Whose attestations count. */
  readonly verifiers?: readonly string[] | undefined;
  /**
   * Who judges results: `carol:judge`, or the id of the adjudicator atom, or its beginning.
   * @default nobody
   */
  readonly adjudicator?: string | undefined;
  /** The safety factor κ, in millionths. @default 2,000,000 */
  readonly kappa?: bigint | undefined;
  /** Thousandths. @default 900 */
  readonly detection?: number | undefined;
  /** Pulses that what backs a paid result stays reserved. @default 1000 */
  readonly reliancePulses?: number | undefined;
  /** Pulses that it can be settled for. @default 1000 */
  readonly deadlinePulses?: number | undefined;
  /** The agent's budget to post from: ids, or their beginnings; both or neither. */
  readonly charter?: string | undefined;
  readonly allotment?: string | undefined;
}

/** What one wallet hands in or does for a task, named by its id or the beginning of it. */
interface OfTask extends SignOptions {
  readonly wallet: string;
  readonly task: string;
}

/** A verifier's word that an output passes. */
export interface NewAttestation extends OfTask {
  /** The bytes that were handed in, of which the ledger gets the hash. */
  readonly output: Uint8Array;
  /** @default `verifier` */
  readonly bondLabel?: string | undefined;
  /** Whose result alone may rest on it. @default the task's worker; of a bounty anyone's */
  readonly worker?: string | undefined;
}

/** A worker's result. */
export interface NewResult extends OfTask {
  readonly output: Uint8Array;
  /** Ids of claims, or their beginnings, in order. */
  readonly attestations?: readonly string[] | undefined;
}

/** A result to be paid for. */
export interface TaskSettlement extends OfTask {
  /** Id of the result's claim, or its beginning. */
  readonly result: string;
  /** @default those that the result lists */
  readonly attestations?: readonly string[] | undefined;
}

/** The value of `sion_task_show`: a task with its rule and how it stands. */
export type TaskValue = {
  readonly adjudicator: {
    readonly account: AccountId;
    /** Id of the adjudicator atom. */
    readonly atom: string;
    readonly label: string;
  } | null;
  readonly allotment: ObjectId | null;
  readonly charter: ObjectId | null;
  /** The last Pulse in which it can be settled. */
  readonly deadline: number;
  readonly detection_permille: number;
  /** Decimal USD: what is paid for a result, and held while the task is open. */
  readonly escrow: string;
  /** Decimal. */
  readonly kappa: string;
  readonly paid: {
    readonly pulse: number;
    /** The last Pulse in which the backing is held. */
    readonly reserved_until: number;
    readonly result: ObjectId;
    readonly worker: AccountId;
  } | null;
  readonly posted: number;
  readonly poster: AccountId;
  /** The Pulse in which the escrow went back. */
  readonly refunded: number | null;
  readonly reliance_pulses: number;
  readonly requires: readonly ObjectId[];
  /** SHA-256 of the description. */
  readonly spec: string | null;
  readonly state: (typeof TASK_STATES)[number];
  readonly task: ObjectId;
  readonly verifiers: readonly AccountId[];
  readonly worker: AccountId | null;
};

/** A result or an attestation of a task. */
export type TaskClaim = {
  readonly claim: ObjectId;
  /** The Pulse it was issued in. */
  readonly issued: number;
  readonly issuer: AccountId;
  /** SHA-256 of the bytes that were handed in. */
  readonly output: string;
  /** As of any claim: `Active`, and what else it may be. */
  readonly status: string;
  /** Of an attestation, for whom alone it counts. */
  readonly worker: AccountId | null;
};

/** What was stated of a task's outputs, the oldest first. */
export type TaskClaims = {
  readonly attestations: readonly TaskClaim[];
  readonly results: readonly TaskClaim[];
};

/** Tasks that are looked for. */
export interface TaskQuestion {
  /** Only those that this account posted. */
  readonly poster?: string | undefined;
  /** Only those for this worker, or that paid it. */
  readonly worker?: string | undefined;
}

/** What has to do with tasks. Foreseeable failures are refused before anything is signed. */
export interface TaskCalls {
  post(task: NewTask): Promise<Outcome & { readonly task?: ObjectId }>;
  attest(attestation: NewAttestation): Promise<Outcome & { readonly claim?: ObjectId }>;
  submit(result: NewResult): Promise<Outcome & { readonly claim?: ObjectId }>;
  settle(settlement: TaskSettlement): Promise<Outcome>;
  refund(refund: OfTask): Promise<Outcome>;
  show(task: string, options?: Abortable): Promise<TaskValue>;
  list(asked: TaskQuestion, options?: Abortable): Promise<readonly TaskValue[]>;
  /** What was handed in for a task, and who attested it. @param task its id, 64 hex digits. */
  claims(task: ObjectId, options?: Abortable): Promise<TaskClaims>;
}
