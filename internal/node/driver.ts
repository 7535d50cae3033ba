/**
 * Runs a validator's state machine: feeds it what happened and carries out, in order, what it asks
 * for. A block's signature leaves this machine only after block, statements and signature are on
 * disk; a Pulse is one transaction.
 */
import type { AccountId, Clock, Logger, Random } from "#internal/core/mod.ts";
import { assertNever, encode } from "#internal/core/mod.ts";
import type {
  Answer,
  Effect,
  Input,
  PulseEffect,
  Received,
  ServeRequest,
  StoredBlock,
  Validator,
} from "#internal/consensus/mod.ts";
import { encodeMessage, packBlocks, packUnits } from "#internal/consensus/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import {
  buildWitness,
  encodePulseCertificate,
  headerCodec,
  sessionConfigCodec,
  worldWitnessCodec,
} from "#internal/proofs/mod.ts";
import { createAlarm } from "#internal/runtime/mod.ts";
import type { ExecutedCounts, NodeState, PulseCommit } from "#internal/store/mod.ts";
import { alarmSentence } from "./alarms.ts";
import type { CatchUp } from "./catch_up.ts";
import type { Journal } from "./journal.ts";
import { keptObjects } from "./kept_objects.ts";
import { encodeKeptLocks, sampleProof, sessionSteps } from "./proofs.ts";
import { contentsOf } from "./pulse_contents.ts";

/**
 * Rounds below the oldest block of use that peers may still ask for: some 256 Pulses. With four
 * validators that is 80 MB of signatures.
 */
export const KEPT_ROUNDS = 1_024;
/** Pulses whose certificates are kept. Headers are kept for ever; each names the one before. */
const KEPT_CERTIFICATES = 256;

/**
 * Pulses whose published data is kept. The blocks with the statements that decided what is in it,
 * at most 136 rounds below, are kept longer.
 */
const KEPT_PUBLISHED = 192;

const NONE_EXECUTED: ExecutedCounts = { succeeded: 0, failed: 0, void: 0 };

/** What a driver works with. It owns none of it. */
export interface DriverOptions {
  readonly machine: Validator;
  readonly ledger: Ledger;
  readonly store: NodeState;
  readonly journal: Journal;
  readonly catchUp: CatchUp;
  /** Rounds for which blocks are kept below the oldest that the order needs. */
  readonly keptRounds: number;
  readonly backend: DualBackend;
  /** Undefined for a follower. */
  readonly keys: DualKeys | undefined;
  /** An account that is always there: its state is proven of Pulses without receipts. */
  readonly someAccount: AccountId;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly send: (to: number | "all", frame: Uint8Array) => void;
  /** The peer itself if it is connected, else another that is. */
  readonly nearest: (peer: number) => number;
  /** Whether a unit of this form is here and waits to be verified. */
  readonly holdsUnit: (form: string) => boolean;
  readonly onPulse: (number: number) => void;
  /** A session began: other keys may sign in it. */
  readonly onSession: () => void;
  /** The key signs no more, for good: there are blocks of it that the store lacks. */
  readonly onStale: () => void;
  /** A validator signed a block that does not hold here. */
  readonly onInvalidBlock: (author: number) => void;
  /** A fault that ends this validator: nothing is signed or sent afterwards. */
  readonly onFault: (error: unknown) => void;
}

/** A running state machine. */
export interface Driver {
  /** Lets it begin, and again when the machine was replaced. */
  start(): void;
  onMessage(from: number, message: Received): void;
  onLoad(waiting: boolean): void;
  /** A client's unit whose authorization was verified. */
  submit(unit: string, signed: SignedUnit, forced: boolean): Answer;
  /** Sends a peer the newest own block: it may have missed it. */
  greet(peer: number): void;
  executed(): ExecutedCounts;
  /** A fault elsewhere: the validator ends as after one of its own. */
  fail(error: unknown): void;
  /** Nothing is carried out any more; what is queued for the store is committed. */
  stop(): void;
}

type InputWithoutTime = Input extends infer I ? I extends Input ? Omit<I, "nowMs"> : never : never;

/** A driver that has not begun. */
export function createDriver(options: DriverOptions): Driver {
  const { machine, store, journal, catchUp, backend, keys, clock } = options;
  const alarm = createAlarm(() => feed({ type: "tick" }));
  const answers = new Map<string, Answer>();
  let executed = store.newestPulse()?.executed ?? NONE_EXECUTED;
  let stopped = false;
  let lastMs = 0;

  const fault = (error: unknown): void => {
    if (stopped) return;
    stopped = true;
    alarm.clear();
    options.onFault(error);
  };

  const feed = (input: InputWithoutTime): void => {
    if (stopped) return;
    // The machine's time never runs backwards, whatever somebody does to the clock.
    lastMs = Math.max(lastMs, clock.nowMs());
    try {
      for (const effect of machine.step({ ...input, nowMs: lastMs } as Input)) carryOut(effect);
    } catch (error) {
      fault(error);
    }
  };

  const sign = async (digest: Uint8Array): Promise<void> => {
    if (keys === undefined) throw new TypeError("Cannot sign: a follower has no keys");
    const signature = await backend.sign(keys, digest, options.random);
    feed({ type: "signed", digest, signature });
  };

  const carryOut = (effect: Effect): void => {
    switch (effect.type) {
      case "sign":
        return void sign(effect.digest).catch(fault);
      case "persist":
        return store.commitOwn(effect.block, effect.rows);
      case "store":
        return store.addBlocks(effect.blocks);
      case "send":
        return sendMessage(options, effect);
      case "serve":
        return serve(options, effect.to, effect.request);
      case "hand-over":
        return handOver(options, effect);
      case "answer":
        return void answers.set(effect.unit, effect.answer);
      case "final":
        return journal.settled(effect.unit, "final");
      case "dead":
        return journal.settled(effect.unit, "dead");
      case "pulse":
        executed = keepPulse(options, effect, executed);
        catchUp.executed(effect.number, effect.state, effect.tail);
        return options.onPulse(effect.number);
      case "session":
        return options.onSession();
      case "certified":
        catchUp.certified(effect.number);
        return store.addCertificate(effect.number, encodePulseCertificate(effect.certificate));
      case "outrun":
        return catchUp.begin();
      case "refused":
        return tellRefused(options, effect);
      case "wake":
        return alarm.set(effect.atMs - lastMs);
      case "alarm":
        return tellAlarm(options, effect);
      default:
        return assertNever(effect);
    }
  };

  return {
    start: () => feed({ type: "tick" }),
    onMessage(from, message) {
      if (!stopped && !catchUp.takes(from, message)) feed({ type: "message", from, message });
    },
    onLoad: (waiting) => feed({ type: "load", waiting }),
    submit(unit, signed, forced) {
      answers.delete(unit);
      feed({ type: "submit", signed, forced });
      const answer = answers.get(unit) ??
        { type: "refused", code: "busy", reason: "the node is going down" };
      answers.clear();
      return answer;
    },
    greet: (peer) => void (stopped || sendOwn(options, peer)),
    executed: () => executed,
    fail: fault,
    stop() {
      if (stopped) return;
      stopped = true;
      alarm.clear();
      store.flush();
    },
  };
}

function tellAlarm(
  { logger, machine, store, onStale }: DriverOptions,
  alarm: Extract<Effect, { type: "alarm" }>,
): void {
  // What shows it is on disk before anybody reads of it.
  if (alarm.code === "equivocation") store.flush();
  logger.log("error", alarmSentence(alarm, machine.self), { code: alarm.code });
  if (alarm.code === "stale-key") onStale();
}

function tellRefused(
  { logger, onInvalidBlock }: DriverOptions,
  { author, block, reason }: Extract<Effect, { type: "refused" }>,
): void {
  onInvalidBlock(author);
  logger.log("warn", `Refused a block of validator ${author}: ${reason}`, { block });
}

/** Commits a Pulse and tells the journal. Answers the new totals. */
function keepPulse(
  { ledger, store, journal, keptRounds, someAccount }: DriverOptions,
  effect: PulseEffect,
  before: ExecutedCounts,
): ExecutedCounts {
  const { contents, bytes } = contentsOf(ledger, effect);
  const count = (kind: string): number =>
    effect.receipts.filter(({ outcome }) => outcome.kind === kind).length;
  const executed = {
    succeeded: before.succeeded + count("success"),
    failed: before.failed + count("failed"),
    void: before.void + count("void"),
  };
  store.commitPulse({
    number: effect.number,
    header: encode(headerCodec, effect.header),
    contents: bytes,
    executed,
    eventCount: effect.events.length,
    digests: effect.receipts.map(({ digest }) => digest),
    objects: keptObjects(effect.changed, effect.state, ledger),
    knowledge: effect.knowledge,
    knowledgeSize: Number(effect.header.knowledgeSize) - effect.knowledge.length,
    tail: effect.tail,
    keepFrom: effect.keepFrom,
    rows: effect.rows,
    published: {
      data: effect.data,
      locks: encodeKeptLocks(effect.locks),
      state: sampleProof(effect, someAccount),
    },
    ...endOf(effect),
    witness: encode(worldWitnessCodec, buildWitness(effect.before, effect.touched)),
    dropPublishedBelow: effect.number - KEPT_PUBLISHED,
    dropBlocksBelow: effect.keepFrom - keptRounds,
    dropCertificatesBelow: effect.number - KEPT_CERTIFICATES,
  });
  journal.executed(contents);
  return executed;
}

/** The session that a Pulse ends, if it does. */
function endOf(
  { header: { session }, nextSession }: PulseEffect,
): Pick<PulseCommit, "endsSession"> {
  if (nextSession === null) return {};
  return { endsSession: { session, next: encode(sessionConfigCodec, nextSession) } };
}

/** Answers a peer that misses blocks or units. */
function serve(options: DriverOptions, to: number, request: ServeRequest): void {
  const units = request.units.flatMap((form) => options.store.unit(form) ?? []);
  for (const message of packUnits(units)) options.send(to, encodeMessage(message));
  const found = new Map<string, StoredBlock>();
  for (const id of request.ids) {
    const block = options.store.block(id);
    if (block !== undefined) found.set(block.id, block);
  }
  if (request.fromRound > 0 && request.rounds > 0) {
    const last = request.fromRound + request.rounds - 1;
    for (const block of options.store.blocksOfRounds(request.fromRound, last)) {
      found.set(block.id, block);
    }
  }
  sendBlocks(options, to, found.values());
  const lowest = options.store.lowestRound();
  if (request.fromRound > 0 && lowest !== undefined && lowest > request.fromRound) {
    options.send(to, encodeMessage({ type: "held", fromRound: lowest }));
  }
}

/** Gives others what they leave a session with. */
function handOver(
  { store, send }: DriverOptions,
  { to, session }: Extract<Effect, { type: "hand-over" }>,
): void {
  for (const { certificate } of sessionSteps(store, session)) {
    return send(to, encodeMessage({ type: "end", certificate }));
  }
}

function sendMessage(
  { send, nearest, holdsUnit }: DriverOptions,
  { to, message }: Extract<Effect, { type: "send" }>,
): void {
  if (to === "all" || message.type !== "want") return send(to, encodeMessage(message));
  // What waits here to be verified need not come a second time.
  const units = message.units.filter((form) => !holdsUnit(form));
  const isEmpty = units.length + message.ids.length + message.rounds === 0;
  if (isEmpty && message.units.length > 0) return;
  // Whoever is connected can answer what is asked.
  send(nearest(to), encodeMessage({ ...message, units }));
}

function sendOwn(options: DriverOptions, peer: number): void {
  const own = options.store.newestOwnBlock();
  if (own !== undefined) sendBlocks(options, peer, [own]);
}

function sendBlocks(options: DriverOptions, to: number, blocks: Iterable<StoredBlock>): void {
  for (const message of packBlocks(blocks)) options.send(to, encodeMessage(message));
}
