/**
 * One honest validator as a process: the product's state machine, a disk, a clock of its own and a
 * signer. It carries out effects in order, and whatever comes while a commit is under way waits.
 */
import type { Answer, Effect, Input, PulseEffect, Validator } from "#internal/consensus/mod.ts";
import type {
  Message,
  Received,
  Restored,
  ServeRequest,
  StoredBlock,
  TakenSnapshot,
} from "#internal/consensus/mod.ts";
import { packBlocks, packUnits } from "#internal/consensus/mod.ts";
import type { SignedUnit } from "#internal/ledger/mod.ts";
import type { PulseCertificate } from "#internal/proofs/mod.ts";
import type { Disk } from "./disk.ts";
import type { SnapshotChain } from "./snapshots.ts";
import { HostSnapshots } from "./snapshots.ts";
import type { Timeline } from "./timeline.ts";

/** What happens at a host that others want to know of. */
export interface HostEvents {
  /** An own block is on its way to the disk. */
  made?(block: StoredBlock): void;
  send(to: number | "all", message: Message): void;
  answer(unit: string, answer: Answer): void;
  final(unit: string): void;
  dead(unit: string): void;
  pulse(effect: PulseEffect): void;
  session?(number: number): void;
  certified(number: number, certificate: PulseCertificate): void;
  refused(author: number, block: string, reason: string): void;
  alarm(code: string, text: string): void;
  /** A snapshot is on its way to the disk. */
  taken?(snapshot: TakenSnapshot): void;
  refusedSnapshot?(from: number, reason: string): void;
}

/** What a host is made with. */
export interface HostOptions {
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly make: (restored?: Restored) => Validator;
  readonly read: (disk: Disk) => Restored;
  readonly events: HostEvents;
  readonly sign: (digest: Uint8Array) => Uint8Array;
  /** This machine's clock; it may jump. */
  readonly clockMs: () => number;
  /** How long the next signature, and the next commit, take. */
  readonly signMs: () => number;
  readonly commitMs: () => number;
  /** A planted fault: what comes after a commit does not wait for the disk. */
  readonly hasty: boolean;
  /** A planted fault when false: who leaves a session takes nobody along. @default true */
  readonly handsOver?: boolean;
  readonly self: number;
  readonly chain: SnapshotChain;
}

type InputWithoutTime = Input extends infer I ? I extends Input ? Omit<I, "nowMs"> : never : never;

/** A validator's process. */
export class Host {
  validator: Validator;
  readonly disk: Disk;
  readonly #options: HostOptions;
  #up = true;
  /** Counts crashes: what was asked for by an earlier life never comes. */
  #life = 0;
  #inbox: InputWithoutTime[] = [];
  #effects: Effect[] = [];
  #committing = false;
  #running = false;
  /** Timers replace each other. */
  #alarm = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Of the snapshot's client, likewise. */
  #reminder = 0;
  /** Something about snapshots to be done in turn. */
  #isReminded = false;
  /** A snapshot is on its way to the disk: the validator is made anew from it. */
  #isTaken = false;
  readonly #snapshots: HostSnapshots;

  constructor(options: HostOptions) {
    this.#options = options;
    this.disk = options.disk;
    this.validator = options.make();
    const { self, chain, events, disk, clockMs } = options;
    this.#snapshots = new HostSnapshots({
      ...chain,
      self,
      disk,
      validator: () => this.validator,
      nowMs: clockMs,
      wake: (atMs) => this.#remind(atMs),
      send: (to, message) => events.send(to, message),
      refused: (peer, reason) => events.refusedSnapshot?.(peer, reason),
      taken: (snapshot) => {
        events.taken?.(snapshot);
        this.#isTaken = true;
        this.#effects = [];
        this.#commit({ rows: [], snapshot });
      },
    });
  }

  get up(): boolean {
    return this.#up;
  }
  start(): void {
    this.feed({ type: "tick" });
  }
  submit(signed: SignedUnit, forced: boolean): void {
    this.feed({ type: "submit", signed, forced });
  }
  /** The newest own block again, for a peer that may have missed it. */
  greet(to: number): void {
    const { own } = this.disk;
    if (!this.#up || own === undefined) return;
    this.#options.events.send(to, { type: "blocks", blocks: [own] });
  }

  feed(input: InputWithoutTime): void {
    if (!this.#up) return;
    this.#inbox.push(input);
    this.#run();
  }

  /** Whether a block is of use here. */
  wants(block: Parameters<Validator["wants"]>[0]): boolean {
    return this.validator.wants(block) || this.#snapshots.client.wants(block);
  }

  #remind(atMs: number): void {
    const reminder = ++this.#reminder;
    this.#later(atMs - this.#options.clockMs(), () => {
      if (reminder !== this.#reminder) return;
      this.#isReminded = true;
      this.#run();
    });
  }

  /** @param share of the unsynced writes that survive, 0 to 1. */
  crash(share: number): void {
    this.#up = false;
    this.#life++;
    this.#inbox = [];
    this.#effects = [];
    this.#committing = false;
    this.#isTaken = false;
    this.#isReminded = false;
    this.#snapshots.client.end();
    this.disk.crash(share);
  }
  restart(): void {
    this.validator = this.#options.make(this.#options.read(this.disk));
    this.#up = true;
    this.#lastMs = Number.NEGATIVE_INFINITY;
    this.start();
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#up && !this.#committing) {
        if (this.#isTaken) this.#goOn();
        if (this.#isReminded) {
          this.#isReminded = false;
          this.#snapshots.client.tick();
          continue;
        }
        const effect = this.#effects.shift();
        if (effect !== undefined) {
          this.#carryOut(effect);
          continue;
        }
        const input = this.#inbox.shift();
        if (input === undefined) break;
        if (input.type === "message" && this.#isAboutSnapshots(input.from, input.message)) continue;
        // As the driver does: a machine's time never runs backwards, whatever its clock does.
        this.#lastMs = Math.max(this.#lastMs, this.#options.clockMs());
        this.#effects = this.validator.step({ ...input, nowMs: this.#lastMs } as Input);
      }
    } finally {
      this.#running = false;
    }
  }

  /** As at a start: from what the disk holds. */
  #goOn(): void {
    this.#isTaken = false;
    this.validator = this.#options.make(this.#options.read(this.disk));
    this.#inbox.unshift({ type: "tick" });
  }

  #isAboutSnapshots(from: number, message: Received): boolean {
    const { shelf, client } = this.#snapshots;
    if (message.type === "blocks") { for (const block of message.blocks) client.block(block); }
    if (message.type === "units") client.units(message.units);
    if (message.type === "part") client.part(from, message);
    if (message.type === "ask") {
      const part = shelf.answer(from, message, this.#options.clockMs());
      if (part !== undefined) this.#options.events.send(from, { type: "part", ...part });
    }
    // What it takes replaces the validator, which then asks for what it misses.
    return message.type === "part" || message.type === "ask" || this.#isTaken;
  }

  #later(delayMs: number, run: () => void): void {
    const life = this.#life;
    this.#options.timeline.after(Math.max(0, delayMs), () => {
      if (this.#life === life) run();
    });
  }

  #commit(write: Parameters<Disk["begin"]>[0]): void {
    const { commitMs, hasty } = this.#options;
    this.disk.begin(write);
    const delayMs = commitMs();
    if (delayMs <= 0 && !hasty) return this.disk.sync();
    if (hasty) return this.#later(delayMs, () => this.disk.sync());
    this.#committing = true;
    this.#later(delayMs, () => {
      this.disk.sync();
      this.#committing = false;
      this.#run();
    });
  }

  #carryOut(effect: Effect): void {
    const { events, sign, signMs } = this.#options;
    switch (effect.type) {
      case "sign": {
        const { digest } = effect;
        this.#later(signMs(), () => this.feed({ type: "signed", digest, signature: sign(digest) }));
        return;
      }
      case "persist":
        events.made?.(effect.block);
        return this.#commit({ rows: effect.rows, own: effect.block });
      case "store":
        return this.disk.addBlocks(effect.blocks);
      case "send":
        return events.send(effect.to, effect.message);
      case "serve":
        return this.#serve(effect.to, effect.request);
      case "hand-over":
        if (this.#options.handsOver !== false) this.#handOver(effect.to, effect.session);
        return;
      case "answer":
        return events.answer(effect.unit, effect.answer);
      case "final":
        return events.final(effect.unit);
      case "dead":
        return events.dead(effect.unit);
      case "pulse":
        events.pulse(effect);
        this.#snapshots.executed(effect.number, effect.state, effect.tail);
        return this.#commit({ rows: effect.rows, pulse: effect });
      case "session":
        return events.session?.(effect.number);
      case "certified":
        this.disk.addCertificate(effect.certificate);
        this.#snapshots.certified(effect.number);
        return events.certified(effect.number, effect.certificate);
      case "outrun":
        return this.#snapshots.client.begin();
      case "refused":
        return events.refused(effect.author, effect.block, effect.reason);
      case "alarm":
        return events.alarm(effect.code, effect.text);
      case "wake": {
        const alarm = ++this.#alarm;
        this.#later(effect.atMs - this.#lastMs, () => {
          if (alarm === this.#alarm) this.feed({ type: "tick" });
        });
      }
    }
  }

  #handOver(to: number | "all", session: number): void {
    for (const { certificate } of this.disk.steps(session)) {
      return this.#options.events.send(to, { type: "end", certificate });
    }
  }

  #serve(to: number, { ids, fromRound, rounds, units }: ServeRequest): void {
    const found: StoredBlock[] = [];
    for (const block of this.disk.blocks()) {
      const inSpan = fromRound > 0 && block.round >= fromRound && block.round < fromRound + rounds;
      if (inSpan || ids.includes(block.id)) found.push(block);
    }
    const { events } = this.#options;
    const bytes = units.flatMap((form) => this.disk.unit(form) ?? []);
    for (const message of packUnits(bytes)) events.send(to, message);
    for (const message of packBlocks(found)) events.send(to, message);
    const lowest = this.disk.lowestRound();
    if (fromRound > 0 && lowest !== undefined && lowest > fromRound) {
      events.send(to, { type: "held", fromRound: lowest });
    }
  }
}
