/** A virtual network: every link delays, loses, repeats and reorders by its own stream of numbers. */
import { Random } from "./random.ts";
import type { Timeline } from "./timeline.ts";

/** Bytes on their way. One value goes to all receivers of a broadcast. */
export interface Frame {
  readonly bytes: Uint8Array;
}

/** How a network treats what is sent. */
export interface Weather {
  /** Least and most time on the way, ms. */
  readonly delayMs: readonly [number, number];
  /** Chance that a message is lost. */
  readonly loss: number;
  /** Chance that it arrives twice. */
  readonly duplicates: number;
}

/** What a network is made with. */
export interface NetworkOptions<F extends Frame> {
  readonly timeline: Timeline;
  readonly size: number;
  readonly seed: number;
  readonly weather: Weather;
  readonly deliver: (from: number, to: number, frame: F) => void;
}

/** All links between validators. */
export class Network<F extends Frame> {
  readonly #options: NetworkOptions<F>;
  readonly #links: readonly (readonly Random[])[];
  /** Of each validator, the part of the network it is in. */
  #parts: readonly number[];
  /** Additional time of what a validator sends, ms. */
  readonly #lagMs: number[];
  weather: Weather;

  constructor(options: NetworkOptions<F>) {
    this.#options = options;
    this.weather = options.weather;
    const all = Array.from({ length: options.size }, (_, i) => i);
    this.#parts = all.map(() => 0);
    this.#lagMs = all.map(() => 0);
    this.#links = all.map((from) => all.map((to) => new Random(options.seed, "link", from, to)));
  }

  /** Cuts the network into parts: validators with different numbers do not hear each other. */
  cut(parts: readonly number[]): void {
    this.#parts = parts;
  }
  /** Ends all cuts and lags. */
  heal(): void {
    this.#parts = this.#parts.map(() => 0);
    this.#lagMs.fill(0);
  }
  /** Makes all that a validator sends late. */
  lag(from: number, byMs: number): void {
    this.#lagMs[from] = byMs;
  }

  send(from: number, to: number, frame: F): void {
    const { timeline, deliver } = this.#options;
    const random = this.#links[from]?.[to];
    if (random === undefined || from === to || this.#parts[from] !== this.#parts[to]) return;
    const { delayMs: [least, most], loss, duplicates } = this.weather;
    for (let copies = random.chance(duplicates) ? 2 : 1; copies > 0; copies--) {
      const delayMs = least + random.next() * (most - least) + (this.#lagMs[from] ?? 0);
      if (!random.chance(loss)) timeline.after(delayMs, () => deliver(from, to, frame));
    }
  }
}
