/** What one validator's file holds, and what is asked of it. */
import type { OwnRow, StoredBlock } from "#internal/consensus/mod.ts";

/** An object of the ledger's state as it is kept; `refs` are the ids it names, by role. */
export interface KeptObject {
  readonly id: string;
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly refs: Readonly<Record<string, string | null>>;
}

/** Transactions executed since genesis. */
export interface ExecutedCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly void: number;
}

/** An executed Pulse as it is kept. */
export interface KeptPulse {
  readonly number: number;
  /** The header's canonical bytes. */
  readonly header: Uint8Array;
  /** Receipts, units and events, in an encoding of the node's. */
  readonly contents: Uint8Array;
  /** Totals after this Pulse. */
  readonly executed: ExecutedCounts;
  /** Events in it. */
  readonly eventCount: number;
}

/** What a Pulse changes, in one transaction. */
export interface PulseCommit extends KeptPulse {
  /** Digest of each receipt, in order. */
  readonly digests: readonly string[];
  readonly objects: Iterable<KeptObject>;
  /** Data of the leaves appended to the knowledge log from `knowledgeSize` on. */
  readonly knowledge: readonly Uint8Array[];
  readonly knowledgeSize: number;
  /** What ordering goes on from. */
  readonly tail: Uint8Array;
  /** Blocks of lower rounds are not needed to go on. */
  readonly keepFrom: number;
  readonly rows: readonly OwnRow[];
  /** Blocks of lower rounds are dropped, but the newest own one; so are units kept until then. */
  readonly dropBlocksBelow: number;
  readonly published: PublishedPulse;
  /** Witness of the World Proof, dropped with what is published. */
  readonly witness: Uint8Array;
  /** The session that ends with this Pulse. */
  readonly endsSession?: SessionEnd;
  /**
   * Certificates of lower Pulses are dropped, but the first of every 64 Pulses and those of sessions'
   * last Pulses.
   */
  readonly dropCertificatesBelow: number;
  /** What lower Pulses published is dropped. */
  readonly dropPublishedBelow: number;
}

/** The end of a session, kept for ever. */
export interface SessionEnd {
  readonly session: number;
  /** Who signs in the session after it, in an encoding of the node's. */
  readonly next: Uint8Array;
}

/** A certified Pulse that was not executed here, with all that going on from it takes. */
export interface SnapshotImport {
  readonly number: number;
  /** Canonical bytes. */
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
  /** Certificates of last Pulses of sessions, as far as they were not known. */
  readonly ends: readonly (SessionEnd & {
    readonly number: number;
    readonly certificate: Uint8Array;
  })[];
  /** All objects. */
  readonly objects: Iterable<KeptObject>;
  /** Data of all leaves of the knowledge log. */
  readonly knowledge: readonly Uint8Array[];
  readonly tail: Uint8Array;
  readonly keepFrom: number;
  /** Blocks that the tail names. */
  readonly blocks: readonly StoredBlock[];
  /** Blocks of others of lower rounds are dropped: not all are held. */
  readonly wholeFrom: number;
}

/** What light clients sample and check of a Pulse, kept for a while. */
export interface PublishedPulse {
  /** The bytes under the data root. */
  readonly data: Uint8Array;
  /** What decided each unit and slot, in an encoding of the node's. */
  readonly locks: Uint8Array;
  /** A proof of one account of the state. */
  readonly state: Uint8Array;
}

/** Which store this is; set when it is made and checked at every start. */
export interface StoreIdentity {
  /** Random, also in the key's file: key and store name each other. Empty in a follower's. */
  readonly store: string;
  /** Empty in a store that was made with its key and has not been opened for a chain yet. */
  readonly chain: string;
  readonly format: number;
}

/** A validator's file. All calls are synchronous and belong to one thread. */
export interface NodeState extends Disposable {
  readonly identity: StoreIdentity;
  /** Queues blocks, with the units that they bring, for the next commit. */
  addBlocks(blocks: readonly StoredBlock[]): void;
  /** Queues a certificate for the next commit. */
  addCertificate(number: number, bytes: Uint8Array): void;
  /** Own block, the units that it brings, and statements. */
  commitOwn(block: StoredBlock, rows: readonly OwnRow[]): void;
  commitPulse(pulse: PulseCommit): void;
  /**
   * Goes on from another Pulse, in one transaction: objects, knowledge log and tail are replaced; own
   * rows and blocks stay, and so do headers, receipts and certificates of earlier Pulses.
   */
  importSnapshot(snapshot: SnapshotImport): void;
  /** What is queued. */
  flush(): void;
  /** Keeps the first proof of bad encoding of a Pulse, for ever; durable when it returns. */
  keepBadEncoding(number: number, proof: Uint8Array): void;

  /**
   * The newest executed Pulse; undefined before the first. Of one that was taken as a snapshot the
   * contents are empty.
   */
  newestPulse(): KeptPulse | undefined;
  /** An executed Pulse whose contents are here. */
  pulse(number: number): KeptPulse | undefined;
  /** Numbers of Pulses with events from `from` on, ascending. */
  pulsesWithEvents(from: number, limit: number): readonly number[];
  header(number: number): Uint8Array | undefined;
  certificate(number: number): Uint8Array | undefined;
  /** The lowest Pulse from `number` on whose certificate is kept. */
  certificateFrom(
    number: number,
  ): { readonly number: number; readonly bytes: Uint8Array } | undefined;
  published(number: number): PublishedPulse | undefined;
  /** The proof that a certified header of this number is over data that is none. */
  badEncoding(number: number): Uint8Array | undefined;
  /** Witness of a Pulse's World Proof. */
  witness(number: number): Uint8Array | undefined;
  /** The last Pulse of a session that is over, and who signs after it. */
  endOfSession(session: number): { readonly number: number; readonly next: Uint8Array } | undefined;
  newestCertificate(): number;
  /** `tail` and `keepFrom` of the newest Pulse. */
  tail(): { readonly bytes: Uint8Array; readonly keepFrom: number } | undefined;
  /** Places that may hold the receipt of a digest: few, and usually one or none. */
  receiptPlaces(digest: string): readonly { readonly pulse: number; readonly index: number }[];

  objects(): Iterable<readonly [id: string, bytes: Uint8Array]>;
  /** Ids of objects of a kind above `after`, ascending, optionally those naming `equals` as `role`. */
  objectIds(query: ObjectQuery): readonly string[];
  /** Data of the knowledge log's leaves from place `from` on. @param from @default 0 */
  knowledge(from?: number): Iterable<Uint8Array>;

  block(id: string): StoredBlock | undefined;
  /** Canonical bytes of the signed unit of a form. */
  unit(form: string): Uint8Array | undefined;
  hasUnit(form: string): boolean;
  /** Blocks of rounds `from` to `to`, both included, ascending. */
  blocksOfRounds(from: number, to: number): Iterable<StoredBlock>;
  newestOwnBlock(): StoredBlock | undefined;
  /** The lowest round from which on all blocks of others are here; undefined without any. */
  lowestRound(): number | undefined;
  ownRows(): Iterable<{ readonly table: string; readonly key: string; readonly value: Uint8Array }>;
}

/** A page of object ids. */
export interface ObjectQuery {
  readonly kind: string;
  readonly where?: { readonly role: string; readonly equals: string };
  readonly after?: string;
  readonly limit: number;
}
