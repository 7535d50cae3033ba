/**
 * What became of transactions: receipts by digest, events by Pulse, and who waits for which. Recent
 * Pulses are at hand; older ones are read from the store.
 */
import type { Ledger, Unit } from "#internal/ledger/mod.ts";
import type { UnitStanding } from "#internal/consensus/mod.ts";
import type { EventView } from "#internal/rpc/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import type { PulseContents } from "./pulse_contents.ts";
import { decodeContents } from "./pulse_contents.ts";

/**
 * Receipts of recent Pulses at hand, and at most so many Pulses: one takes 850 bytes, and whoever waits for it
 * asks as its Pulse is executed.
 */
const RECENT_RECEIPTS = 1 << 9;
const RECENT_PULSES = 64;
/** Transactions whose unit is remembered. */
const REMEMBERED_UNITS = 1 << 14;
/** Pulses with events read at once. */
const EVENT_PULSES = 16;

/** A receipt's place. */
export interface Found {
  readonly contents: PulseContents;
  readonly index: number;
}

/** A page of events and where the next one begins. */
export interface EventPage {
  readonly events: readonly EventView[];
  readonly next: { readonly from: number; readonly skip: number };
}

/** What a client waits for. */
export type Until = "final" | "executed";

/** A validator's memory of transactions. */
export interface Journal {
  /** A Pulse was executed: wakes who waits for its transactions. */
  executed(contents: PulseContents): void;
  /** A unit became final or dead: wakes who waits for it. */
  settled(unit: string, standing: "final" | "dead"): void;
  /** A unit was seen, to be executed or not: its transactions can be asked about. */
  seen(unit: Unit): void;
  /** The unit of a transaction that was seen lately; the digest itself when it is unknown. */
  unitOf(digest: string): string;
  find(digest: string): Found | undefined;
  /** What was executed in a Pulse; undefined before it. */
  contents(number: number): PulseContents | undefined;
  events(from: number, skip: number, limit: number): EventPage;
  /** Resolves when the transaction is executed or dead, or final when that is waited for. */
  wait(digest: string, until: Until, options: WaitOptions): Promise<void>;
  /** Ends all waits. */
  close(): void;
}

/** How long to wait: until the time is over or the signal aborts, neither of which is an error. */
export interface WaitOptions {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly until: Until;
  readonly wake: () => void;
}

/** What a journal asks of the validator. */
export interface JournalSources {
  standingOf(unit: string): UnitStanding;
  /** Units of the blocks that an earlier run left: asked for once, when somebody asks for one. */
  earlierUnits(): Iterable<Unit>;
}

/** A journal over a store. */
export function createJournal(
  ledger: Ledger,
  store: NodeState,
  { standingOf, earlierUnits }: JournalSources,
): Journal {
  const recent = new Map<number, PulseContents>();
  const places = new Map<string, readonly [pulse: number, index: number]>();
  const units = new UnitNames(ledger, earlierUnits);
  const waiters = new Map<string, Set<Waiter>>();
  let recentReceipts = 0;

  const remember = (contents: PulseContents): void => {
    recent.set(contents.number, contents);
    recentReceipts += contents.receipts.length;
    contents.receipts.forEach(({ digest }, index) => places.set(digest, [contents.number, index]));
    while (recent.size > 1 && (recent.size > RECENT_PULSES || recentReceipts > RECENT_RECEIPTS)) {
      const [oldest] = recent.values();
      if (oldest === undefined) break;
      recent.delete(oldest.number);
      recentReceipts -= oldest.receipts.length;
      for (const { digest } of oldest.receipts) places.delete(digest);
    }
  };

  const contentsOf = (number: number): PulseContents | undefined => {
    const known = recent.get(number);
    if (known !== undefined) return known;
    const kept = store.pulse(number);
    return kept && decodeContents(ledger, number, kept.contents);
  };

  const wake = (key: string, standing: "final" | "executed" | "dead"): void => {
    for (const waiter of waiters.get(key) ?? []) {
      if (standing !== "final" || waiter.until === "final") waiter.wake();
    }
  };

  /** Known not to be executed yet, so that no store needs to be asked. */
  const isOnItsWay = (digest: string): boolean => {
    const unit = units.known(digest);
    const standing = unit === undefined ? "unknown" : standingOf(unit);
    return standing === "pending" || standing === "final";
  };

  const find = (digest: string): Found | undefined => {
    const place = places.get(digest);
    const known = place && recent.get(place[0]);
    if (place !== undefined && known !== undefined) return { contents: known, index: place[1] };
    if (isOnItsWay(digest)) return undefined;
    for (const { pulse, index } of store.receiptPlaces(digest)) {
      const contents = contentsOf(pulse);
      if (contents?.receipts[index]?.digest === digest) return { contents, index };
    }
    return undefined;
  };

  return {
    executed(contents) {
      remember(contents);
      for (const { digest, unit } of contents.receipts) {
        units.forget(digest);
        wake(digest, "executed");
        wake(unit, "executed");
      }
    },
    settled: (unit, standing) => wake(unit, standing),
    seen: (unit) => units.see(unit),
    unitOf: (digest) => units.of(digest),
    find,
    contents: contentsOf,
    events: (from, skip, limit) => eventPage({ from, skip, limit }, store, contentsOf),
    async wait(digest, until, { ms, signal }) {
      if (find(digest) !== undefined) return;
      const unit = units.of(digest);
      const standing = standingOf(unit);
      // What the order has settled to execute has its receipt once its Pulse is cut.
      const certain = standing === "final" || standing === "executed";
      const settled = standing === "dead" || (until === "final" && certain);
      if (settled || ms <= 0 || signal?.aborted === true) return;
      await waitFor(waiters, new Set([digest, unit]), until, { ms, signal });
    },
    close() {
      for (const { wake } of [...waiters.values()].flatMap((set) => [...set])) wake();
    },
  };
}

/** The units of transactions that were seen and are not executed: then their receipts name them. */
class UnitNames {
  readonly #ledger: Ledger;
  readonly #earlierUnits: JournalSources["earlierUnits"];
  readonly #units = new Map<string, string>();
  #knowsEarlier = false;

  constructor(ledger: Ledger, earlierUnits: JournalSources["earlierUnits"]) {
    this.#ledger = ledger;
    this.#earlierUnits = earlierUnits;
  }

  see(unit: Unit): void {
    const digest = this.#ledger.unitDigest(unit);
    for (const member of this.#ledger.memberDigests(unit)) this.#units.set(member, digest);
    for (const oldest of this.#units.keys()) {
      if (this.#units.size <= REMEMBERED_UNITS) break;
      this.#units.delete(oldest);
    }
  }

  /** That of a transaction, if it was seen in this run. */
  known(digest: string): string | undefined {
    return this.#units.get(digest);
  }

  /** That of a transaction; the digest itself when it is unknown. */
  of(digest: string): string {
    if (!this.#units.has(digest) && !this.#knowsEarlier) {
      this.#knowsEarlier = true;
      for (const unit of this.#earlierUnits()) this.see(unit);
    }
    return this.#units.get(digest) ?? digest;
  }

  forget(digest: string): void {
    this.#units.delete(digest);
  }
}

function waitFor(
  waiters: Map<string, Set<Waiter>>,
  keys: ReadonlySet<string>,
  until: Until,
  { ms, signal }: WaitOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      for (const key of keys) {
        const set = waiters.get(key);
        set?.delete(waiter);
        if (set?.size === 0) waiters.delete(key);
      }
      resolve();
    };
    const waiter: Waiter = { until, wake };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake, { once: true });
    for (const key of keys) {
      const set = waiters.get(key) ?? new Set();
      set.add(waiter);
      waiters.set(key, set);
    }
  });
}

function eventPage(
  { from, skip, limit }: { from: number; skip: number; limit: number },
  store: NodeState,
  contentsOf: (number: number) => PulseContents | undefined,
): EventPage {
  const events: EventView[] = [];
  const next = { from, skip };
  for (;;) {
    const numbers = store.pulsesWithEvents(next.from, EVENT_PULSES);
    for (const number of numbers) {
      if (number > next.from) Object.assign(next, { from: number, skip: 0 });
      const ofPulse = contentsOf(number)?.events ?? [];
      const taken = ofPulse.slice(next.skip, next.skip + limit - events.length);
      events.push(...taken);
      next.skip += taken.length;
      if (next.skip < ofPulse.length) return { events, next };
      Object.assign(next, { from: number + 1, skip: 0 });
    }
    if (numbers.length < EVENT_PULSES || events.length >= limit) return { events, next };
  }
}
