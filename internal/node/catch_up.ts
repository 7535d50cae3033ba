/**
 * Snapshots at a node: it shows its peers those of its newest certified Pulses, and takes one itself
 * when blocks lead on no more. What it takes is put into the store in one transaction; then the
 * validator is made anew from the store, as at a start.
 */
import type { Logger } from "#internal/core/mod.ts";
import { decode, encode, fromHex } from "#internal/core/mod.ts";
import type {
  Block,
  Message,
  Received,
  ShownPulse,
  TakenSnapshot,
  Validator,
} from "#internal/consensus/mod.ts";
import { SnapshotClient, SnapshotShelf } from "#internal/consensus/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import type {
  ClaimedSignature,
  Committee,
  ProvenSession,
  SessionStep,
} from "#internal/proofs/mod.ts";
import {
  encodePulseCertificate,
  headerCodec,
  pulseCertificateCodec,
  sessionConfigCodec,
} from "#internal/proofs/mod.ts";
import { createAlarm, yieldToOthers } from "#internal/runtime/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { keptObjects } from "./kept_objects.ts";

/** States of this many newest Pulses are at hand, from the newest certified one on. */
const KEPT_STATES = 16;

/** What snapshots are made of and put into. */
export interface CatchUpOptions {
  /** The validator; another one after a snapshot. */
  readonly machine: Validator;
  readonly ledger: Ledger;
  readonly store: NodeState;
  readonly backend: Pick<DualBackend, "verify">;
  readonly shards: number;
  /** Rounds for which blocks are kept below the oldest that the order needs. */
  readonly keptRounds: number;
  readonly retryMs: number;
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Validators that can be asked. */
  readonly peers: () => readonly number[];
  /** Ends of sessions that are over, from one on. */
  readonly steps: (session: number) => Iterable<SessionStep>;
  readonly send: (to: number, message: Message) => void;
  /** A validator sent a part of a snapshot that does not hold. */
  readonly onLie: (peer: number) => void;
  /** A snapshot is in the store: the validator is to be made anew from it. */
  readonly onTaken: (number: number) => void;
  readonly onFault: (error: unknown) => void;
}

/** A node's dealings with snapshots. */
export interface CatchUp {
  /** Takes what it needs of a message; true when that is all there is to it. */
  takes(from: number, message: Received): boolean;
  /** True while a snapshot is being taken. */
  readonly isUnderWay: boolean;
  /** Whether this validator owes a part of it. */
  expectsPart(peer: number): boolean;
  /** The committee of a session that the snapshot under way has proven. */
  committeeOf(session: number): Committee | undefined;
  /** Whether a block is one that the snapshot under way needs. */
  wants(block: Block): boolean;
  /** Whether it needs the unit of this form. */
  needsUnit(form: string): boolean;
  /** Blocks lead on no more. */
  begin(): void;
  /** A Pulse was executed. */
  executed(number: number, state: LedgerState, tail: Uint8Array): void;
  /** A Pulse got its certificate. */
  certified(number: number): void;
  /** The state after a Pulse: of the newest certified one and those after it. */
  stateAt(number: number): LedgerState | undefined;
  stop(): void;
}

/** Of a node that has begun nothing yet. */
export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { machine, ledger, store, logger, nowMs } = options;
  const alarm = createAlarm(() => attempt(() => client.tick()));
  const recent = new RecentPulses(machine, store);
  const shelf = new SnapshotShelf({
    newest: () => shownPulse(options, recent),
    steps: options.steps,
    leaves: (from) => store.knowledge(from),
    keptRounds: options.keptRounds,
  });
  const client = new SnapshotClient({
    ledger,
    chain: fromHex(machine.chain),
    shards: options.shards,
    retryMs: options.retryMs,
    known: () => knownSession(machine),
    pulse: () => Number(machine.header().number),
    isHeld: (id) => store.block(id) !== undefined,
    isUnitHeld: (form) => store.hasUnit(form),
    peers: options.peers,
    nowMs,
    wake: (atMs) => alarm.set(Math.max(0, atMs - nowMs())),
    send: options.send,
    verify(signatures, done) {
      verifyAll(signatures, options.backend).then((hold) => attempt(() => done(hold)), fault);
    },
    refused(peer, reason) {
      logger.log("warn", `Refused a snapshot of validator ${peer}: ${reason}`);
      options.onLie(peer);
    },
    taken(snapshot) {
      const { header } = snapshot.certificate;
      const number = Number(header.number);
      store.importSnapshot(importOf(snapshot, ledger));
      recent.clear();
      logger.log("info", `Took a snapshot of Pulse ${number}, and goes on from there`);
      options.onTaken(number);
    },
  });
  let stopped = false;
  const fault = (error: unknown): void => {
    if (!stopped) options.onFault(error);
  };
  const attempt = (act: () => void): void => {
    if (stopped) return;
    try {
      act();
    } catch (error) {
      fault(error);
    }
  };
  const take = (from: number, message: Received): void => {
    if (message.type === "part") client.part(from, message);
    if (message.type === "blocks") message.blocks.forEach((block) => client.block(block));
    if (message.type === "units") client.units(message.units);
    if (message.type !== "ask") return;
    const part = shelf.answer(from, message, nowMs());
    if (part !== undefined) options.send(from, { type: "part", ...part });
  };
  return {
    takes(from, message) {
      attempt(() => take(from, message));
      return message.type === "ask" || message.type === "part";
    },
    get isUnderWay() {
      return client.isRunning;
    },
    expectsPart: (peer) => client.expectsPart(peer),
    wants: (block) => client.wants(block),
    needsUnit: (form) => client.needsUnit(form),
    committeeOf: (session) => client.committeeOf(session),
    begin() {
      if (client.isRunning || stopped) return;
      logger.log("info", "Peers hold no more of the blocks it needs: asks for a snapshot");
      attempt(() => client.begin());
    },
    executed(number, state, tail) {
      recent.keep(number, { state, tail });
      shelf.executed(number);
    },
    certified: (number) => recent.dropBelow(number),
    stateAt: (number) => recent.at(number)?.state,
    stop() {
      stopped = true;
      client.end();
      alarm.clear();
    },
  };
}

function knownSession(machine: Validator): ProvenSession {
  const config = machine.session();
  const committee = machine.committeeOf(config.session);
  if (committee === undefined) throw new TypeError("Cannot take a snapshot: there is no committee");
  return { config, committee };
}

async function verifyAll(
  signatures: readonly ClaimedSignature[],
  backend: Pick<DualBackend, "verify">,
): Promise<boolean> {
  for (const { publicKey, digest, signature } of signatures) {
    if (!await backend.verify(publicKey, digest, signature)) return false;
    await yieldToOthers();
  }
  return true;
}

/** The newest certified Pulse, if its state is at hand. */
function shownPulse(
  { store }: CatchUpOptions,
  recent: RecentPulses,
): ShownPulse | undefined {
  const number = store.newestCertificate();
  const bytes = store.certificate(number);
  const pulse = recent.at(number);
  if (bytes === undefined || pulse === undefined) return undefined;
  return { certificate: decode(pulseCertificateCodec, bytes), ...pulse };
}

/** What a snapshot puts into a store. */
function importOf(
  { certificate, steps, state, objects, leaves, ...rest }: TakenSnapshot,
  ledger: Ledger,
): Parameters<NodeState["importSnapshot"]>[0] {
  const { header } = certificate;
  const ends = steps.map(({ certificate, next }) => ({
    session: certificate.header.session,
    next: encode(sessionConfigCodec, next),
    number: Number(certificate.header.number),
    certificate: encodePulseCertificate(certificate),
  }));
  const number = Number(header.number);
  return {
    ...rest,
    number,
    header: encode(headerCodec, header),
    certificate: encodePulseCertificate(certificate),
    ends,
    objects: keptObjects(objects, state, ledger),
    knowledge: leaves,
  };
}

interface RecentPulse {
  readonly state: LedgerState;
  readonly tail: Uint8Array;
}

/** What follows from the newest certified Pulse and those behind it. */
class RecentPulses {
  readonly #machine: Validator;
  readonly #store: NodeState;
  readonly #pulses = new Map<number, RecentPulse>();

  constructor(machine: Validator, store: NodeState) {
    this.#machine = machine;
    this.#store = store;
  }

  at(number: number): RecentPulse | undefined {
    const known = this.#pulses.get(number);
    if (known !== undefined || number !== Number(this.#machine.header().number)) return known;
    // After a start, of the newest Pulse alone.
    const tail = this.#store.tail()?.bytes ?? new Uint8Array(0);
    return { state: this.#machine.state(), tail };
  }

  keep(number: number, pulse: RecentPulse): void {
    this.#pulses.set(number, pulse);
    this.dropBelow(number - KEPT_STATES);
  }

  dropBelow(certified: number): void {
    for (const number of this.#pulses.keys()) if (number < certified) this.#pulses.delete(number);
  }

  clear(): void {
    this.#pulses.clear();
  }
}
