/**
 * One run: the product's validators under a plan, with oracles that look at every step. The same
 * plan under the same rules gives the same run, number for number.
 */
import type { Block, Message, Received } from "#internal/consensus/mod.ts";
import {
  checksOf,
  createBlockCodec,
  createValidator,
  decodeMessage,
  encodeMessage,
  statementKinds,
} from "#internal/consensus/mod.ts";
import { equalBytes, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import type { ClaimedSignature, Genesis } from "#internal/proofs/mod.ts";
import { genesisOf, validatorId } from "#internal/proofs/mod.ts";
import { START_MS } from "../ledger/_world.ts";
import { ChainOracle } from "./chain_oracle.ts";
import { describeBlock } from "./describe_block.ts";
import { Disk } from "./disk.ts";
import { genesisFor } from "./genesis.ts";
import { Host } from "./host.ts";
import { keyOf, operatorOf, signatureOf } from "./keys.ts";
import { lazyKinds } from "./lazy_kinds.ts";
import { Liar } from "./liar.ts";
import { livesOf } from "./lives.ts";
import type { Frame } from "./network.ts";
import { Network } from "./network.ts";
import type { Outcome } from "./outcome.ts";
import type { Owner } from "./owner.ts";
import { pocketOf } from "./owner.ts";
import type { Plan, PlanEvent } from "./plan.ts";
import { VALIDATORS, WALLETS } from "./plan.ts";
import { Random } from "./random.ts";
import type { Rules } from "./rules.ts";
import { PRODUCT } from "./rules.ts";
import { Reports } from "./reports.ts";
import { StatementBook } from "./statement_book.ts";
import { Timeline } from "./timeline.ts";
import { SIM_TUNING } from "./tuning.ts";
import { Violation } from "./violation.ts";
import { isSignedByOwner, Wallets } from "./wallets.ts";

/** Rounds within which everything has to be settled once all faults are over. */
const HEALING_ROUNDS = 100;
/** Virtual time that they may take, ms. */
const HEALING_MS = 60_000;
/** How often an operator looks whether the old key's session is over, ms. */
const LOOK_MS = 20;
/** How often clients look after their units, ms. */
const AGAIN_MS = 60;

/** As the product's: it bounds how long snapshots are shown. */
const DEFAULT_KEPT_ROUNDS = 1_024;

/** How a plan is run. */
export interface RunOptions {
  readonly rules?: Rules;
  /** Called with one line for what happens. */
  readonly trace?: (line: string) => void;
}

interface SimFrame extends Frame {
  /** Decoded and verified once for all receivers; null: not a message. */
  received?: Received | null;
}

/** Runs a plan. Never throws for what the product does. */
export function run(plan: Plan, options: RunOptions = {}): Outcome {
  const simulation = new Simulation(plan, options);
  return simulation.run();
}

function isAuthors({ publicKey, digest, signature }: ClaimedSignature): boolean {
  return equalBytes(signature, signatureOf(publicKey, digest));
}

class Simulation {
  readonly #plan: Plan;
  readonly #rules: Rules;
  readonly #trace: ((line: string) => void) | undefined;
  readonly #timeline = new Timeline(Number(START_MS));
  readonly #ledger = createLedger();
  readonly #genesis: Genesis;
  readonly #origin: ReturnType<typeof genesisOf>;
  readonly #codec;
  readonly #network: Network<SimFrame>;
  readonly #hosts = new Map<number, Host>();
  readonly #liar: Liar | undefined;
  readonly #wallets: Wallets;
  readonly #chain: ChainOracle;
  readonly #book: StatementBook;
  readonly #reports: Reports;
  readonly #skewMs: number[];
  readonly #commitMs: number[];
  /** Blocks that honest validators let out. */
  readonly #honest = new Set<string>();
  #crashes = 0;
  #rotations = 0;
  /** Validators whose old key's node still runs. */
  readonly #rotating = new Set<number>();
  #snapshots = 0;
  #healed = false;

  constructor(plan: Plan, { rules = PRODUCT, trace }: RunOptions) {
    this.#plan = plan;
    this.#rules = rules;
    this.#trace = trace;
    this.#genesis = genesisFor(plan);
    this.#origin = genesisOf(this.#genesis, this.#ledger);
    this.#codec = createBlockCodec(this.#ledger, statementKinds);
    this.#skewMs = [...plan.skewMs];
    this.#commitMs = plan.skewMs.map(() => 0);
    const timeline = this.#timeline;
    this.#chain = new ChainOracle({
      ledger: this.#ledger,
      origin: this.#origin,
      epochPulses: plan.epochPulses,
      bounded: rules.bounded,
      unit: (digest) => this.#wallets.units.get(digest),
    });
    this.#network = new Network<SimFrame>({
      timeline,
      size: VALIDATORS,
      seed: plan.seed,
      weather: plan.weather,
      deliver: (from, to, frame) => this.#deliver(from, to, frame),
    });
    this.#wallets = new Wallets({
      ledger: this.#ledger,
      chain: this.#origin.chain,
      random: new Random(plan.seed, "wallets"),
      head: () => this.#chain.height,
      newest: () => this.#chain.newest,
      isOver: (unit) => this.#chain.isOver(unit),
      usedBy: (slot) => this.#chain.used.get(slot),
      receipts: (unit) => this.#chain.receipts.get(unit) ?? [],
      submit: (to, unit) => this.#submit(to, unit.signed, unit.forced),
    });
    this.#book = new StatementBook({
      committeeOf: (session) => this.#chain.committeeOf(session),
      rules,
      liar: plan.liar,
      unit: (digest) => this.#wallets.units.get(digest),
      closeRound: (session) => this.#chain.closeRound(session),
      openBelow: (session) => this.#chain.openBelow(session),
      final: (unit, session) => {
        this.#note(() => `final ${unit.digest.slice(0, 8)}`);
        this.#chain.final(unit, session);
      },
    });
    this.#reports = new Reports({
      liar: plan.liar,
      chain: this.#origin.chain,
      hosts: () => this.#hosts.values(),
      send: (by, action, wish) => this.#wallets.send(by, [action], wish),
      isLost: (unit) => this.#chain.isOver(unit) && !this.#chain.receipts.has(unit.digest),
    });
    for (let i = 0; i < VALIDATORS; i++) if (i !== plan.liar) this.#hosts.set(i, this.#host(i));
    this.#liar = plan.liar === null ? undefined : this.#makeLiar(plan.liar);
  }

  #note(line: () => string): void {
    const atMs = this.#timeline.nowMs - Number(START_MS);
    this.#trace?.(`${atMs.toFixed(1).padStart(8)} ${line()}`);
  }

  run(): Outcome {
    let violation: Violation | undefined;
    try {
      this.#storm();
      this.#heal();
      this.#reports.check();
    } catch (error) {
      violation = error instanceof Violation
        ? error
        : new Violation("crash", error instanceof Error ? error.message : String(error), {
          cause: error,
        });
      this.#note(() => `VIOLATION ${violation?.message}`);
    }
    const units = [...this.#wallets.units.values()];
    return {
      ...(violation === undefined ? {} : { violation }),
      steps: this.#timeline.count,
      rounds: this.#topRound(),
      pulses: this.#chain.height,
      executed: this.#chain.executed,
      finals: this.#chain.finals.size,
      voids: this.#chain.voids,
      expired:
        units.filter((unit) => this.#chain.isOver(unit) && !this.#chain.receipts.has(unit.digest))
          .length,
      memoryMoves: this.#chain.memoryMoves,
      roundsProven: this.#chain.storage.proven,
      spawned: this.#chain.spawns.spawned,
      earning: this.#chain.stake.earning.size,
      crashes: this.#crashes,
      snapshots: this.#snapshots,
      sessions: this.#chain.sessions.length,
      slashed: this.#chain.stake.slashed,
      refuted: this.#chain.claims.refuted,
      paid: this.#chain.tasks.paid,
      refunded: this.#chain.tasks.refunded,
      head: toHex(this.#chain.header.stateRoot) + String(this.#timeline.count),
    };
  }

  #storm(): void {
    const timeline = this.#timeline;
    const startMs = timeline.nowMs;
    for (const host of this.#hosts.values()) timeline.after(0, () => host.start());
    for (const event of this.#plan.events) {
      timeline.at(startMs + event.atMs, () => this.#happen(event));
    }
    const again = (): void => {
      this.#wallets.again(this.#healed);
      this.#reports.look();
      timeline.after(AGAIN_MS, again);
    };
    timeline.after(AGAIN_MS, again);
    timeline.run(this.#plan.stormMs);
  }

  /** Everything heals; then all that is open has to be settled within a bounded number of rounds. */
  #heal(): void {
    const timeline = this.#timeline;
    this.#healed = true;
    this.#note(() => "healed");
    this.#network.heal();
    this.#network.weather = { delayMs: [1, 5], loss: 0, duplicates: 0 };
    this.#commitMs.fill(0);
    for (const [i, host] of this.#hosts) if (!host.up) this.#restart(i, host);
    const startRound = this.#topRound();
    const probes = [...this.#hosts.keys()].map((i) =>
      this.#wallets.pay(`probe-${i}`, "alice", 1, { at: [i], validFor: 60 })
    );
    const isDone = (): boolean =>
      this.#isSettled() && probes.every(({ slots: [slot = ""] }) => this.#chain.used.has(slot));
    // A storage deal has to be seen to its end.
    const isLong = this.#plan.events.some(({ type }) => type === "storage");
    const most = isLong ? 2 * HEALING_ROUNDS : HEALING_ROUNDS;
    const isLate = (): boolean => this.#topRound() - startRound > most;
    let looked = 0;
    timeline.run(HEALING_MS, () => {
      // Not at every step: looking costs more than most steps.
      if (timeline.nowMs < looked + 15) return false;
      looked = timeline.nowMs;
      return isDone() || isLate();
    });
    if (isDone()) return;
    const rounds = this.#topRound() - startRound;
    const left = probes.filter(({ slots: [slot = ""] }) => !this.#chain.used.has(slot)).length;
    throw new Violation(
      "no-progress",
      `${left} probes and ${this.#unsettled().join(", ") || "no unit"} left after ${rounds} rounds`,
    );
  }

  #topRound(): number {
    return Math.max(
      0,
      ...[...this.#hosts.values()].map(({ validator }) => validator.status().round),
    );
  }
  #isSettled(): boolean {
    if (this.#chain.owed > 0 || this.#unsettled().length > 0) return false;
    if (this.#rotating.size > 0) return false;
    if (this.#wallets.isBusy || this.#reports.isWaiting) return false;
    return [...this.#hosts.values()].every(({ up, validator }) => {
      const { pulse, certified, signs } = validator.status();
      return up && signs && pulse >= this.#chain.height - 2 && certified >= this.#chain.height - 4;
    });
  }
  #unsettled(): string[] {
    return this.#wallets.unsettled().map(({ digest }) => digest.slice(0, 8));
  }

  #happen(event: PlanEvent): void {
    if (this.#healed) return;
    const network = this.#network;
    const { atMs: _, ...what } = event;
    this.#note(() => `event ${JSON.stringify(what)}`);
    const wallet = (i: number): string => WALLETS[i] ?? "alice";
    const owner = ({ wallet: i, pocket }: { wallet: number; pocket?: true }): Owner =>
      pocket === true ? pocketOf(wallet(i)) : wallet(i);
    switch (event.type) {
      case "pay":
        this.#wallets.pay(owner(event), wallet(event.to), event.members, event);
        return;
      case "joint":
        this.#wallets.payJointly(wallet(event.wallet), wallet(event.to), event.members, event);
        return;
      case "rival":
        this.#wallets.rival(owner(event), wallet(event.to), event);
        return;
      case "forced":
        this.#wallets.pay(wallet(event.wallet), "bob", 1, { at: event.at, forced: true });
        return;
      case "agent":
      case "claims":
      case "tasks":
      case "memory":
      case "spawn":
      case "stake":
      case "storage":
        for (const [name, steps] of livesOf(event)) this.#wallets.begin(name, steps, event);
        return;
      case "crash":
        this.#crash(event.validator, event.forMs, event.kept);
        return;
      case "cut":
        network.cut(event.parts);
        this.#timeline.after(event.forMs, () => network.cut(event.parts.map(() => 0)));
        return;
      case "lag":
        network.lag(event.validator, event.byMs);
        this.#timeline.after(event.forMs, () => network.lag(event.validator, 0));
        return;
      case "slow-disk":
        this.#commitMs[event.validator] = event.commitMs;
        this.#timeline.after(event.forMs, () => this.#commitMs[event.validator] = 0);
        return;
      case "clock":
        this.#skewMs[event.validator] = (this.#skewMs[event.validator] ?? 0) + event.byMs;
        return;
      case "rotate":
        this.#rotate(event);
        return;
      case "report":
        return this.#reports.begin(event);
      case "habit":
        this.#liar?.habits.add(event.habit);
        this.#timeline.after(event.forMs, () => this.#liar?.habits.delete(event.habit));
    }
  }

  #crash(i: number, forMs: number, kept: number): void {
    const host = this.#hosts.get(i);
    if (host === undefined || !host.up) return;
    this.#crashes++;
    host.crash(kept);
    this.#timeline.after(forMs, () => {
      if (!host.up && this.#hosts.get(i) === host) this.#restart(i, host);
    });
  }

  /** The operator makes a key with a store, and asks for it to be the validator's. */
  #rotate({ validator: i, lost, at }: Extract<PlanEvent, { type: "rotate" }>): void {
    const key = VALIDATORS + this.#rotations++;
    this.#rotating.add(i);
    this.#wallets.send(operatorOf(i), [{
      kind: "rotate_key",
      body: { validator: validatorId(keyOf(i)), key: keyOf(key), consent: new Uint8Array(32) },
    }], { at });
    if (lost) this.#replace(i, key);
    else this.#replaceLater(i, key);
  }
  /** The old key's node goes on until its session is over everywhere. */
  #replaceLater(i: number, key: number): void {
    this.#timeline.after(LOOK_MS, () => {
      const old = this.#hosts.get(i);
      const { session } = old?.validator.status() ?? { session: 0 };
      const isOver = old?.up === true && old.validator.self === null &&
        [...this.#hosts.values()].every((host) => host.validator.status().session >= session);
      if (isOver) this.#replace(i, key);
      else this.#replaceLater(i, key);
    });
  }
  #replace(i: number, key: number): void {
    this.#note(() => `v${i} begins anew with key ${key}`);
    this.#hosts.get(i)?.crash(0);
    const host = this.#host(i, key);
    this.#hosts.set(i, host);
    host.start();
    for (const [other, peer] of this.#hosts) if (other !== i) peer.greet(i);
    this.#rotating.delete(i);
  }
  #restart(i: number, host: Host): void {
    this.#note(() => `v${i} restarts`);
    host.restart();
    for (const [other, peer] of this.#hosts) {
      if (other === i) continue;
      peer.greet(i);
      host.greet(other);
    }
  }

  #host(i: number, key: number = i): Host {
    const { seed, lazy } = this.#plan;
    const rules = this.#rules;
    const random = new Random(seed, "host", i);
    const kinds = rules.kinds?.(statementKinds) ?? statementKinds;
    const statements = lazyKinds(kinds, {
      lazy,
      seed,
      validator: i,
      isHealed: () => this.#healed,
    });
    return new Host({
      timeline: this.#timeline,
      self: i,
      disk: new Disk(this.#origin.state, this.#plan.keptRounds ?? Number.POSITIVE_INFINITY),
      chain: {
        ledger: this.#ledger,
        genesis: this.#genesis,
        origin: this.#origin,
        keptRounds: this.#plan.keptRounds ?? DEFAULT_KEPT_ROUNDS,
        retryMs: SIM_TUNING.retryMs,
        holds: isAuthors,
      },
      make: (restored) =>
        createValidator({
          genesis: this.#genesis,
          ledger: this.#ledger,
          key: keyOf(key),
          chainSeed: taggedHash("sim/chain-seed", Uint8Array.of(key)),
          statements,
          tuning: SIM_TUNING,
          reach: rules.reach,
          ...(rules.committee === undefined ? {} : { committee: rules.committee }),
          ...(restored === undefined ? {} : { restored }),
        }),
      read: (disk) => this.#read(i, disk),
      sign: (digest) => signatureOf(keyOf(key), digest),
      clockMs: () => Math.floor(this.#timeline.nowMs + (this.#skewMs[i] ?? 0)),
      signMs: () => random.next() * 4,
      commitMs: () => rules.hasty ? 6 : (this.#commitMs[i] ?? 0) * random.next(),
      hasty: rules.hasty,
      handsOver: rules.handsOver,
      events: {
        send: (to, message) => this.#send(i, to, message),
        answer: (unit, answer) => {
          this.#note(() => `v${i} answers ${unit.slice(0, 8)} ${answer.type}`);
        },
        final: (unit) => {
          this.#note(() => `v${i} holds the certificate of ${unit.slice(0, 8)}`);
          if (rules.finalBy === "confirm") this.#chain.certified(i, unit);
        },
        dead: (unit) => {
          this.#note(() => `v${i} says ${unit.slice(0, 8)} is dead`);
          this.#chain.dead(unit);
        },
        pulse: (effect) => {
          this.#note(() =>
            `v${i} pulse ${effect.number} anchors ${
              effect.header.anchors.map(({ round }) => round).join(",")
            } ` +
            effect.receipts.map(({ unit, kind }) => `${kind}:${unit.slice(0, 8)}`).join(" ")
          );
          this.#chain.pulse(i, effect);
          this.#book.executed();
          this.#timeline.after(0, () => this.#wallets.goOn());
        },
        certified: (_number, certificate) => this.#chain.pulseCertified(certificate),
        refused: (author, block, reason) => this.#refused(i, author, block, reason),
        alarm: (code, text) => this.#alarm(i, code, text),
        taken: ({ certificate }) => {
          this.#note(() => `v${i} takes a snapshot of pulse ${certificate.header.number}`);
          this.#snapshots++;
          this.#chain.pulseCertified(certificate);
        },
        refusedSnapshot: (from, reason) => this.#refusedSnapshot(i, from, reason),
      },
    });
  }

  #read(i: number, disk: Disk): ReturnType<Disk["restored"]> {
    const restored = disk.restored(this.#origin, this.#ledger, this.#genesis.shards);
    if (!equalBytes(restored.state.root(), restored.header.stateRoot)) {
      throw new Violation("damaged-store", `the state of validator ${i} is not its header's`);
    }
    return restored;
  }

  #refused(i: number, author: number, block: string, reason: string): void {
    this.#note(() => `v${i} refuses ${block.slice(0, 8)} of v${author}: ${reason}`);
    if (this.#honest.has(block)) {
      throw new Violation(
        "refused-honest",
        `validator ${i} refuses ${block.slice(0, 8)}: ${reason}`,
      );
    }
  }
  #refusedSnapshot(i: number, from: number, reason: string): void {
    this.#note(() => `v${i} refuses a snapshot of v${from}: ${reason}`);
    if (from === this.#plan.liar) return;
    throw new Violation("refused-honest", `validator ${i} refuses a snapshot: ${reason}`);
  }
  #alarm(i: number, code: string, text: string): void {
    this.#note(() => `v${i} ALARM ${text}`);
    if (code === "equivocation" && text.includes(`validator ${this.#plan.liar} `)) return;
    throw new Violation("alarm", `validator ${i}: ${text}`);
  }

  #makeLiar(self: number): Liar {
    return new Liar({
      genesis: this.#genesis,
      ledger: this.#ledger,
      self,
      chainSeed: taggedHash("sim/chain-seed", Uint8Array.of(self)),
      tuning: SIM_TUNING,
      reach: this.#rules.reach,
      timeline: this.#timeline,
      random: new Random(this.#plan.seed, "liar"),
      sign: (digest) => signatureOf(keyOf(self), digest),
      send: (to, message) => this.#network.send(self, to, { bytes: encodeMessage(message) }),
      sendBytes: (to, bytes) => this.#network.send(self, to, { bytes }),
      signed: (block) => {
        this.#note(() => `liar ${describeBlock(block)}`);
      },
    });
  }

  #submit(to: number, signed: Parameters<Host["submit"]>[0], forced: boolean): void {
    if (to === this.#plan.liar) this.#liar?.submit(signed, forced);
    else this.#hosts.get(to)?.submit(signed, forced);
  }

  #send(from: number, to: number | "all", message: Message): void {
    const frame: SimFrame = { bytes: encodeMessage(message) };
    if (message.type === "block") {
      const received = this.#decode(frame);
      const block = received?.type === "blocks" ? received.blocks[0] : undefined;
      if (block === undefined) throw new Violation("session", `v${from} signs with another key`);
      if (block.header.author === from && !this.#honest.has(block.id)) {
        this.#honest.add(block.id);
        this.#note(() => `v${from} ${describeBlock(block)}`);
        this.#book.signed(block);
      }
    }
    for (let other = 0; other < VALIDATORS; other++) {
      if (to === "all" || to === other) this.#network.send(from, other, frame);
    }
  }

  /** Once for all receivers: the message, its blocks and units with valid signatures only. */
  #decode(frame: SimFrame): Received | null {
    if (frame.received !== undefined) return frame.received;
    let received: Received | null;
    try {
      received = decodeMessage(frame.bytes, this.#codec);
    } catch {
      received = null;
    }
    if (received?.type === "blocks") {
      received = { ...received, blocks: received.blocks.filter((block) => this.#isSigned(block)) };
    }
    if (received?.type === "units") {
      const units = received.units.filter(({ signed }) => isSignedByOwner(this.#ledger, signed));
      received = { ...received, units };
    }
    frame.received = received;
    return received;
  }

  #isSigned(block: Block): boolean {
    // A session that nobody has executed the beginning of is a liar's: machines pass over it.
    const { members } = this.#chain.committeeOf(block.header.session);
    return checksOf(block).every(({ author, digest, signature }) => {
      const key = members[author]?.publicKey;
      return key !== undefined && equalBytes(signature, signatureOf(key, digest));
    });
  }

  #deliver(from: number, to: number, frame: SimFrame): void {
    const host = this.#hosts.get(to);
    const received = this.#decode(frame);
    if (host === undefined) this.#liar?.heard(frame.bytes);
    if (received === null) return;
    if (received.type !== "blocks") {
      if (received.type === "end" && host?.validator !== undefined) {
        const claim = host.validator.endClaim(received.certificate);
        if (claim?.ok !== true || !claim.signatures.every(isAuthors)) return;
      }
      if (host !== undefined) host.feed({ type: "message", from, message: received });
      else if (received.type === "end") this.#liar?.ended(received);
      else if (received.type === "want") this.#liar?.wanted(from, received);
      else if (received.type === "units") this.#liar?.units(from, received.units);
      else if (received.type === "ask") {
        this.#liar?.asked(from, received);
      }
      return;
    }
    for (const block of received.blocks) {
      if (host === undefined) this.#liar?.receive(from, block);
      else if (host.up && host.wants(block)) {
        host.feed({ type: "message", from, message: { type: "blocks", blocks: [block] } });
      }
    }
  }
}
