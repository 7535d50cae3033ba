/** Units that wait for a place in this validator's blocks, bounded in bytes. */
import type { CarriedUnit } from "./block.ts";

/** A waiting unit with the size it takes. */
export interface QueuedUnit extends CarriedUnit {
  readonly digest: string;
  readonly bytes: number;
}

/** First in, first out. */
export class UnitQueue {
  readonly #maxBytes: number;
  readonly #units = new Map<string, QueuedUnit>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }
  get size(): number {
    return this.#units.size;
  }
  has(digest: string): boolean {
    return this.#units.has(digest);
  }

  /** False when there is no room. A unit that waits already takes none; it may become forced. */
  push(unit: QueuedUnit): boolean {
    const known = this.#units.get(unit.digest);
    if (known !== undefined) {
      if (unit.forced && !known.forced) this.#units.set(unit.digest, { ...known, forced: true });
      return true;
    }
    if (this.#bytes + unit.bytes > this.#maxBytes) return false;
    this.#units.set(unit.digest, unit);
    this.#bytes += unit.bytes;
    return true;
  }

  /** Takes units for a block, as many as fit, of those that `choose` wants. */
  take(
    limits: { readonly bytes: number; readonly units: number; readonly forced: number },
    choose: (unit: QueuedUnit) => "take" | "leave" | "drop",
  ): QueuedUnit[] {
    const taken: QueuedUnit[] = [];
    let { bytes, forced } = limits;
    for (const unit of this.#units.values()) {
      if (taken.length === limits.units) break;
      const choice = choose(unit);
      if (choice === "drop") this.delete(unit.digest);
      if (choice !== "take") continue;
      if (unit.bytes > bytes || (unit.forced && forced === 0)) continue;
      bytes -= unit.bytes;
      if (unit.forced) forced--;
      this.delete(unit.digest);
      taken.push(unit);
    }
    return taken;
  }

  /** Takes all. */
  clear(): QueuedUnit[] {
    const all = [...this.#units.values()];
    this.#units.clear();
    this.#bytes = 0;
    return all;
  }

  delete(digest: string): void {
    const unit = this.#units.get(digest);
    if (unit === undefined) return;
    this.#units.delete(digest);
    this.#bytes -= unit.bytes;
  }
}
