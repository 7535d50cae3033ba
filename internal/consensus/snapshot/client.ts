/**
 * Takes a snapshot from the validators that can be asked, one after the other, until one holds. Pure:
 * time, messages and verification are the caller's. Who sends something wrong is named and not asked
 * again; who does not answer, or has none, is passed over.
 */
import type { ClaimedSignature, Committee, ProvenSession } from "#internal/proofs/mod.ts";
import type { Block } from "../block.ts";
import type { Message, SharedUnit } from "../message.ts";
import { MAX_WANTED } from "../message.ts";
import type { DownloadOptions, TakenSnapshot } from "./download.ts";
import { SnapshotDownload } from "./download.ts";
import type { SnapshotPart, SnapshotWhat } from "./wire.ts";

/**
 * How long an answer may take at first, in units of the time after which blocks are asked for again; it doubles
 * whenever all who can be asked were, {@link MAX_DOUBLINGS} times: who answers may have much to do.
 */
const PATIENCE = 3;
const MAX_DOUBLINGS = 3;
/** How often one part is asked for before another validator is. */
const MAX_TRIES = 6;
/**
 * How often each validator is asked for blocks or units before another snapshot is: those that nobody keeps
 * any more never come, and a newer snapshot needs others.
 */
const MAX_ROUNDS = 2;
/** The same before anything came: who answers at all is worth more patience than who may be down. */
const MAX_OFFER_TRIES = 2;

/** What a client works with. */
export interface SnapshotClientOptions
  extends Pick<DownloadOptions, "ledger" | "chain" | "shards" | "isHeld" | "isUnitHeld"> {
  /** The newest session whose validators are known. */
  known(): ProvenSession;
  /** The newest executed Pulse: a snapshot is of a later one. */
  pulse(): number;
  /** Validators that can be asked, this one not among them. */
  peers(): readonly number[];
  /** `Tuning.retryMs`. */
  readonly retryMs: number;
  nowMs(): number;
  /** Calls `tick` at this time, replacing what was asked before. */
  wake(atMs: number): void;
  send(to: number, message: Message): void;
  /** Verifies signatures and says, once, whether all hold. */
  verify(signatures: readonly ClaimedSignature[], done: (hold: boolean) => void): void;
  /** A validator sent something that is wrong, whatever it may have meant. */
  refused(peer: number, reason: string): void;
  /** A whole snapshot that holds, of a Pulse after the newest executed one. */
  taken(snapshot: TakenSnapshot): void;
}

/** One attempt with one validator. */
interface Attempt {
  readonly peer: number;
  readonly download: SnapshotDownload;
  /** Who is asked for blocks and units, and for which. */
  blocksFrom: number;
  batch: readonly string[];
  /** What was asked for and has not come; undefined while signatures are verified. */
  asked: SnapshotWhat | "blocks" | "units" | undefined;
  tries: number;
  atMs: number;
  /** Asks for parts that were sent and not answered. */
  owedParts: number;
}

/** Takes a snapshot when it is told to. */
export class SnapshotClient {
  readonly #options: SnapshotClientOptions;
  readonly #bad = new Set<number>();
  #attempt: Attempt | undefined;
  /** Attempts since this began, and who was asked last. */
  #attempts = 0;
  #last = -1;

  constructor(options: SnapshotClientOptions) {
    this.#options = options;
  }

  /** True while one is being taken. */
  get isRunning(): boolean {
    return this.#attempt !== undefined;
  }

  /** Whether this validator owes a part: each ask is answered once at most. */
  expectsPart(peer: number): boolean {
    return this.#attempt?.peer === peer && this.#attempt.owedParts > 0;
  }

  /** Begins, unless it has. */
  begin(): void {
    if (this.#attempt !== undefined) return;
    this.#attempts = 0;
    this.#next();
  }

  /** Gives up. */
  end(): void {
    this.#attempt = undefined;
  }

  /** Asks again for what did not come in time. */
  tick(): void {
    const attempt = this.#attempt;
    if (attempt?.asked === undefined) return;
    const dueMs = this.#dueMs(attempt);
    if (this.#options.nowMs() < dueMs) return this.#options.wake(dueMs);
    if (isOfAnybody(attempt)) attempt.blocksFrom = this.#after(attempt.blocksFrom);
    if (++attempt.tries >= this.#maxTries(attempt)) return this.#next();
    this.#ask(attempt);
  }

  /** A part came. One that was not asked for, or not any more, is passed over. */
  part(from: number, { pulse, part }: SnapshotPart): void {
    const attempt = this.#attempt;
    if (attempt === undefined || from !== attempt.peer) return;
    attempt.owedParts--;
    const { asked, download } = attempt;
    if (asked === undefined || typeof asked === "string") return;
    if (download.header !== undefined && pulse !== download.header.number) return;
    if (part.kind === "none") return this.#next();
    if (!answers(part, asked)) return;
    if (part.kind === "offer") {
      const { number } = part.body.certificate.header;
      if (number !== pulse) return this.#refuse(attempt, "it is another Pulse's than it says");
      // Not wrong, but of no use: its sender may itself be behind.
      if (Number(number) <= this.#options.pulse()) return this.#next();
    }
    const taken = download.take(part);
    if (!taken.ok) return this.#refuse(attempt, taken.reason);
    attempt.tries = 0;
    if (taken.signatures.length === 0) return this.#goOn(attempt);
    attempt.asked = undefined;
    this.#options.verify(taken.signatures, (hold) => {
      if (this.#attempt !== attempt) return;
      if (hold) this.#goOn(attempt);
      else this.#refuse(attempt, "a signature of its certificates is invalid");
    });
  }

  /** The committee of a session that the snapshot under way has proven: who signs its blocks. */
  committeeOf(session: number): Committee | undefined {
    return this.#attempt?.download.committeeOf(session);
  }

  /** Whether a block is one that the snapshot needs. */
  wants({ id }: Pick<Block, "id">): boolean {
    return this.#attempt?.download.missing.has(id) === true;
  }

  /** A block came; its signatures hold. */
  block(block: Block): void {
    const attempt = this.#attempt;
    if (attempt === undefined || !attempt.download.missing.has(block.id)) return;
    attempt.download.takeBlock(block);
    this.#came(attempt, "blocks", attempt.download.missing);
  }

  /** Whether the snapshot needs the unit of this form. */
  needsUnit(form: string): boolean {
    return this.#attempt?.download.missingUnits.has(form) === true;
  }

  /** Units came; their authorizations hold. */
  units(units: readonly SharedUnit[]): void {
    const attempt = this.#attempt;
    for (const { signed, bytes } of units) {
      const form = this.#options.ledger.formOf(signed);
      if (attempt === undefined || !attempt.download.missingUnits.has(form)) continue;
      attempt.download.takeUnit(form, bytes);
      this.#came(attempt, "units", attempt.download.missingUnits);
    }
  }

  /** Something came that anybody could have sent: on to the next batch once all of it has. */
  #came(attempt: Attempt, what: "blocks" | "units", missing: ReadonlySet<string>): void {
    attempt.tries = 0;
    if (this.#attempt !== attempt || attempt.asked !== what) return;
    attempt.atMs = this.#options.nowMs();
    if (!attempt.batch.some((id) => missing.has(id))) this.#goOn(attempt);
  }

  #goOn(attempt: Attempt): void {
    const { download } = attempt;
    const isWhole = download.missing.size === 0 && download.missingUnits.size === 0;
    if (!isWhole || download.next() !== undefined) return this.#ask(attempt);
    const snapshot = download.finish();
    this.#attempt = undefined;
    if (Number(snapshot.certificate.header.number) > this.#options.pulse()) {
      this.#options.taken(snapshot);
    }
  }

  /** Blocks and their units first: they are not kept as long as a snapshot is shown. */
  #ask(attempt: Attempt): void {
    const { download, peer } = attempt;
    const what = download.next();
    const pulse = download.header?.number ?? 0n;
    attempt.atMs = this.#options.nowMs();
    if (download.missing.size > 0) {
      this.#want(attempt, "blocks", download.missing);
    } else if (download.missingUnits.size > 0) {
      this.#want(attempt, "units", download.missingUnits);
    } else if (what !== undefined) {
      attempt.asked = what;
      attempt.owedParts++;
      this.#options.send(peer, { type: "ask", pulse, what });
    }
    this.#options.wake(this.#dueMs(attempt));
  }

  #want(attempt: Attempt, what: "blocks" | "units", missing: ReadonlySet<string>): void {
    const batch = [...missing].slice(0, MAX_WANTED);
    attempt.asked = what;
    attempt.batch = batch;
    this.#options.send(attempt.blocksFrom, {
      type: "want",
      session: attempt.download.header?.session ?? 0,
      ids: what === "blocks" ? batch : [],
      fromRound: 0,
      rounds: 0,
      units: what === "units" ? batch : [],
    });
  }

  #maxTries(attempt: Attempt): number {
    if (attempt.download.header === undefined) return MAX_OFFER_TRIES;
    return isOfAnybody(attempt) ? MAX_ROUNDS * this.#options.peers().length : MAX_TRIES;
  }

  #dueMs(attempt: Attempt): number {
    const asked = isOfAnybody(attempt) ? this.#options.peers().length : 1;
    const doublings = Math.min(Math.floor(attempt.tries / asked), MAX_DOUBLINGS);
    return attempt.atMs + PATIENCE * this.#options.retryMs * 2 ** doublings;
  }

  #refuse({ peer }: Attempt, reason: string): void {
    this.#bad.add(peer);
    this.#options.refused(peer, reason);
    this.#next();
  }

  /** On to another validator; after two rounds it ends, and may be told to begin again. */
  #next(): void {
    const peers = this.#options.peers();
    this.#attempt = undefined;
    if (this.#attempts++ >= 2 * peers.length) return;
    if (peers.every((peer) => this.#bad.has(peer))) this.#bad.clear();
    let peer = this.#after(this.#last);
    while (this.#bad.has(peer)) peer = this.#after(peer);
    this.#last = peer;
    const { ledger, chain, shards, known, isHeld, isUnitHeld } = this.#options;
    const download = new SnapshotDownload({
      ledger,
      chain,
      shards,
      known: known(),
      isHeld,
      isUnitHeld,
    });
    const attempt: Attempt = {
      peer,
      download,
      blocksFrom: peer,
      batch: [],
      asked: undefined,
      tries: 0,
      atMs: 0,
      owedParts: 0,
    };
    this.#attempt = attempt;
    this.#ask(attempt);
  }

  /** The validator after one, in a circle. */
  #after(peer: number): number {
    const peers = this.#options.peers();
    return peers.find((other) => other > peer) ?? peers[0] ?? peer;
  }
}

/** Whether it waits for what any validator may have. */
function isOfAnybody({ asked }: Attempt): boolean {
  return typeof asked === "string";
}

/** Whether a part is the one that was asked for. */
function answers(part: SnapshotPart["part"], asked: SnapshotWhat): boolean {
  switch (part.kind) {
    case "none":
    case "offer":
      return part.kind === asked.kind;
    case "steps":
      return part.kind === asked.kind && part.body.session === asked.body.session;
    case "tail":
      return part.kind === asked.kind && part.body.from === asked.body.from;
    case "leaves":
      return part.kind === asked.kind && part.body.from === asked.body.from;
    case "objects":
      return part.kind === asked.kind && part.body.shard === asked.body.shard &&
        part.body.after === asked.body.after;
    case "piece":
      return part.kind === asked.kind && part.body.key === asked.body.key &&
        part.body.from === asked.body.from;
  }
}
