/** Randomness of a run: streams of numbers that depend on the seed and a label, and on nothing else. */

/** A deterministic source of choices. */
export class Random {
  #state: number;

  /**
   * Streams of different labels are independent, so that taking one more number in one place
   * changes nothing in another: without this, no schedule could be shortened.
   */
  constructor(seed: number, ...labels: readonly (string | number)[]) {
    let hash = (seed ^ 0x811c9dc5) >>> 0;
    for (const char of labels.join("/")) {
      hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193) >>> 0;
    }
    this.#state = hash;
    this.next();
  }

  /** A number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(probability: number): boolean {
    return this.next() < probability;
  }
  /** A whole number from `least` to `most`, both possible. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError("Cannot pick from nothing");
    return from[this.int(0, from.length - 1)] as T;
  }
  /** The same members in another order. */
  shuffled<T>(from: readonly T[]): T[] {
    const left = [...from];
    for (let i = left.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      const held = left[i] as T;
      left[i] = left[j] as T;
      left[j] = held;
    }
    return left;
  }
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.int(0, 255));
  }
}
