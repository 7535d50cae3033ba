/**
 * One snapshot on its way here. Nothing is believed of whoever sends it: the certificate is reached
 * from a known session, everything else is checked against the certified header, each part as it
 * comes as far as it can be. A fault is the sender's.
 */
import { concatBytes, equalBytes, toHex } from "#internal/core/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import { objectHash, restoreState } from "#internal/ledger/mod.ts";
import type { LogPeaks } from "#internal/merkle/mod.ts";
import {
  EMPTY_LOG,
  logAppend,
  logPeaksRoot,
  logRoot,
  SparseTree,
  verifySparseMulti,
} from "#internal/merkle/mod.ts";
import type {
  ClaimedSignature,
  Committee,
  Header,
  ProvenSession,
  PulseCertificate,
  SessionStep,
} from "#internal/proofs/mod.ts";
import {
  FORMAT_VERSION,
  hasConfigOf,
  isLastOfSession,
  lastRoundOf,
  MAX_OBJECT_BYTES,
  readPulseCertificate,
  readStep,
} from "#internal/proofs/mod.ts";
import { floorAfter } from "../committer.ts";
import { HORIZON_ROUNDS } from "../reach.ts";
import type { Block } from "../block.ts";
import { storedBlock } from "../block.ts";
import type { StoredBlock } from "../records.ts";
import { UNIT_ROUNDS } from "../records.ts";
import type { Tail } from "../tail.ts";
import { decodeTail, orderedIds, tailHash } from "../tail.ts";
import type { PartBody, SnapshotPart, SnapshotWhat } from "./wire.ts";
import {
  MAX_TAIL_BYTES,
  MAX_WHOLE_OBJECT_BYTES,
  OBJECT_EXTRA_BYTES,
  PART_BYTES,
  PART_LEAVES,
} from "./wire.ts";

/** A snapshot that holds, with what was needed to show that. */
export interface TakenSnapshot {
  readonly certificate: PulseCertificate;
  /** From the session that was known to the Pulse's, in order. */
  readonly steps: readonly SessionStep[];
  readonly state: LedgerState;
  /** Every object's canonical bytes, by the state's key. */
  readonly objects: readonly (readonly [key: string, bytes: Uint8Array])[];
  /** Data of all leaves of the knowledge log. */
  readonly leaves: readonly Uint8Array[];
  readonly tail: Uint8Array;
  /** As in `PulseEffect`. */
  readonly keepFrom: number;
  /** Of lower rounds, blocks of others are not needed and not all held. */
  readonly wholeFrom: number;
  /** Blocks that the tail names and that were not held, with the units that they name. */
  readonly blocks: readonly StoredBlock[];
}

/** What a download begins with. */
export interface DownloadOptions {
  readonly ledger: Ledger;
  /** Chain identity, 32 bytes. */
  readonly chain: Uint8Array;
  readonly shards: number;
  /** A session of the chain whose validators are known. */
  readonly known: ProvenSession;
  /** Whether a block is in the store, with its signature verified. */
  isHeld(block: string): boolean;
  /** Whether a unit is, of which this is the form. */
  isUnitHeld(form: string): boolean;
}

/** What came of a part: what is wrong with it, or the signatures that it rests on. */
export type Taken =
  | { readonly ok: true; readonly signatures: readonly ClaimedSignature[] }
  | { readonly ok: false; readonly reason: string };

type Stage = "offer" | "steps" | "tail" | "leaves" | "objects" | "complete";

/** An object that comes in pieces; its hash is proven, its size is only said. */
interface LargeObject {
  readonly key: string;
  readonly hash: Uint8Array;
  readonly size: number;
}

const fault = (reason: string): Taken => ({ ok: false, reason });
const fine = (signatures: readonly ClaimedSignature[] = []): Taken => ({ ok: true, signatures });

/** A snapshot as far as it is here. */
export class SnapshotDownload {
  readonly #options: DownloadOptions;
  #stage: Stage = "offer";
  #offer: PartBody<"offer"> | undefined;
  /** By session: of the newest ones that are reached. */
  readonly #sessions = new Map<number, ProvenSession>();
  #newest: ProvenSession;
  readonly #steps: SessionStep[] = [];
  #tail: Uint8Array = new Uint8Array(0);
  /** Parts of the tail or pieces of an object, and the bytes of them. */
  #pieces: Uint8Array[] = [];
  #filled = 0;
  #keepFrom = 0;
  #wholeFrom = 0;
  readonly #leaves: Uint8Array[] = [];
  #log: LogPeaks = EMPTY_LOG;
  #shard = 0;
  #after: string | null = null;
  /** Of the shard that is under way. */
  #entries: (readonly [Uint8Array, Uint8Array])[] = [];
  readonly #objects: [key: string, bytes: Uint8Array][] = [];
  #large: LargeObject[] = [];
  #isShardDone = false;
  /** Blocks that the tail names and that are not here yet. */
  readonly missing = new Set<string>();
  /** Forms of units that these name and that are not here yet. */
  readonly missingUnits = new Set<string>();
  readonly #blocks: Block[] = [];
  /** Canonical bytes of units by their forms. */
  readonly #units = new Map<string, Uint8Array>();

  constructor(options: DownloadOptions) {
    this.#options = options;
    this.#newest = options.known;
    this.#sessions.set(options.known.config.session, options.known);
  }

  /** The Pulse; undefined before the offer. */
  get header(): Header | undefined {
    return this.#offer?.certificate.header;
  }

  /** What to ask for next; undefined when all but blocks and units is here. */
  next(): SnapshotWhat | undefined {
    switch (this.#stage) {
      case "offer":
        return { kind: "offer", body: {} };
      case "steps":
        return { kind: "steps", body: { session: this.#newest.config.session } };
      case "tail":
        return { kind: "tail", body: { from: this.#filled } };
      case "leaves":
        return { kind: "leaves", body: { from: this.#log.size } };
      case "objects": {
        const [large] = this.#large;
        return large === undefined
          ? { kind: "objects", body: { shard: this.#shard, after: this.#after } }
          : { kind: "piece", body: { key: large.key, from: this.#filled } };
      }
      case "complete":
        return undefined;
    }
  }

  /**
   * Takes the part that `next` asked for. The signatures that it names have to hold before another
   * one is asked for. Nothing that a peer sent throws here.
   */
  take(part: SnapshotPart["part"]): Taken {
    switch (part.kind) {
      case "offer":
        return this.#takeOffer(part.body);
      case "steps":
        return this.#takeSteps(part.body);
      case "tail":
        return this.#takeTail(part.body);
      case "leaves":
        return this.#takeLeaves(part.body);
      case "objects":
        return this.#takeObjects(part.body);
      case "piece":
        return this.#takePiece(part.body);
      case "none":
        return fault("it is not shown");
    }
  }

  /** The committee of a session that is reached. */
  committeeOf(session: number): Committee | undefined {
    return this.#sessions.get(session)?.committee;
  }

  /** Takes a block that is missing; its signatures hold. */
  takeBlock(block: Block): void {
    if (!this.missing.delete(block.id)) return;
    this.#blocks.push(block);
    for (const { form } of block.body.units) {
      if (!this.#units.has(form) && !this.#options.isUnitHeld(form)) this.missingUnits.add(form);
    }
  }

  /** Takes a unit that is missing; its authorization holds. */
  takeUnit(form: string, bytes: Uint8Array): void {
    if (this.missingUnits.delete(form)) this.#units.set(form, bytes);
  }

  #takeOffer(offer: PartBody<"offer">): Taken {
    const { chain, shards, known } = this.#options;
    const { header } = offer.certificate;
    if (header.version !== FORMAT_VERSION) return fault("it has another format version");
    if (!equalBytes(header.chain, chain)) return fault("it is of another chain");
    if (header.session < known.config.session) return fault("it is of a session that is over");
    if (offer.shards.length !== shards) return fault("it has another number of shards");
    if (!equalBytes(logRoot(offer.shards), header.stateRoot)) {
      return fault("its shards' roots are not those of its header");
    }
    if (offer.tail > MAX_TAIL_BYTES) return fault("its tail is too long");
    this.#offer = offer;
    return this.#isReached(header) ? this.#takeCertificate([]) : this.#goOn("steps");
  }

  #isReached(header: Header): boolean {
    const last = header.session + (isLastOfSession(header) ? 1 : 0);
    return this.#newest.config.session >= last;
  }

  #takeSteps({ steps }: PartBody<"steps">): Taken {
    const { header } = this.#offered;
    const signatures: ClaimedSignature[] = [];
    if (steps.length === 0) return fault("the sessions before it are not shown");
    for (const step of steps) {
      if (this.#isReached(header)) return fault("it shows more sessions than lead to it");
      const claim = readStep(this.#newest, step, this.#options.chain);
      if (typeof claim === "string") {
        return fault(`the end of session ${this.#newest.config.session} is not proven: ${claim}`);
      }
      signatures.push(...claim.signatures);
      this.#steps.push(step);
      this.#sessions.delete(this.#newest.config.session - 1);
      this.#newest = claim.session;
      this.#sessions.set(claim.session.config.session, claim.session);
    }
    return this.#isReached(header) ? this.#takeCertificate(signatures) : fine(signatures);
  }

  /** The session is reached: the certificate is the header's, if the signatures hold. */
  #takeCertificate(before: readonly ClaimedSignature[]): Taken {
    const { certificate, header } = this.#offered;
    const own = this.#sessions.get(header.session);
    const next = this.#sessions.get(header.session + 1);
    if (own === undefined) return fault("its session is not proven");
    if (!hasConfigOf(header, own, next)) return fault("it is of other validators or parameters");
    const { chain } = this.#options;
    const { config: { session }, committee } = own;
    const claim = readPulseCertificate(certificate, { chain, session, committee });
    if (!claim.ok) return fault(`its certificate does not hold: ${claim.reason}`);
    this.#goOn("tail");
    return fine([...before, ...claim.signatures]);
  }

  #takeTail({ bytes }: PartBody<"tail">): Taken {
    const { tail: size } = this.#offered.offer;
    if (bytes.length !== Math.min(PART_BYTES, size - this.#filled)) {
      return fault("a part of its tail has another length");
    }
    this.#addPiece(bytes);
    if (this.#filled < size) return fine();
    this.#tail = this.#joinPieces();
    return this.#readTail();
  }

  #addPiece(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#filled += bytes.length;
  }
  #joinPieces(): Uint8Array {
    const whole = concatBytes(...this.#pieces);
    this.#pieces = [];
    this.#filled = 0;
    return whole;
  }

  #readTail(): Taken {
    const { header } = this.#offered;
    if (!equalBytes(tailHash(this.#tail), header.tail)) {
      return fault("its tail is not that of its header");
    }
    let tail: Tail;
    try {
      tail = decodeTail(this.#tail, this.#options.ledger);
    } catch {
      // A quorum signed for it: whoever sent it is not to blame, and it is of no use here.
      return fault("its tail cannot be read here");
    }
    // After a session's last Pulse the tail is that of the next session, which has no blocks yet.
    const nextRound = lastRoundOf(Number(header.number)) + 1;
    const isLast = isLastOfSession(header);
    const { lastAnchor } = tail.facts;
    this.#keepFrom = isLast ? nextRound : floorAfter(lastAnchor, tail.firstRound);
    this.#wholeFrom = isLast ? nextRound : Math.max(tail.firstRound, lastAnchor - HORIZON_ROUNDS);
    for (const id of orderedIds(tail)) if (!this.#options.isHeld(id)) this.missing.add(id);
    return this.#goOn(header.knowledgeSize > 0n ? "leaves" : "objects");
  }

  #takeLeaves({ leaves }: PartBody<"leaves">): Taken {
    const { header } = this.#offered;
    const left = header.knowledgeSize - this.#log.size;
    if (BigInt(leaves.length) !== (left < PART_LEAVES ? left : BigInt(PART_LEAVES))) {
      return fault("a part of its knowledge log has another length");
    }
    for (const leaf of leaves) {
      this.#log = logAppend(this.#log, leaf);
      this.#leaves.push(leaf);
    }
    if (this.#log.size < header.knowledgeSize) return fine();
    return equalBytes(logPeaksRoot(this.#log), header.knowledgeRoot)
      ? this.#goOn("objects")
      : fault("its knowledge log is not that of its header");
  }

  #takeObjects({ objects, proof, more }: PartBody<"objects">): Taken {
    const root = this.#offered.offer.shards[this.#shard] as Uint8Array;
    const entries: (readonly [Uint8Array, Uint8Array])[] = [];
    const large: LargeObject[] = [];
    let after = this.#after;
    let size = OBJECT_EXTRA_BYTES * objects.length;
    for (const { key, value } of objects) {
      const name = toHex(key);
      if (after !== null && name <= after) return fault("its objects are not in order");
      after = name;
      if (value.kind === "whole") {
        size += value.body.length;
        entries.push([key, objectHash(value.body)]);
        continue;
      }
      if (value.body.size <= MAX_WHOLE_OBJECT_BYTES || value.body.size > MAX_OBJECT_BYTES) {
        return fault("an object has an impossible size");
      }
      entries.push([key, value.body.hash]);
      large.push({ key: name, ...value.body });
    }
    // Each part moves on, so that there can be only as many as a state has.
    if (more && size <= PART_BYTES - MAX_WHOLE_OBJECT_BYTES - OBJECT_EXTRA_BYTES) {
      return fault("a part of its objects is too short");
    }
    if (!verifySparseMulti(root, entries, proof)) {
      return fault("an object is not that of its header");
    }
    for (const { key, value } of objects) {
      if (value.kind === "whole") this.#objects.push([toHex(key), value.body]);
    }
    this.#entries.push(...entries);
    this.#large = large;
    this.#after = after;
    this.#isShardDone = !more;
    return large.length > 0 ? fine() : this.#endPart();
  }

  #takePiece({ bytes }: PartBody<"piece">): Taken {
    const [large] = this.#large;
    if (large === undefined) return fault("it was not asked for");
    const { key, hash, size } = large;
    if (bytes.length !== Math.min(PART_BYTES, size - this.#filled)) {
      return fault("a piece of an object has another length");
    }
    this.#addPiece(bytes);
    if (this.#filled < size) return fine();
    const whole = this.#joinPieces();
    if (!equalBytes(objectHash(whole), hash)) {
      return fault("a large object is not that of its header");
    }
    this.#objects.push([key, whole]);
    this.#large.shift();
    return this.#large.length > 0 ? fine() : this.#endPart();
  }

  /** All objects of a part are here: on to the next shard, if it was the last of this one. */
  #endPart(): Taken {
    if (!this.#isShardDone) return fine();
    const { shards } = this.#offered.offer;
    const tree = SparseTree.empty.setMany(this.#entries);
    if (!equalBytes(tree.root(), shards[this.#shard] as Uint8Array)) {
      return fault("objects are missing");
    }
    this.#entries = [];
    this.#after = null;
    this.#isShardDone = false;
    this.#shard++;
    return this.#shard < shards.length ? fine() : this.#goOn("complete");
  }

  /** The snapshot, once nothing is missing. @throws {TypeError} before */
  finish(): TakenSnapshot {
    if (this.#stage !== "complete" || this.missing.size > 0 || this.missingUnits.size > 0) {
      throw new TypeError("Cannot finish: the snapshot is not complete");
    }
    const { certificate, header } = this.#offered;
    const state = restoreState(this.#options.ledger, {
      shards: this.#options.shards,
      objects: this.#objects,
      knowledge: this.#log,
    });
    if (!equalBytes(state.root(), header.stateRoot)) {
      throw new TypeError("Cannot finish: the state is not that of the header");
    }
    return {
      certificate,
      steps: this.#steps,
      state,
      objects: this.#objects,
      leaves: this.#leaves,
      tail: this.#tail,
      keepFrom: this.#keepFrom,
      wholeFrom: this.#wholeFrom,
      blocks: this.#blocks.map((block) => this.#stored(block)),
    };
  }

  #stored(block: Block): StoredBlock {
    const until = block.header.round + UNIT_ROUNDS;
    return storedBlock(
      block,
      block.body.units.map(({ form }) => ({ form, bytes: this.#units.get(form), until })),
    );
  }

  get #offered() {
    const offer = this.#offer;
    if (offer === undefined) {
      throw new TypeError("Cannot go on with a snapshot: nothing was offered");
    }
    const { certificate } = offer;
    return { offer, certificate, header: certificate.header };
  }

  #goOn(stage: Stage): Taken {
    this.#stage = stage;
    return fine();
  }
}
