/**
 * The units that want each slot, by the slot's key. A slot mostly has one, which then takes no set of its
 * own: with units of many members, slots are most of what a validator knows of units. Units whose slots
 * the state has passed are held by runs of them, one for an account's slots in a row.
 */
import type { AccountId } from "#internal/core/mod.ts";
import type { Slot } from "#internal/ledger/mod.ts";
import { slotOf } from "./unit_facts.ts";

/** Slots of an account, one after the other, of one unit. */
interface Run {
  readonly from: bigint;
  readonly to: bigint;
  readonly digest: string;
}

/** Which units want which slots. */
export class SlotUnits {
  readonly #units = new Map<string, string | Set<string>>();
  /** Of each account, by ascending `from`. */
  readonly #past = new Map<AccountId, Run[]>();
  /** The longest run that was ever held. */
  #longest = 0n;

  /** Digests of the slot's units: those that are past, then the others in the order they came. */
  *on(key: string): Iterable<string> {
    yield* this.#pastOn(slotOf(key));
    const units = this.#units.get(key) ?? [];
    if (typeof units === "string") yield units;
    else yield* units;
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
      const runs = this.#past.get(account) ?? [];
      this.#past.set(account, runs);
      // They mostly come in the order of their slots.
      runs.splice(placeOf(runs, from + 1n), 0, { from, to, digest });
      if (to - from > this.#longest) this.#longest = to - from;
    }
  }

  /** Takes units away that are past. */
  forgetPast(digests: ReadonlySet<string>): void {
    if (digests.size === 0) return;
    for (const [account, runs] of this.#past) {
      const left = runs.filter(({ digest }) => !digests.has(digest));
      if (left.length === 0) this.#past.delete(account);
      else if (left.length < runs.length) this.#past.set(account, left);
    }
  }

  *#pastOn({ account, sequence }: Slot): Iterable<string> {
    const runs = this.#past.get(account) ?? [];
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
