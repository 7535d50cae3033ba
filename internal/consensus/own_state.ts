/**
 * What a validator must never forget while it can matter: which unit it voted for on a slot, and
 * which slots it stopped. Every change is a row that is durable before the block that made it leaves.
 */
import type { AccountId } from "#internal/core/mod.ts";
import { bytes32, decode, encode, id, list, option, struct, u32, u64 } from "#internal/core/mod.ts";
import { MAX_MEMBERS } from "#internal/ledger/mod.ts";
import type { OwnRow } from "./records.ts";
import type { UnitFacts } from "./unit_facts.ts";
import { slotKey, slotOf } from "./unit_facts.ts";

/** The unit that holds a slot, by this validator's vote. */
export interface Lock {
  readonly unit: string;
  /** The lock lasts until an executed anchor has this round. */
  readonly bound: number;
}

/** A vote's locks: one row, until the last of its slots is free. */
interface HeldLock extends Lock {
  /** Slots that it still holds. */
  left: number;
}

/** A slot that this validator stopped. */
export interface OwnStop {
  /** The unit that had its vote quorum then; only this one may be confirmed. */
  readonly named: string | null;
}

/** The newest own block of a session. */
export interface OwnBlock {
  readonly round: number;
  readonly id: Uint8Array;
  readonly timeMs: bigint;
}

const LOCK_TABLE = "locks";
/** Where each slot had a row of its own. */
const EARLIER_LOCK_TABLE = "lock";
const STOP_TABLE = "stop";
const OWN_TABLE = "own";
const STALE_TABLE = "stale";
const lockCodec = struct({
  bound: u32,
  slots: list(struct({ account: id, sequence: u64 }), MAX_MEMBERS),
});
const earlierLockCodec = struct({ unit: id, bound: u32 });
const stopCodec = struct({ named: option(id) });
const ownCodec = struct({ round: u32, id: bytes32, timeMs: u64 });

/** Locks and stops by slot, in one session. */
export class OwnState {
  readonly #session: string;
  readonly #lockTable: string;
  readonly #earlierLockTable: string;
  readonly #stopTable: string;
  #last: OwnBlock | undefined;
  #newestRound = 0;
  #stale = false;
  readonly #locks = new Map<string, HeldLock>();
  readonly #stops = new Map<string, OwnStop>();
  /** Own blocks made; the number of the one whose history first gave a reason to stop a slot. */
  readonly #reasons = new Map<string, number>();
  #blocks = 0;
  #rows: OwnRow[] = [];
  /** The newest Pulse that this validator voted for. */
  votedPulse = 0;

  constructor(session: number) {
    this.#session = String(session);
    this.#lockTable = `${LOCK_TABLE}/${session}`;
    this.#earlierLockTable = `${EARLIER_LOCK_TABLE}/${session}`;
    this.#stopTable = `${STOP_TABLE}/${session}`;
  }

  /** The newest own block. */
  get last(): OwnBlock | undefined {
    return this.#last;
  }
  /** The highest round of an own block, in whatever session; 0 before the first. */
  get newestRound(): number {
    return this.#newestRound;
  }
  /** The store is older than a block of its key: the key never signs again. */
  get isStale(): boolean {
    return this.#stale;
  }

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

  lock({ digest, keys, slots, bound }: UnitFacts): void {
    this.#hold({ unit: digest, bound }, keys);
    this.#put(this.#lockTable, digest, encode(lockCodec, { bound, slots }));
  }

  stop(key: string, named: string | null): void {
    this.#stops.set(key, { named });
    this.#put(this.#stopTable, key, encode(stopCodec, { named }));
  }

  /** True when the author's Stops of the unit's slots allow a Confirm of it. */
  mayConfirm({ digest, keys }: UnitFacts): boolean {
    return keys.every((key) => {
      const stop = this.#stops.get(key);
      return stop === undefined || stop.named === digest;
    });
  }

  /** Counts an own block that is being made. */
  blockMade(): void {
    this.#blocks++;
  }
  /** Notes an own block that is signed. */
  signed(block: OwnBlock): void {
    this.#last = block;
    this.#newestRound = Math.max(this.#newestRound, block.round);
    this.#put(OWN_TABLE, this.#session, encode(ownCodec, block));
  }
  setStale(): void {
    if (this.#stale) return;
    this.#stale = true;
    this.#put(STALE_TABLE, "", new Uint8Array(0));
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
  slotConsumed(key: string): void {
    this.#release(key);
    if (this.#stops.delete(key)) this.#delete(this.#stopTable, key);
    this.#reasons.delete(key);
  }

  /** Releases the locks of units whose bound an executed anchor reached. */
  anchorExecuted(round: number): void {
    for (const [key, { bound }] of this.#locks) {
      if (bound <= round) this.#release(key);
    }
  }

  /**
   * Lets go of what an earlier run held and Pulses since then settled, which it did not execute.
   * @param lastAnchor round of the newest executed anchor.
   */
  settle(lastAnchor: number, isUsed: (account: AccountId, sequence: bigint) => boolean): void {
    this.anchorExecuted(lastAnchor);
    for (const key of [...this.#locks.keys(), ...this.#stops.keys()]) {
      const { account, sequence } = slotOf(key);
      if (isUsed(account, sequence)) this.slotConsumed(key);
    }
  }

  /**
   * Takes back what an earlier run persisted. Rows of unknown tables are passed over; locks and stops
   * of earlier sessions bind no more and are dropped.
   */
  restore({ table, key, value }: {
    readonly table: string;
    readonly key: string;
    readonly value: Uint8Array;
  }): void {
    if (table === this.#lockTable) {
      const { bound, slots } = decode(lockCodec, value);
      const keys = slots.map(({ account, sequence }) => slotKey(account, sequence));
      this.#hold({ unit: key, bound }, keys);
    }
    if (table === this.#earlierLockTable) this.#restoreEarlier(key, value);
    if (table === this.#stopTable) this.#stops.set(key, decode(stopCodec, value));
    if (table === OWN_TABLE) {
      const block = decode(ownCodec, value);
      this.#newestRound = Math.max(this.#newestRound, block.round);
      if (key === this.#session) this.#last = block;
    }
    if (table === STALE_TABLE) this.#stale = true;
    const [kind, session] = table.split("/");
    const isOfSession = kind === LOCK_TABLE || kind === EARLIER_LOCK_TABLE || kind === STOP_TABLE;
    if (isOfSession && Number(session) < Number(this.#session)) {
      this.#rows.push({ op: "delete", table, key });
    }
  }

  /** Takes over what outlives a session: rows to be made durable, and a lost key's mark. */
  inherit(from: OwnState): void {
    this.#rows.push(...from.takeRows());
    this.#stale = from.#stale;
    this.#newestRound = from.#newestRound;
  }

  /** The session is over: its locks and stops bind no more. */
  close(): void {
    for (const key of this.#locks.keys()) this.#release(key);
    for (const key of this.#stops.keys()) this.#delete(this.#stopTable, key);
    this.#stops.clear();
    this.#reasons.clear();
  }

  /** Makes a row of another part durable with the own ones. */
  keep(row: OwnRow): void {
    this.#rows.push(row);
  }

  /** Rows that changed since the last call, in order. */
  takeRows(): OwnRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** @param keys the slots' */
  #hold({ unit, bound }: Lock, keys: readonly string[]): void {
    const lock = { unit, bound, left: keys.length };
    for (const key of keys) {
      this.#release(key);
      this.#locks.set(key, lock);
    }
  }

  /** The row goes with the last slot: one that is free in it already is consumed, or its time is over. */
  #release(key: string): void {
    const lock = this.#locks.get(key);
    if (lock === undefined) return;
    this.#locks.delete(key);
    lock.left--;
    if (lock.left === 0) this.#delete(this.#lockTable, lock.unit);
  }

  /** Puts the lock of a slot with those of its unit. */
  #restoreEarlier(key: string, value: Uint8Array): void {
    const { unit, bound } = decode(earlierLockCodec, value);
    const keys = [...this.#locks].flatMap(([other, lock]) => lock.unit === unit ? [other] : []);
    this.#delete(this.#earlierLockTable, key);
    this.#hold({ unit, bound }, [...keys, key]);
    const slots = [...keys, key].map(slotOf);
    this.#put(this.#lockTable, unit, encode(lockCodec, { bound, slots }));
  }

  #delete(table: string, key: string): void {
    this.#rows.push({ op: "delete", table, key });
  }
  #put(table: string, key: string, value: Uint8Array): void {
    this.#rows.push({ op: "put", table, key, value });
  }
}
