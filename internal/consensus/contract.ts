/**
 * What goes into a validator's state machine and what comes out. The caller owns clock, disk, keys
 * and sockets: it feeds inputs one at a time and carries out the effects of each in order.
 */
import type { AccountId, ObjectId } from "#internal/core/mod.ts";
import type {
  Ledger,
  LedgerEvent,
  LedgerState,
  Receipt,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import type {
  Accusation,
  CertificateClaim,
  Committee,
  Genesis,
  Header,
  LaneCertificate,
  PulseCertificate,
  SessionConfig,
} from "#internal/proofs/mod.ts";
import type { Block } from "./block.ts";
import type { Lock } from "./lane_order.ts";
import type { Message, Received } from "./message.ts";
import type { Reach } from "./reach.ts";
import type { OwnRow, StoredBlock } from "./records.ts";
import type { AnyStatementKind } from "./statement_kind.ts";

/** How a validator is made. */
export interface ValidatorOptions {
  readonly genesis: Genesis;
  readonly ledger: Ledger;
  /** Own dual public key: it signs in the sessions whose committee has it. Null only follows. */
  readonly key: Uint8Array | null;
  /**
   * 32 secret bytes that the validator's hash chains, and so its share of the beacon, are derived
   * from. Kept with the signing key. Not needed by a follower.
   */
  readonly chainSeed?: Uint8Array;
  /** What an earlier run of the same validator persisted. @default a fresh start */
  readonly restored?: Restored;
  /** Statement kinds. @default all of the product */
  readonly statements?: readonly AnyStatementKind[];
  /** Measures of pace and size; tests set their own. */
  readonly tuning?: Partial<Tuning>;
  /**
   * Another committee, or other distances, than the chain's: what a validator of other rules does.
   * @default those of the session and the protocol
   */
  readonly committee?: (real: Committee) => Committee;
  readonly reach?: Reach;
}

/** Measures of pace and size. None of them changes what is valid or how it is ordered. */
export interface Tuning {
  /** Blocks that may follow each other at once. */
  readonly burst: number;
  /** Time to a new token of the bucket, ms. */
  readonly refillMs: number;
  /** How long a round that can be made waits at most for what is being verified, ms. */
  readonly loadedMs: number;
  /** How long a block waits at most for the next unit when many come one after the other, ms. */
  readonly gatherMs: number;
  /** How long units count as recent, ms: by their number it is known whether many come. */
  readonly recentMs: number;
  /**
   * How long a block that no client waits for waits at most when many units came: it is made with the units
   * that come next.
   */
  readonly trailMs: number;
  /** How long a round waits for the blocks that are still missing of those who made the last one, ms. */
  readonly allMs: number;
  /** How long the validator that leaves a round out waits at most for the others to go on, ms. */
  readonly restMs: number;
  /** How long a round waits for its leader, ms; doubles while nothing commits. */
  readonly leaderMs: number;
  /** Upper bound of the doubling, ms. */
  readonly leaderMaxMs: number;
  /** Idle intervals between a validator's blocks, ms, and the quiet time that each needs. */
  readonly idle: readonly { readonly afterMs: number; readonly everyMs: number }[];
  /** Time after which what is missing is asked for again, of another peer, ms. */
  readonly retryMs: number;
  /** Bytes of units that wait for a place in this validator's blocks. */
  readonly queueBytes: number;
}

/** One thing that happened. `nowMs` is the caller's clock, which never runs backwards. */
export type Input =
  | { readonly type: "tick"; readonly nowMs: number }
  | {
    /**
     * Signatures of its blocks (see `checksOf`) or of its certificate (see `endClaim`), or
     * authorizations of its units, are verified by the caller.
     */
    readonly type: "message";
    readonly from: number;
    readonly message: Received;
    readonly nowMs: number;
  }
  | {
    /** A client's unit whose authorization the caller verified. */
    readonly type: "submit";
    readonly signed: SignedUnit;
    readonly forced?: boolean;
    readonly nowMs: number;
  }
  | {
    /** The answer to a `sign` effect. */
    readonly type: "signed";
    readonly digest: Uint8Array;
    readonly signature: Uint8Array;
    readonly nowMs: number;
  }
  | {
    /** Whether units or blocks are being verified by the caller: own blocks wait for them a while. */
    readonly type: "load";
    readonly waiting: boolean;
    readonly nowMs: number;
  };

/** What a client's submission came to. */
export type Answer =
  | { readonly type: "accepted" }
  | {
    /** Another unit holds one of its slots; the client completes that one first. */
    readonly type: "locked";
    readonly by: string;
  }
  | {
    /** `busy` may be tried again; others not. `executed` is no failure: look at the receipt. */
    readonly type: "refused";
    readonly code: string;
    readonly reason: string;
  };

/** One thing for the caller to do. */
export type Effect =
  /** Sign the digest with the validator's key, then feed `signed`. At most one is outstanding. */
  | { readonly type: "sign"; readonly digest: Uint8Array }
  /**
   * The own block with its signature and units, and rows, in one durable commit before any later
   * effect of the same list is carried out.
   */
  | { readonly type: "persist"; readonly block: StoredBlock; readonly rows: readonly OwnRow[] }
  /** Others' blocks with their units, to be committed no later than the next `persist` or `pulse`. */
  | { readonly type: "store"; readonly blocks: readonly StoredBlock[] }
  | { readonly type: "send"; readonly to: number | "all"; readonly message: Message }
  /**
   * Send these stored blocks and units, as far as they are there, in `blocks` and `units` messages of
   * bounded size.
   */
  | { readonly type: "serve"; readonly to: number; readonly request: ServeRequest }
  /** Send the certificate of this session's last Pulse, if it is there, in an `end` message. */
  | { readonly type: "hand-over"; readonly to: number | "all"; readonly session: number }
  | { readonly type: "answer"; readonly unit: string; readonly answer: Answer }
  /** A lane certificate exists: the unit will execute. `laneCertificate(unit)` builds it. */
  | { readonly type: "final"; readonly unit: string }
  /** The unit can no longer execute: expired, or its slot went to another. */
  | { readonly type: "dead"; readonly unit: string }
  | PulseEffect
  /** The next session began: its committee may be another, and the own key in it or not. */
  | { readonly type: "session"; readonly number: number }
  | { readonly type: "certified"; readonly number: number; readonly certificate: PulseCertificate }
  /**
   * Peers hold no more of the blocks that would lead on from here: take a snapshot, and go on with a
   * validator made anew from what it leaves in the store. Said again while nothing changes.
   */
  | { readonly type: "outrun" }
  /** A block does not hold, or not by what is known here yet; its author signed it. */
  | {
    readonly type: "refused";
    readonly author: number;
    readonly block: string;
    readonly reason: string;
  }
  /** Feed a tick at this time, replacing what was asked before. */
  | { readonly type: "wake"; readonly atMs: number }
  /** Something an operator must know. After `diverged` and `stale-key` nothing is signed any more. */
  | { readonly type: "alarm"; readonly code: AlarmCode; readonly text: string };

/**
 * - `diverged`: over a third of the stake signed another header for a Pulse.
 * - `stale-key`: there is a block of this key that the store does not hold: a peer showed it, or it
 *   was ordered.
 * - `equivocation`: a validator signed two things that contradict each other; what shows it is kept.
 */
export type AlarmCode = "diverged" | "stale-key" | "equivocation";

/** Which blocks and units a peer asked for. */
export interface ServeRequest {
  /** Block ids, 64 hex digits. */
  readonly ids: readonly string[];
  /** First round of a span, all authors; 0 for none. */
  readonly fromRound: number;
  /** Rounds in the span. */
  readonly rounds: number;
  /** Units' forms, 64 hex digits. */
  readonly units: readonly string[];
}

/** A Pulse executed. All of it goes into one transaction of the store. */
export interface PulseEffect {
  readonly type: "pulse";
  readonly number: number;
  readonly header: Header;
  readonly digest: Uint8Array;
  readonly receipts: readonly Receipt[];
  /** The encoding of each. */
  readonly receiptBytes: readonly Uint8Array[];
  /** The units whose members the receipts are of, by unit digest, as executed. */
  readonly units: ReadonlyMap<string, SignedUnit>;
  /** What the Pulse publishes; the header's data root is the root of the square over it. */
  readonly data: Uint8Array;
  /** In certified order, the statements of a quorum that decided each unit and settled slot. */
  readonly locks: readonly Lock[];
  readonly events: readonly LedgerEvent[];
  /** Canonical bytes of every object made or changed. */
  readonly changed: ReadonlyMap<ObjectId, Uint8Array>;
  /** Data of the leaves appended to the knowledge log, in order. */
  readonly knowledge: readonly Uint8Array[];
  readonly state: LedgerState;
  /** The state that it was executed on, and the keys that were read or written there. */
  readonly before: LedgerState;
  readonly touched: ReadonlySet<string>;
  /** What ordering goes on from; `Restored` needs the newest. */
  readonly tail: Uint8Array;
  /** Of a session's last Pulse: who signs in the next. */
  readonly nextSession: SessionConfig | null;
  /** Rows of the own state that the Pulse made obsolete. */
  readonly rows: readonly OwnRow[];
  /** Blocks of lower rounds are never needed again by this validator; peers may ask for them. */
  readonly keepFrom: number;
}

/** What a validator goes on from, as an earlier run persisted it. */
export interface Restored {
  /** Header of the newest executed Pulse. */
  readonly header: Header;
  readonly state: LedgerState;
  /** The newest Pulse's `tail`; undefined at Pulse 0. */
  readonly tail?: Uint8Array;
  /**
   * Stored blocks of rounds from the newest Pulse's `keepFrom` on, in any order, among them all that
   * its tail names; more do no harm.
   */
  readonly blocks: Iterable<StoredBlock>;
  /** Canonical bytes of a signed unit that stored blocks name. */
  readonly unit: (form: string) => Uint8Array | undefined;
  /** The validator's own newest block, to be sent again; undefined if there is none. */
  readonly own?: StoredBlock;
  /** Latest values of all own rows that are not deleted. */
  readonly rows: Iterable<
    { readonly table: string; readonly key: string; readonly value: Uint8Array }
  >;
  /** The newest certified Pulse. */
  readonly certified: number;
  /** Headers of Pulses after the certified one, ascending. */
  readonly uncertified: readonly Header[];
}

/** Facts about a validator, of this moment. */
export interface ValidatorStatus {
  /** The newest round of an own block; a follower's newest complete round. */
  readonly round: number;
  readonly pulse: number;
  readonly certified: number;
  readonly anchors: number;
  readonly session: number;
  readonly epoch: number;
  /** Last Pulse of the epoch, or null when it never ends. */
  readonly epochEnd: number | null;
  /** The Pulse at which the session is due to end, or null while none is set. */
  readonly sessionEnd: number | null;
  readonly beacon: Uint8Array;
  readonly forcedPending: number;
  readonly forcedOverdue: number;
  /** False for a follower, and once an alarm stopped the signing. */
  readonly signs: boolean;
  /** Units that wait, undecided ones of the order included. */
  readonly pending: number;
  /** Bytes of units that wait for a place in a block. */
  readonly queuedBytes: number;
  /** True while something waits to be executed or certified. */
  readonly busy: boolean;
  /** Blocks held in memory. */
  readonly blocks: number;
  /** Blocks that wait for a missing parent or unit. */
  readonly waiting: number;
}

/** Where a unit stands. */
export type UnitStanding = "unknown" | "pending" | "final" | "executed" | "dead";

/** A validator: pure and deterministic; the same inputs give the same effects. */
export interface Validator {
  /** The own place in the present committee; null of one that only follows in this session. */
  readonly self: number | null;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Never throws for anything that a peer or client sent. */
  step(input: Input): Effect[];
  /** False for a block that is known, refused or of no use: it need not be verified. */
  wants(block: Block): boolean;
  /** Whether a block that is here waits for the unit of this form: it goes before others. */
  needsUnit(form: string): boolean;
  /**
   * What another's certificate of the present session's last Pulse comes to, but for its signatures;
   * undefined when it is of no use.
   */
  endClaim(certificate: PulseCertificate): CertificateClaim | undefined;
  status(): ValidatorStatus;
  /** The newest executed state. */
  state(): LedgerState;
  /** Header of the newest executed Pulse. */
  header(): Header;
  /** Who signs in the present session. */
  session(): SessionConfig;
  /** The committee of a block's session: of the present one or, once it is known, of the next. */
  committeeOf(session: number): Committee | undefined;
  /** The first slot of an account that no pending unit known here takes. */
  nextSequence(account: AccountId): bigint;
  /** What certified units not yet executed may still spend of the account, micro-USD. */
  reserved(account: AccountId): bigint;
  standing(unit: string): UnitStanding;
  /** A certificate of a unit that is not long executed, if its Confirms are here. */
  laneCertificate(unit: string): LaneCertificate | undefined;
  /** Who was seen to contradict itself, once for each session; the newest 64. They outlive a restart. */
  accusations(): readonly Accusation[];
}
