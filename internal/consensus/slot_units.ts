/**
 * The units that want each slot, by the slot's key. A slot mostly has one, which then takes no set of its
 * own: with units of many members, slots are most of what a validator knows of units. Units whose slots
 * the state has passed are held by runs of them, one for an account's slots in a row.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type { Slot } from "#internal/ledger/mod.ts";
import { slotKey, slotOf } from "./unit_facts.ts";

const NO_UNITS: readonly string[] = [];

/** Slots of an account, one after the other, of one unit. */
interface Run {
  readonly from: bigint;
  readonly to: bigint;
  readonly digest: string;
}

/** The runs of an account. */
interface Past {
  /** By ascending `from`. */
  readonly runs: readonly Run[];
  /** Key of the first slot behind all of them. */
  readonly endKey: string;
}

/** Which units want which slots. */
export class SlotUnits {
  readonly #units = new Map<string, string | Set<string>>();
  readonly #past = new Map<AccountId, Past>();
  /** The longest run that was ever held. */
  #longest = 0n;

  /**
   * Digests of the slot's units: those that are past, then the others in the order they came.
   * @param account the slot's, for who has it at hand
   */
  on(key: string, account: AccountId = slotOf(key).account): readonly string[] {
    const units = this.#units.get(key) ?? NO_UNITS;
    const others = typeof units === "string" ? [units] : [...units];
    const past = this.#past.get(account);
    // Mostly it is asked for slots that come next.
    return past === undefined || key >= past.endKey
      ? others
      : [...this.#pastOn(past, key), ...others];
  }

  /** Adds a unit. @returns how many that are not past the slot has. */
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

  /** Takes a unit away that is not past. @returns how many are left. */
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

  /** Adds a unit whose slots are all past. */
  addPast(digest: string, slots: readonly Slot[]): void {
    for (const { account, from, to } of runsOf(slots)) {
      const { runs = [], endKey = "" } = this.#past.get(account) ?? {};
      const toKey = slotKey(account, to);
      const place = placeOf(runs, from + 1n);
      this.#past.set(account, {
        runs: runs.toSpliced(place, 0, { from, to, digest }),
        endKey: toKey > endKey ? toKey : endKey,
      });
      if (to - from > this.#longest) this.#longest = to - from;
    }
  }

  /** Takes units away that are past. */
  forgetPast(digests: ReadonlySet<string>): void {
    if (digests.size === 0) return;
    for (const [account, { runs, endKey }] of this.#past) {
      const left = runs.filter(({ digest }) => !digests.has(digest));
      if (left.length === 0) this.#past.delete(account);
      else if (left.length < runs.length) this.#past.set(account, { runs: left, endKey });
    }
  }

  *#pastOn({ runs }: Past, key: string): Iterable<string> {
    const { sequence } = slotOf(key);
    for (let at = placeOf(runs, sequence - this.#longest + 1n); at < runs.length; at++) {
      const { from, to, digest } = runs[at] as Run;
      if (from > sequence) return;
      if (sequence < to) yield digest;
    }
  }
}

/** Where the first run is that begins at the slot or after it. */
function placeOf(runs: readonly Run[], from: bigint): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle] as Run).from < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function runsOf(slots: readonly Slot[]): readonly (Omit<Run, "digest"> & Pick<Slot, "account">)[] {
  const runs: { account: AccountId; from: bigint; to: bigint }[] = [];
  for (const { account, sequence } of slots) {
    const last = runs.at(-1);
    if (last?.account === account && last.to === sequence) last.to++;
    else runs.push({ account, from: sequence, to: sequence + 1n });
  }
  return runs;
}
