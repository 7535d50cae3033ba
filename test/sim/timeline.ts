/** Virtual time: what is to happen, by time and, at one time, in the order it was asked for. */

interface Happening {
  readonly atMs: number;
  readonly order: number;
  run(): void;
}

/** A queue of happenings. Nothing else in a run knows what time it is. */
export class Timeline {
  #nowMs: number;
  /** A binary heap: each parent comes before its children. */
  readonly #heap: Happening[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  /** The present. It only grows. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Happenings asked for so far. */
  get count(): number {
    return this.#order;
  }

  /** Asks for something at a time; a past one means now. */
  at(atMs: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ atMs, order: this.#order++, run });
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (!this.#isBefore(child, parent)) break;
      this.#swap(child, parent);
      child = parent;
    }
  }
  after(delayMs: number, run: () => void): void {
    this.at(this.#nowMs + delayMs, run);
  }

  /** Runs until the condition holds or the time is over. True when it holds. */
  run(forMs: number, until: () => boolean = () => false): boolean {
    const endMs = this.#nowMs + forMs;
    while (!until()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) {
        this.#nowMs = endMs;
        return until();
      }
      this.#takeFirst();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    return true;
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a] as Happening, this.#heap[b] as Happening];
    return x.atMs < y.atMs || (x.atMs === y.atMs && x.order < y.order);
  }
  #swap(a: number, b: number): void {
    const held = this.#heap[a] as Happening;
    this.#heap[a] = this.#heap[b] as Happening;
    this.#heap[b] = held;
  }
  #takeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0;;) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < heap.length && this.#isBefore(child, least)) least = child;
      }
      if (least === parent) return;
      this.#swap(least, parent);
      parent = least;
    }
  }
}
