/**
 * The light client behind the pages: it verifies the newest certified Pulse, again and again, as long
 * as somebody looks. What it found is kept, some Pulses of it, so that a page costs nothing anew. A
 * pinned chain is followed too, from the head that this machine trusts, so that a fork is noticed.
 */
import type { Client } from "#internal/client/mod.ts";
import type { Clock, Logger } from "#internal/core/mod.ts";
import { decode, messageOf, SionError } from "#internal/core/mod.ts";
import type { Ledger, Receipt } from "#internal/ledger/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";

/** How often the node is asked for a new Pulse, ms. */
const POLL_MS = 500;
/** How long after the last look at a page the watch goes on, ms. */
const LINGER_MS = 60_000;
/** Newest Pulses that are remembered for the lists of what happened. */
const MAX_RECENT = 60;
/** Pulses before the newest that are verified too, while nothing new comes. */
const MAX_BACK = 10;
/** Verified Pulses that are kept for their pages. */
const MAX_KEPT = 64;
/** Receipts of a Pulse that are kept to be shown. */
const MAX_RECEIPTS = 100;
/** Pulses that wait to be verified, one after the other. */
const MAX_WAITING = 8;

/** A Pulse as this machine verified it. */
export interface SeenPulse {
  readonly number: number;
  /** Whether all nine checks hold. */
  readonly verified: boolean;
  /** Whether the chain's identity was given from outside. */
  readonly pinned: boolean;
  /** Nine lines. */
  readonly report: readonly string[];
  /** When it was verified. */
  readonly atMs: number;
  /** Transactions and void slots in it. */
  readonly count: number;
  /** The first of them; they are the Pulse's where the fifth check holds. */
  readonly receipts: readonly Receipt[];
}

/** What became of the chain. */
export interface News {
  /** One paragraph; empty where nothing is to be said, but to be shown. */
  readonly said: string;
  /** Not to be missed, unlike one more Pulse that holds. */
  readonly urgent: boolean;
}

/** What is known of the node just now. */
export interface Trouble {
  readonly code: string;
  readonly sentence: string;
}

/** The node serves another chain than it did. */
export interface Switched {
  readonly from: string;
  readonly to: string;
}

/** See the file. Disposing of it ends it. */
export interface Watch extends Disposable {
  /** Newest first. */
  readonly recent: readonly SeenPulse[];
  /** Why the node told nothing when it was last asked; undefined while it answers. */
  readonly trouble: Trouble | undefined;
  /** The last time that the node came to serve another chain, if it ever did. */
  readonly switched: Switched | undefined;
  /** Somebody looks: goes on for a while. Resolves once something is known, or after `ms`. */
  look(ms: number): Promise<void>;
  /** Somebody wants to be told, and looks until the subscription is disposed of. */
  follow(tell: (news: News) => void): Disposable;
  /** Verifies a Pulse, unless that was done. @throws {SionError} `busy`, and as `verifyPulse` */
  verify(number: number): Promise<SeenPulse>;
}

/** What a watch works with. */
export interface WatchOptions {
  /** Of the node that is watched. */
  readonly client: Client;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The chain identity that the client insists on. */
  readonly pinned?: string | undefined;
}

/** A watch of a client's node; it asks nothing before somebody looks. */
export function watchChain(options: WatchOptions): Watch {
  return new ChainWatch(options);
}

class ChainWatch implements Watch {
  readonly #client: Client;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #isPinned: boolean;
  readonly #stop = new AbortController();
  readonly #followers = new Set<(news: News) => void>();
  /** Verified Pulses in the order of their use, and those that are being verified. */
  readonly #kept = new Map<number, SeenPulse>();
  readonly #waiting = new Map<number, Promise<SeenPulse>>();
  #last: Promise<unknown> = Promise.resolve();
  #recent: SeenPulse[] = [];
  #trouble: Trouble | undefined;
  #chain: string | undefined;
  #switched: Switched | undefined;
  #lookedMs = -Infinity;
  #running = false;
  #known = Promise.withResolvers<void>();

  constructor({ client, ledger, clock, logger, pinned }: WatchOptions) {
    this.#client = client;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#logger = logger;
    this.#isPinned = pinned !== undefined;
  }

  get recent(): readonly SeenPulse[] {
    return this.#recent;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get switched(): Switched | undefined {
    return this.#switched;
  }

  async look(ms: number): Promise<void> {
    this.#lookedMs = this.#clock.nowMs();
    this.#start();
    const waiting = new AbortController();
    await Promise.race([this.#known.promise, sleep(ms, waiting.signal).catch(() => {})]);
    waiting.abort();
  }

  follow(tell: (news: News) => void): Disposable {
    this.#followers.add(tell);
    this.#start();
    return {
      [Symbol.dispose]: () => {
        this.#followers.delete(tell);
        this.#lookedMs = this.#clock.nowMs();
      },
    };
  }

  async verify(number: number): Promise<SeenPulse> {
    const kept = this.#kept.get(number);
    if (kept !== undefined) {
      this.#keep(kept);
      return kept;
    }
    const begun = this.#waiting.get(number);
    if (begun !== undefined) return await begun;
    if (this.#waiting.size >= MAX_WAITING) {
      throw new SionError("busy", "too many Pulses are being verified: try again in a moment");
    }
    const chain = this.#chain;
    // One after the other: each takes a processor for a while.
    const verifying = this.#last.then(() => this.#verify(number));
    this.#last = verifying.catch(() => {});
    this.#waiting.set(number, verifying);
    try {
      const seen = await verifying;
      // What does not hold now may hold later, when the node has more of it.
      if (seen.verified && chain === this.#chain) this.#keep(seen);
      return seen;
    } finally {
      this.#waiting.delete(number);
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#known.resolve();
  }

  async #verify(number: number): Promise<SeenPulse> {
    let receipts: readonly Uint8Array[] = [];
    const { pinned, report, verified } = await this.#client.verifyPulse({
      pulse: number,
      onReceipts: (told) => receipts = told,
    }, { signal: this.#stop.signal });
    return {
      number,
      verified,
      pinned,
      report,
      atMs: this.#clock.nowMs(),
      count: receipts.length,
      // Bytes that are no receipt fail the check that they are of.
      receipts: verified
        ? receipts.slice(0, MAX_RECEIPTS).map((bytes) => decode(this.#ledger.receiptCodec, bytes))
        : [],
    };
  }

  #keep(seen: SeenPulse): void {
    this.#kept.delete(seen.number);
    this.#kept.set(seen.number, seen);
    for (const number of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) return;
      this.#kept.delete(number);
    }
  }

  #start(): void {
    if (this.#running || this.#stop.signal.aborted) return;
    this.#running = true;
    void this.#run().finally(() => this.#running = false);
  }

  #isWanted(): boolean {
    return this.#followers.size > 0 || this.#clock.nowMs() - this.#lookedMs < LINGER_MS;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && this.#isWanted()) {
      try {
        await this.#step();
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
      }
      await sleep(POLL_MS, signal).catch(() => {});
    }
    // Whoever looks next waits for what is new then.
    this.#known = Promise.withResolvers();
  }

  async #step(): Promise<void> {
    const status = await this.#client.status({ signal: this.#stop.signal });
    if (this.#trouble !== undefined) {
      this.#trouble = undefined;
      this.#tell("The node answers again.", true);
    }
    this.#useChain(status.chain);
    const number = status.certified_pulse;
    if (number < 1 || number <= (this.#recent[0]?.number ?? 0)) {
      this.#known.resolve();
      return await this.#lookBack(status.chain);
    }
    const seen = await this.verify(number);
    if (this.#chain !== status.chain) return;
    if (seen.verified && this.#isPinned) await this.#follow();
    this.#list(seen);
    this.#known.resolve();
    this.#tell(verdictOf(seen), !seen.verified);
  }

  /** Verifies one Pulse of those right before the newest that were passed over. */
  async #lookBack(chain: string): Promise<void> {
    const newest = this.#recent[0]?.number ?? 0;
    const known = new Set(this.#recent.map((seen) => seen.number));
    const missing = Array.from({ length: MAX_BACK }, (_, at) => newest - 1 - at)
      .find((number) => number >= 1 && !known.has(number));
    if (missing === undefined) return;
    const seen = await this.verify(missing);
    if (this.#chain !== chain) return;
    this.#list(seen);
    this.#tell(seen.verified ? "" : verdictOf(seen), !seen.verified);
  }

  #list(seen: SeenPulse): void {
    this.#recent = [seen, ...this.#recent.filter(({ number }) => number !== seen.number)]
      .sort((a, b) => b.number - a.number).slice(0, MAX_RECENT);
  }

  /** Trusts the newest head. @throws {SionError} `fork`, `withheld`, `bad-encoding`, `behind`, … */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const heads = this.#client.followChain({ once: true, signal });
    for await (const _head of heads);
  }

  #useChain(chain: string): void {
    const from = this.#chain;
    this.#chain = chain;
    if (from === undefined || from === chain) return;
    this.#switched = { from, to: chain };
    this.#recent = [];
    this.#kept.clear();
    this.#tell("The node serves another chain now.", true);
  }

  #fail(error: unknown): void {
    const trouble = error instanceof SionError
      ? { code: error.code, sentence: error.message }
      : { code: "internal", sentence: "a Pulse cannot be verified, `sion explore` failed inside" };
    if (trouble.code === "internal") {
      this.#logger.log("error", "A Pulse cannot be verified", { reason: messageOf(error) });
    }
    const isNews = this.#trouble?.sentence !== trouble.sentence;
    this.#trouble = trouble;
    this.#known.resolve();
    if (isNews) this.#tell(`${capital(trouble.sentence)}.`, true);
  }

  #tell(said: string, urgent: boolean): void {
    for (const tell of this.#followers) tell({ said, urgent });
  }
}

/** What the checks of a Pulse came to, as a sentence. */
export function verdictOf({ number, verified, report, count }: SeenPulse): string {
  const what = count === 1 ? "1 transaction" : `${count === 0 ? "no" : count} transactions`;
  if (verified) return `Pulse ${number} is verified, with ${what}: all nine checks hold.`;
  const failed = report.find((line) => line.endsWith("✗")) ?? "a check does not hold";
  return `Pulse ${number} is not verified: ${failed.replace(/ ✗$/, "")}.`;
}

/** A sentence that begins with a capital, unless it begins with a name of the program's. */
export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
