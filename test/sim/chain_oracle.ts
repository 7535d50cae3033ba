/** What all honest validators execute, held against itself and against what was promised. */
import type { PulseEffect } from "#internal/consensus/mod.ts";
import { encode, equalBytes, toHex } from "#internal/core/mod.ts";
import type {
  Ledger,
  LedgerObject,
  LedgerState,
  Receipt,
  Validator,
} from "#internal/ledger/mod.ts";
import {
  checkConservation,
  receiptLeaf,
  ROTATION_PULSES,
  validatorSetOf,
  VOID_KIND,
} from "#internal/ledger/mod.ts";
import { logInclusionProof, verifyLogInclusion } from "#internal/merkle/mod.ts";
import type { Committee, GenesisFacts, Header, PulseCertificate } from "#internal/proofs/mod.ts";
import { committeeOf, firstRoundOf, headerDigest, isLastOfSession } from "#internal/proofs/mod.ts";
import { ClaimsOracle } from "./claims_oracle.ts";
import { TasksOracle } from "./tasks_oracle.ts";
import type { Newest } from "./life.ts";
import { MemoryOracle } from "./memory_oracle.ts";
import type { SignedKnown } from "./spawn_oracle.ts";
import { SpawnOracle } from "./spawn_oracle.ts";
import { StakeOracle } from "./stake_oracle.ts";
import { StorageOracle } from "./storage_oracle.ts";
import type { KnownUnit } from "./statement_book.ts";
import { slotName } from "./statement_book.ts";
import { Violation } from "./violation.ts";

interface Promised {
  readonly unit: KnownUnit;
  readonly session: number;
}

/** The one chain. */
export class ChainOracle {
  readonly #ledger: Ledger;
  readonly claims = new ClaimsOracle();
  readonly spawns = new SpawnOracle();
  readonly tasks = new TasksOracle();
  readonly stake = new StakeOracle();
  readonly #epochPulses: number | null;
  /** Digest of each Pulse's header, from 1. */
  readonly #digests: string[] = [];
  /** Units that were final before they executed. */
  readonly #promised = new Map<string, Promised>();
  readonly finals = new Set<string>();
  /** Units of which a validator told its client that they can no longer execute. */
  readonly #dead = new Set<string>();
  /** By unit, in the order of execution. */
  readonly receipts = new Map<string, Receipt[]>();
  /** Slots to the unit that used them; null: void. */
  readonly used = new Map<string, string | null>();
  readonly #next = new Map<string, bigint>();
  readonly #memory = new MemoryOracle();
  readonly storage: StorageOracle = new StorageOracle();
  #state: LedgerState | undefined;
  /** Rounds at which sessions close. */
  readonly #closeRounds = new Map<number, number>();
  /** Who signs in each session. */
  readonly sessions: Committee[] = [];
  readonly #bounded: boolean;
  #lastAnchor = 0;
  #header: Header;
  /** Digest of the newest header. */
  #previous: Uint8Array;
  /** Void slots, and executed units. */
  voids = 0;
  executed = 0;

  readonly #unit: (digest: string) => SignedKnown | undefined;

  constructor(
    { ledger, origin, epochPulses, unit, bounded }: {
      readonly ledger: Ledger;
      readonly origin: GenesisFacts;
      readonly epochPulses: number | null;
      readonly unit: (digest: string) => SignedKnown | undefined;
      /** Whether promises end with their bounds. */
      readonly bounded: boolean;
    },
  ) {
    this.#bounded = bounded;
    this.sessions.push(origin.committee);
    this.#ledger = ledger;
    this.#unit = unit;
    this.#epochPulses = epochPulses;
    this.#header = origin.header;
    this.#previous = headerDigest(origin.header);
    this.#noteSession(origin.header);
  }

  /** Pulses that some honest validator executed. */
  get height(): number {
    return this.#digests.length;
  }
  /** Round of the newest anchor of those. */
  get lastAnchor(): number {
    return this.#lastAnchor;
  }
  get header(): Header {
    return this.#header;
  }
  closeRound(session: number): number {
    return this.#closeRounds.get(session) ?? Number.MAX_SAFE_INTEGER;
  }
  /** Rounds below it are below a session's close, whatever is executed from now on. */
  openBelow(session: number): number {
    const latest = firstRoundOf(this.height + 1 + Number(ROTATION_PULSES));
    return this.#closeRounds.get(session) ?? latest;
  }
  committeeOf(session: number): Committee {
    return (this.sessions[session] ?? this.sessions.at(-1)) as Committee;
  }
  /** True when a unit can no longer execute, whatever happens. */
  isOver(unit: KnownUnit): boolean {
    return this.receipts.has(unit.digest) ||
      firstRoundOf(Number(unit.validUntil)) <= this.#lastAnchor ||
      unit.slots.some((slot) => this.used.has(slot));
  }

  /** A client holds a lane certificate. */
  final(unit: KnownUnit, session: number): void {
    const bound = this.#boundOf(unit, session);
    this.finals.add(unit.digest);
    if (this.receipts.has(unit.digest)) return this.#checkOutcome(unit.digest, unit);
    for (const slot of unit.slots) {
      const by = this.used.get(slot);
      if (by !== undefined) {
        throw lost(unit, by === null ? "its slot is void" : `${by.slice(0, 8)} has its slot`);
      }
    }
    if (bound <= this.#lastAnchor) throw lost(unit, "its time was over");
    this.#promised.set(unit.digest, { unit, session });
  }

  #boundOf({ validUntil }: KnownUnit, session: number): number {
    if (!this.#bounded) return Number.MAX_SAFE_INTEGER;
    return Math.min(firstRoundOf(Number(validUntil)), this.closeRound(session));
  }

  /** A validator says that it holds a unit's certificate. */
  certified(validator: number, unit: string): void {
    if (this.finals.has(unit)) return;
    throw new Violation(
      "certificate",
      `validator ${validator} has one of ${unit.slice(0, 8)} too early`,
    );
  }
  /** A validator tells its client that a unit can no longer execute. */
  dead(unit: string): void {
    this.#dead.add(unit);
    if (this.receipts.has(unit)) throw wrongAnswer(unit);
  }
  /** A validator holds a Pulse's certificate: of the one header, by a quorum. */
  pulseCertified({ header, items }: PulseCertificate): void {
    const committee = this.committeeOf(header.session);
    const number = Number(header.number);
    if (toHex(headerDigest(header)) !== this.#digests[number - 1]) {
      throw new Violation("certificate", `another Pulse ${number} is certified than executed`);
    }
    const mask = items.reduce((sum, { header }) => sum | (1 << header.author), 0);
    if (!committee.isQuorum(mask)) {
      throw new Violation("certificate", `Pulse ${number} is certified by less than a quorum`);
    }
  }

  /** The newest Pulse and the state after it. */
  get newest(): Newest {
    return { pulse: BigInt(this.height), state: this.#state };
  }
  /** Moves of memory logs' heads. */
  get memoryMoves(): number {
    return this.#memory.moves;
  }
  /** Units that are final and not executed yet. */
  get owed(): number {
    return this.#promised.size;
  }

  /** An honest validator executed a Pulse. */
  pulse(validator: number, effect: PulseEffect): void {
    const digest = toHex(effect.digest);
    const known = this.#digests[effect.number - 1];
    if (known !== undefined) {
      if (known === digest) return;
      throw new Violation("fork", `validator ${validator} has another Pulse ${effect.number}`);
    }
    if (effect.number !== this.#digests.length + 1) {
      throw new Violation("fork", `validator ${validator} skips to Pulse ${effect.number}`);
    }
    if (!equalBytes(effect.header.previous, this.#previous)) {
      throw new Violation("fork", `Pulse ${effect.number} follows another than the one before`);
    }
    this.#digests.push(digest);
    this.#header = effect.header;
    this.#previous = effect.digest;
    this.#noteSession(effect.header);
    this.#checkCommittee(effect);
    this.#checkMoney(effect);
    this.claims.pulse(effect.header.number, effect.state);
    this.tasks.pulse(effect.header.number, effect.state);
    this.#memory.pulse(effect.header.number, effect.state);
    this.spawns.pulse(effect, this.#unit);
    this.stake.pulse(effect);
    this.storage.pulse(effect, this.#unit);
    this.#state = effect.state;
    this.#checkReceipts(effect);
    for (const receipt of effect.receipts) this.#take(receipt);
    this.#lastAnchor = effect.header.anchors.at(-1)?.round ?? this.#lastAnchor;
    for (const [digest, { unit, session }] of this.#promised) {
      const bound = this.#boundOf(unit, session);
      if (this.receipts.has(digest)) {
        this.#promised.delete(digest);
        this.#checkOutcome(digest, unit);
      } else if (bound <= this.#lastAnchor) throw lost(unit, "it expired");
    }
  }

  #noteSession({ session, sessionEnd, number, anchors }: Header): void {
    const closeOf = (end: number): number => firstRoundOf(end);
    if (sessionEnd !== null) this.#closeRounds.set(session, closeOf(Number(sessionEnd)));
    if (sessionEnd === null || number < sessionEnd || anchors.length === 0) return;
    const length = this.#epochPulses;
    if (length === null) return;
    this.#closeRounds.set(session + 1, closeOf((Math.floor(Number(number) / length) + 1) * length));
  }

  /** The next session is that of the validators in the state, with the keys that they have by now. */
  #checkCommittee({ nextSession, state, number, header }: PulseEffect): void {
    const isLast = isLastOfSession(header);
    if (isLast !== (nextSession !== null)) {
      throw new Violation("session", `Pulse ${number} ends a session without a next one`);
    }
    if (nextSession === null) return;
    const { committee, registered } = validatorSetOf(state);
    const keys = registered.map((id) => (state.at(id) as LedgerObject).value as Validator)
      .filter(({ status }) => status === "active").map(({ key }) => key);
    const expected = [committee.map(({ key }) => key), keys];
    const next = nextSession.validators.map(({ publicKey }) => publicKey);
    for (const list of expected) {
      if (
        list.length === next.length &&
        list.every((key, at) => equalBytes(key, next[at] as Uint8Array))
      ) {
        continue;
      }
      throw new Violation("session", `Pulse ${number} leads to a session of other keys`);
    }
    this.sessions.push(committeeOf(nextSession.validators));
  }

  #checkMoney({ state, number, header }: PulseEffect): void {
    try {
      checkConservation(this.#ledger, state);
    } catch (error) {
      throw new Violation("money", `in Pulse ${number}`, { cause: error });
    }
    if (!equalBytes(state.root(), header.stateRoot)) {
      throw new Violation("money", `the state of Pulse ${number} has another root`);
    }
  }

  #checkReceipts({ receipts, header, number }: PulseEffect): void {
    const leaves = receipts.map((receipt) =>
      receiptLeaf(encode(this.#ledger.receiptCodec, receipt))
    );
    leaves.forEach((leaf, at) => {
      const path = logInclusionProof(leaves, at);
      if (!verifyLogInclusion(header.receiptsRoot, leaves.length, at, leaf, path)) {
        throw new Violation("receipt", `receipt ${at} of Pulse ${number} has no proof`);
      }
    });
  }

  #take(receipt: Receipt): void {
    const { account, sequence, unit, kind } = receipt;
    const slot = slotName(account, sequence);
    const next = this.#next.get(account) ?? 0n;
    if (sequence !== next || this.used.has(slot)) {
      throw new Violation(
        "double-spend",
        `slot ${slot.slice(0, 8)}/${sequence} after ${next - 1n}`,
      );
    }
    this.#next.set(account, next + 1n);
    const isVoid = kind === VOID_KIND;
    if (this.#dead.has(unit)) throw wrongAnswer(unit);
    const known = this.#unit(unit);
    if (!isVoid && known === undefined) {
      throw new Violation("double-spend", `${unit.slice(0, 8)} executed, which nobody signed`);
    }
    if (known?.isForbidden === true && receipt.outcome.kind === "success") {
      throw new Violation("money", `${unit.slice(0, 8)} succeeded against all rules`);
    }
    this.used.set(slot, isVoid ? null : unit);
    if (isVoid) this.voids++;
    else if (receipt.index === 0) this.executed++;
    if (!isVoid) this.receipts.set(unit, [...(this.receipts.get(unit) ?? []), receipt]);
    for (const { unit: promised } of this.#promised.values()) {
      if (promised.digest !== unit && promised.slots.includes(slot)) {
        throw lost(promised, isVoid ? "its slot is void" : `${unit.slice(0, 8)} has its slot`);
      }
    }
  }

  /** What was certified had its money set aside: what hangs on nothing else succeeds. */
  #checkOutcome(digest: string, { isCertain }: KnownUnit): void {
    for (const { outcome } of this.receipts.get(digest) ?? []) {
      if (!isCertain || outcome.kind === "success") continue;
      throw new Violation("lost-payment", `${digest.slice(0, 8)} was final and ${outcome.kind}`);
    }
  }
}

function wrongAnswer(unit: string): Violation {
  return new Violation("wrong-answer", `${unit.slice(0, 8)} was said to be dead and executes`);
}

function lost({ digest }: KnownUnit, why: string): Violation {
  return new Violation("lost-payment", `${digest.slice(0, 8)} was final, but ${why}`);
}
