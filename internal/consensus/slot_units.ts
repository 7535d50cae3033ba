/**
 * The units that want each slot, by the slot's key. A slot mostly has one, which then takes no set of its
 * own: with units of many members, slots are most of what a validator knows of units.
 */
export class SlotUnits {
  readonly #units = new Map<string, string | Set<string>>();

  /** Digests of the slot's units, in the order they came. */
  on(key: string): Iterable<string> {
    const units = this.#units.get(key) ?? [];
    return typeof units === "string" ? [units] : units;
  }

  /** Adds a unit. @returns how many the slot has. */
  add(key: string, digest: string): number {
    const units = this.#units.get(key);
    if (units === undefined || units === digest) {
      this.#units.set(key, digest);
      return 1;
    }
    const several = typeof units === "string" ? new Set([units]) : units;
    this.#units.set(key, several.add(digest));
    return several.size;
  }

  /** Takes a unit away. @returns how many are left. */
  delete(key: string, digest: string): number {
    const units = this.#units.get(key);
    if (units instanceof Set) units.delete(digest);
    const left = units instanceof Set
      ? units.size
      : units === undefined || units === digest
      ? 0
      : 1;
    if (left === 0) this.#units.delete(key);
    return left;
  }
}
