/** What a validator never forgets, as rows and back. */
import { describe, expect, it } from "vitest";
import { encode, id, struct, u32 } from "#internal/core/mod.ts";
import type { OwnRow } from "#internal/consensus/mod.ts";
import { OwnState } from "../../internal/consensus/own_state.ts";
import type { UnitFacts } from "../../internal/consensus/unit_facts.ts";
import { slotKey } from "../../internal/consensus/unit_facts.ts";

const ALICE = "a1".repeat(32);

/** A unit on slots of alice from `first` on. */
function unitOn(digest: string, first: number, count: number, bound = 100): UnitFacts {
  const slots = Array.from(
    { length: count },
    (_, at) => ({ account: ALICE, sequence: BigInt(first + at) }),
  );
  const keys = slots.map(({ account, sequence }) => slotKey(account, sequence));
  return { digest, signed: undefined as never, slots, keys, bound };
}

const FIRST = unitOn("f1".repeat(32), 0, 16);
const SECOND = unitOn("f2".repeat(32), 16, 2, 40);
const RIVAL = unitOn("f3".repeat(32), 15, 1);

/** The rows that are there after these changes. */
function apply(rows: Map<string, OwnRow>, changes: readonly OwnRow[]): Map<string, OwnRow> {
  for (const row of changes) {
    const name = `${row.table} ${row.key}`;
    if (row.op === "put") rows.set(name, row);
    else rows.delete(name);
  }
  return rows;
}

function restored(rows: Map<string, OwnRow>): OwnState {
  const state = new OwnState(1);
  for (const row of rows.values()) if (row.op === "put") state.restore(row);
  return state;
}

describe("OwnState", () => {
  it("keeps a vote's locks in one row, which goes with the last of its slots", () => {
    const state = new OwnState(1);
    state.lock(FIRST);
    state.lock(SECOND);
    const rows = apply(new Map(), state.takeRows());
    expect([...rows.keys()]).toEqual([`locks/1 ${FIRST.digest}`, `locks/1 ${SECOND.digest}`]);
    for (let sequence = 0n; sequence < 15n; sequence++) {
      state.slotConsumed(slotKey(ALICE, sequence));
    }
    expect(state.takeRows()).toEqual([]);
    expect(state.isFree(RIVAL)).toBe(false);
    state.slotConsumed(slotKey(ALICE, 15n));
    expect(apply(rows, state.takeRows()).size).toBe(1);
    expect(state.isFree(RIVAL)).toBe(true);
    state.anchorExecuted(39);
    expect(state.takeRows()).toEqual([]);
    state.anchorExecuted(40);
    expect(apply(rows, state.takeRows()).size).toBe(0);
  });

  it("holds after a restart what it held, and lets go of what was consumed meanwhile", () => {
    const before = new OwnState(1);
    before.lock(FIRST);
    for (let sequence = 0n; sequence < 8n; sequence++) {
      before.slotConsumed(slotKey(ALICE, sequence));
    }
    const rows = apply(new Map(), before.takeRows());
    const after = restored(rows);
    expect(after.hasVoted(FIRST)).toBe(true);
    expect(after.isFree(RIVAL)).toBe(false);
    after.settle(0, (_account, sequence) => sequence < 16n);
    expect(after.isFree(RIVAL)).toBe(true);
    expect(apply(rows, after.takeRows()).size).toBe(0);
  });

  it("reads locks that have a row each, and writes them as one", () => {
    const rows = new Map<string, OwnRow>();
    const value = encode(struct({ unit: id, bound: u32 }), { unit: FIRST.digest, bound: 100 });
    for (const key of FIRST.keys) {
      apply(rows, [{ op: "put", table: "lock/1", key, value }]);
    }
    const state = restored(rows);
    expect(state.hasVoted(FIRST)).toBe(true);
    expect(state.isFree(RIVAL)).toBe(false);
    apply(rows, state.takeRows());
    expect([...rows.keys()]).toEqual([`locks/1 ${FIRST.digest}`]);
    const again = restored(rows);
    expect(FIRST.keys.map((key) => again.lockOf(key)?.unit))
      .toEqual(FIRST.keys.map(() => FIRST.digest));
    for (const key of FIRST.keys) again.slotConsumed(key);
    expect(apply(rows, again.takeRows()).size).toBe(0);
  });

  it("drops the locks of a session that is over, whichever rows they have", () => {
    const value = encode(struct({ unit: id, bound: u32 }), { unit: FIRST.digest, bound: 100 });
    const state = new OwnState(2);
    state.restore({ table: "lock/1", key: FIRST.keys[0] as string, value });
    state.restore({ table: "locks/1", key: FIRST.digest, value });
    expect(state.isFree(RIVAL)).toBe(true);
    expect(state.takeRows().map(({ op, table }) => `${op} ${table}`))
      .toEqual(["delete lock/1", "delete locks/1"]);
    state.lock(SECOND);
    state.takeRows();
    state.close();
    expect(state.takeRows()).toEqual([{ op: "delete", table: "locks/2", key: SECOND.digest }]);
  });
});
