import { describe, expect, test } from "vitest";
import type { AccountId } from "#internal/core/mod.ts";
import type { UnitStanding } from "#internal/consensus/mod.ts";
import type { Receipt, Unit } from "#internal/ledger/mod.ts";
import { createLedger, USD } from "#internal/ledger/mod.ts";
import type { EventView } from "#internal/rpc/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { createJournal } from "../../internal/node/journal.ts";
import type { Journal } from "../../internal/node/journal.ts";
import type { PulseContents } from "../../internal/node/pulse_contents.ts";

const DIGEST = "d1".repeat(32);
const UNIT = "a1".repeat(32);

function contents(number: number, more: Partial<PulseContents> = {}): PulseContents {
  return { number, receipts: [], unitOf: () => undefined, events: [], ...more };
}

/** A receipt of which only the names matter here. */
function receipt(digest: string, unit = UNIT): Receipt {
  return { digest, unit } as Receipt;
}

function event(pulse: number, name: string): EventView {
  return { event: { [name]: {} }, pulse, tx: null };
}

function journal(
  pulses: readonly PulseContents[] = [],
  standing: UnitStanding = "pending",
  onLook: (digest: string) => void = () => {},
): Journal {
  const withEvents = pulses.filter(({ events }) => events.length > 0).map(({ number }) => number);
  const store = {
    pulsesWithEvents: (from: number, limit: number) =>
      withEvents.filter((number) => number >= from).slice(0, limit),
    receiptPlaces(digest: string) {
      onLook(digest);
      return [];
    },
    pulse: () => undefined,
  } as unknown as NodeState;
  const made = createJournal(createLedger(), store, {
    standingOf: () => standing,
    earlierUnits: () => [],
  });
  for (const pulse of pulses) made.executed(pulse);
  return made;
}

function names(events: readonly EventView[]): string[] {
  return events.flatMap(({ event }) => Object.keys(event as object));
}

describe("createJournal()", () => {
  test("events() gives every event once, in order, whatever the size of the pages [L-280 L-289]", () => {
    const pulses = Array.from({ length: 40 }, (_, i) => {
      const count = i % 4 === 0 ? i % 7 : 0;
      const events = Array.from({ length: count }, (_, j) => event(i + 1, `${i + 1}.${j}`));
      return contents(i + 1, { events });
    });
    const all = pulses.flatMap(({ events }) => names(events));
    for (const limit of [1, 2, 3, 5, 200]) {
      const made = journal(pulses);
      const seen: string[] = [];
      let place = { from: 0, skip: 0 };
      for (;;) {
        const page = made.events(place.from, place.skip, limit);
        expect(page.events.length).toBeLessThanOrEqual(limit);
        if (page.events.length === 0) break;
        seen.push(...names(page.events));
        place = page.next;
      }
      expect(seen).toEqual(all);
    }
  });

  test("events() begins at the Pulse named and goes on with what comes later [L-279]", () => {
    const made = journal([contents(3, { events: [event(3, "a"), event(3, "b")] })]);
    const { events, next } = made.events(3, 1, 50);
    expect(names(events)).toEqual(["b"]);
    expect(made.events(4, 0, 50).events).toEqual([]);
    expect(next).toEqual({ from: 4, skip: 0 });
  });

  test("wait() ends when the transaction is executed, and find() has its receipt", async () => {
    const made = journal();
    const waited = made.wait(DIGEST, "executed", { ms: 60_000 });
    made.settled(UNIT, "final");
    made.executed(
      contents(9, { receipts: [receipt("ee".repeat(32), "bb".repeat(32)), receipt(DIGEST)] }),
    );
    await waited;
    expect(made.find(DIGEST)).toMatchObject({ index: 1, contents: { number: 9 } });
    expect(made.find("00".repeat(32))).toBeUndefined();
  });

  test("wait() for final ends with the unit's certificate, by the unit's digest too", async () => {
    const made = journal();
    const waited = made.wait(UNIT, "final", { ms: 60_000 });
    made.settled(UNIT, "final");
    await waited;
  });

  test("wait() ends for a unit that can no longer execute, with its signal, and when closed", async () => {
    const made = journal();
    const dead = made.wait(UNIT, "executed", { ms: 60_000 });
    made.settled(UNIT, "dead");
    await dead;
    const abort = new AbortController();
    const aborted = made.wait(UNIT, "executed", { ms: 60_000, signal: abort.signal });
    abort.abort();
    await aborted;
    const closed = made.wait(UNIT, "executed", { ms: 60_000 });
    made.close();
    await closed;
  });

  test.each<[UnitStanding, "final" | "executed"]>([
    ["dead", "executed"],
    ["final", "final"],
    ["executed", "final"],
  ])("wait() does not wait for a unit that is %s until %s", async (standing, until) => {
    await journal([], standing).wait(UNIT, until, { ms: 60_000 });
  });

  test.each<[UnitStanding, number]>([
    ["pending", 0],
    ["final", 0],
    ["executed", 1],
    ["unknown", 1],
  ])("find() of a %s unit's transaction asks the store %i times", (standing, times) => {
    const asked: string[] = [];
    const made = journal([], standing, (digest) => asked.push(digest));
    const unit: Unit = {
      chain: UNIT,
      validUntil: 9n,
      maxFee: 9_000n,
      members: [{
        account: UNIT as AccountId,
        sequence: 0n,
        kind: "pay",
        body: { asset: USD, outputs: [[UNIT, 1n]] },
      }],
    };
    made.seen(unit);
    const digest = createLedger().memberDigests(unit)[0] as string;
    expect(made.find(digest)).toBeUndefined();
    expect(asked).toHaveLength(times);
  });

  test("find() forgets old Pulses that the store has, never the newest", () => {
    const made = journal();
    for (let n = 1; n <= 100; n++) {
      made.executed(contents(n, { receipts: [receipt(n.toString(16).padStart(64, "0"))] }));
    }
    expect(made.find((1).toString(16).padStart(64, "0"))).toBeUndefined();
    expect(made.find((100).toString(16).padStart(64, "0"))).toMatchObject({ index: 0 });
  });
});
