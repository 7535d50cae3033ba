/**
 * What a validator must never forget while it can matter: which unit it voted for on a slot, and
 * which slots it stopped. Every change is a row that is durable before the block that made it leaves.
 */
import type { AccountId } from "#internal/core/mod.ts";
import { decode, encode, id, option, struct, u32 } from "#internal/core/mod.ts";
import type { OwnRow } from "./contract.ts";
import type { UnitFacts } from "./unit_facts.ts";
import { slotKey } from "./unit_facts.ts";

/** The unit that holds a slot, by this validator's vote. */
export interface Lock {
  readonly unit: string;
  /** The lock lasts until an executed anchor has this round. */
  readonly bound: number;
}

/** A slot that this validator stopped. */
export interface OwnStop {
  /** The unit that had its vote quorum then; only this one may be confirmed. */
  readonly named: string | null;
}

const LOCK_TABLE = "lock";
const STOP_TABLE = "stop";
const lockCodec = struct({ unit: id, bound: u32 });
const stopCodec = struct({ named: option(id) });

/** Locks and stops by slot. */
export class OwnState {
  readonly #locks = new Map<string, Lock>();
  readonly #stops = new Map<string, OwnStop>();
  /** Own blocks made; the number of the one whose history first gave a reason to stop a slot. */
  readonly #reasons = new Map<string, number>();
  #blocks = 0;
  #rows: OwnRow[] = [];
  /** The newest Pulse that this validator voted for. */
  votedPulse = 0;

  lockOf(key: string): Lock | undefined {
    return this.#locks.get(key);
  }
  stopOf(key: string): OwnStop | undefined {
    return this.#stops.get(key);
  }

  /** True unless another unit holds one of the slots or one of them is stopped. */
  isFree({ digest, keys }: UnitFacts): boolean {
    return keys.every((key) => {
      const lock = this.#locks.get(key);
      return !this.#stops.has(key) && (lock === undefined || lock.unit === digest);
    });
  }
  hasVoted({ digest, keys }: UnitFacts): boolean {
    return keys.some((key) => this.#locks.get(key)?.unit === digest);
  }

  lock({ digest, keys, bound }: UnitFacts): void {
    for (const key of keys) {
      const lock = { unit: digest, bound };
      this.#locks.set(key, lock);
      this.#put(LOCK_TABLE, key, encode(lockCodec, lock));
    }
  }

  stop(key: string, named: string | null): void {
    this.#stops.set(key, { named });
    this.#put(STOP_TABLE, key, encode(stopCodec, { named }));
  }

  /** True when the author's Stops of the unit's slots allow a Confirm of it. */
  mayConfirm({ digest, keys }: UnitFacts): boolean {
    return keys.every((key) => {
      const stop = this.#stops.get(key);
      return stop === undefined || stop.named === digest;
    });
  }

  /** Counts an own block. */
  blockMade(): void {
    this.#blocks++;
  }
  /**
   * Notes that the block being made has a reason to stop the slot in its history.
   * @returns how many own blocks came after the first that had.
   */
  reasonSeen(key: string): number {
    const first = this.#reasons.get(key);
    if (first !== undefined) return this.#blocks - first;
    this.#reasons.set(key, this.#blocks);
    return 0;
  }
  hasReason(key: string): boolean {
    return this.#reasons.has(key);
  }
  reasons(): Iterable<string> {
    return this.#reasons.keys();
  }

  /** Nothing about a consumed slot matters any more. */
  slotConsumed(account: AccountId, sequence: bigint): void {
    const key = slotKey(account, sequence);
    if (this.#locks.delete(key)) this.#rows.push({ op: "delete", table: LOCK_TABLE, key });
    if (this.#stops.delete(key)) this.#rows.push({ op: "delete", table: STOP_TABLE, key });
    this.#reasons.delete(key);
  }

  /** Releases the locks of units whose bound an executed anchor reached. */
  anchorExecuted(round: number): void {
    for (const [key, { bound }] of this.#locks) {
      if (bound > round) continue;
      this.#locks.delete(key);
      this.#rows.push({ op: "delete", table: LOCK_TABLE, key });
    }
  }

  /** Takes back what an earlier run persisted. Rows of unknown tables are passed over. */
  restore(row: { readonly table: string; readonly key: string; readonly value: Uint8Array }): void {
    if (row.table === LOCK_TABLE) this.#locks.set(row.key, decode(lockCodec, row.value));
    if (row.table === STOP_TABLE) this.#stops.set(row.key, decode(stopCodec, row.value));
  }

  /** Rows that changed since the last call, in order. */
  takeRows(): OwnRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #put(table: string, key: string, value: Uint8Array): void {
    this.#rows.push({ op: "put", table, key, value });
  }
}
