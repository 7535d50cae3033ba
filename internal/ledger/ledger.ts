/** The ledger as its users see it: one value made from the registries of kinds. */
import type { AccountId, Codec, Digest, JsonValue } from "#internal/core/mod.ts";
import type { AnyTxKind, Consent } from "./kind.ts";
import type { AnyObjectKind, LedgerObject, Moment } from "./object_kind.ts";
import type { SessionMember } from "./objects/validator_set.ts";
import type { LedgerEvent, Receipt } from "./receipt.ts";
import type { Names } from "./sentences.ts";
import type { ShardLeaf } from "./shard_leaf.ts";
import type { LedgerState } from "./state.ts";
import type { Authorization, Member, SignedUnit, Slot, Unit } from "./unit.ts";

/** What a validator knows besides the state when it considers a vote. */
export interface VoteContext {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** The newest executed Pulse. */
  readonly head: bigint;
  /** What certified units that have not executed may still spend of a key of {@link Votable}. */
  reservedOf(key: SpendKey): bigint;
}

/**
 * Whose money: an account's id for USD, `<account>/<asset>` for any other asset. Callers only add up
 * and hand back.
 */
export type SpendKey = string;

/** Why a unit gets no vote. Each costs nothing. */
export type RefusalCode =
  | "chain"
  | "expired"
  | "far"
  | "shape"
  | "authorization"
  | "slot"
  | "fee"
  | "balance";

/** The verdict on a unit: what it may spend at most, fees included, or why it gets no vote. */
export type Votable =
  | { readonly ok: true; readonly spend: ReadonlyMap<SpendKey, bigint> }
  | { readonly ok: false; readonly code: RefusalCode; readonly reason: string };

/**
 * One thing the order executes, in certified order: a unit (`forced` when it was settled without
 * votes: it executes the same, but nobody checked that it can pay), or a slot settled without one.
 */
export type Ordered =
  | { readonly type: "unit"; readonly signed: SignedUnit; readonly forced: boolean }
  | { readonly type: "void"; readonly account: AccountId; readonly sequence: bigint };

/** What a Pulse is executed from. */
export interface PulseInput extends Moment {
  /** Public randomness of this Pulse, 32 bytes. */
  readonly beacon: Uint8Array;
  readonly ordered: readonly Ordered[];
  /** It is its session's last. @default false */
  readonly closesSession?: boolean;
}

/** Roots that go into the header. */
export interface PulseRoots {
  readonly state: Uint8Array;
  readonly knowledge: Uint8Array;
  readonly knowledgeSize: bigint;
  readonly receipts: Uint8Array;
  readonly leaves: Uint8Array;
}

/** What executing a Pulse came to. */
export interface PulseOutput {
  readonly state: LedgerState;
  /** In certified order, void slots too. */
  readonly receipts: readonly Receipt[];
  /** The encoding of each. Not to be changed. */
  readonly receiptBytes: readonly Uint8Array[];
  /** A transaction changed a validator: the session is to end `ROTATION_PULSES` later, if not before. */
  readonly endsSession: boolean;
  /** Of a session's last Pulse the next one's committee, in its order. */
  readonly committee: readonly SessionMember[] | null;
  /** In the receipts' order; a claim's `ClaimIssued` (`tx` null) follows its transaction's events. */
  readonly events: readonly LedgerEvent[];
  readonly roots: PulseRoots;
  /** One for each shard, in order. */
  readonly leaves: readonly ShardLeaf[];
  /** Canonical bytes of all that was made or changed, by the state's key. */
  readonly changed: ReadonlyMap<string, Uint8Array>;
  /** Data of the leaves appended to the knowledge log, in order. */
  readonly knowledge: readonly Uint8Array[];
  /** The state's keys of all that was read or written, absent ones too. */
  readonly touched: ReadonlySet<string>;
}

/** A unit with its policy, signed or not: what fees and sentences need. */
export interface PolicedUnit {
  readonly unit: Unit;
  readonly authorization: Pick<Authorization, "policy">;
}

/** The rules of one chain. Pure; safe to share. */
export interface Ledger {
  /** All transaction kinds, by ascending tag. */
  readonly kinds: readonly AnyTxKind[];
  /** All object kinds, by ascending tag. */
  readonly objects: readonly AnyObjectKind[];
  /** @throws {TypeError} on an unknown kind, or a body that no state could accept. */
  encodeSigned(signed: SignedUnit): Uint8Array;
  /** @throws {SionError} `codec` unless `bytes` are the one encoding of a well-formed signed unit. */
  decodeSigned(bytes: Uint8Array): SignedUnit;
  /**
   * Names a unit as it is signed: 64 hex digits over the encoded signed unit. One unit has as many
   * forms as it has authorizations.
   */
  formOf(signed: SignedUnit): string;
  encodeUnit(unit: Unit): Uint8Array;
  /** @throws {SionError} `codec` unless `bytes` are the one encoding of a well-formed unit. */
  decodeUnit(bytes: Uint8Array): Unit;
  /** What is signed: 64 hex digits over the encoded unit. */
  unitDigest(unit: Unit): string;
  /** The digest of each member's transaction. */
  memberDigests(unit: Unit): readonly Digest[];
  /** Micro-USD of each member: the floor and what its kind adds. */
  fees(signed: PolicedUnit): readonly bigint[];
  /** `Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.` */
  intent(signed: PolicedUnit, names: Names): string;
  /** `Done: paid 1.5 USD to bob; fee 0.0011 USD.`, or how it failed. */
  outcome(receipt: Receipt, member: Member | undefined, names: Names): string;
  /**
   * An event, as JSON or decoded, as a sentence: `paid 1.5 USD to bob`. Undefined when it is not one
   * of this ledger's: newer, or not what an event is.
   */
  event(event: unknown, names: Names): string | undefined;
  /** Whether a validator can vote for it; whose the signatures are is `verifyAuthorization`'s to say. */
  checkForVote(state: LedgerState, signed: SignedUnit, context: VoteContext): Votable;
  /**
   * Executes one Pulse.
   * @throws {LedgerError} `sequence` when a unit or void slot is not the next of its account;
   * `supply` when a kind made or lost money.
   */
  execute(state: LedgerState, input: PulseInput): PulseOutput;
  readonly receiptCodec: Codec<Receipt>;
  encodeObject(object: LedgerObject): Uint8Array;
  /** @throws {SionError} `codec` unless `bytes` are the one encoding of an object. */
  decodeObject(bytes: Uint8Array): LedgerObject;
  /** The object for clients, with its `kind`. */
  viewObject(object: LedgerObject, at: Moment): { readonly [key: string]: JsonValue };
  /** The id that an object has by what it says; undefined where its kind has ids of another sort. */
  idOf(object: LedgerObject): string | undefined;
  /** Ids the object names, by role (`principal`, `agent`, `parent`, …). */
  refsOf(object: LedgerObject): Readonly<Record<string, string | null>>;
  /** Signatures that the bodies of a unit hold, to be verified with its authorization. */
  consents(unit: Unit): readonly Consent[];
  /** Slots of a unit, in the order of its members. */
  slots(unit: Unit): readonly Slot[];
}
