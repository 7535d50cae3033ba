import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Budgets, BudgetsOptions } from "#internal/store/mod.ts";
import { BUDGET_PERIODS, isTimeZone, openBudgets, periodAt } from "#internal/store/mod.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Australia/Lord_Howe",
];
const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 11, 1, 12);

let folder: string;
let nowMs: number;
let gone: Set<number>;

/** The budgets of the test's folder, as one process has them. */
function open(pid = 1): Budgets {
  let counter = 0;
  const options: BudgetsOptions = {
    clock: { nowMs: () => nowMs },
    random: (n) => Uint8Array.from({ length: n }, (_, i) => i === 0 ? pid : ++counter & 0xff),
    self: { pid, started: `${pid}` },
    alive: ({ pid: one }) => !gone.has(one),
  };
  const budgets = openBudgets(folder, options);
  onTestFinished(() => budgets.close());
  return budgets;
}

function ask(budgets: Budgets, mostMicro: bigint | undefined, names = ["lead"]) {
  return budgets.reserve({
    names,
    session: "5e55",
    ...(mostMicro === undefined ? {} : { mostMicro }),
  });
}

/** Counts a request and what it cost. */
function pay(budgets: Budgets, mostMicro: bigint, costMicro: bigint): void {
  const reserved = ask(budgets, mostMicro);
  if (reserved.how !== "reserved" || reserved.id === undefined) throw new Error(reserved.how);
  budgets.settle(reserved.id, costMicro);
}

const LEAD = { name: "lead", limitMicro: 5_000_000n, per: "day", zone: "UTC" } as const;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-budgets-"));
  nowMs = NOON;
  gone = new Set();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

describe("periodAt()", () => {
  test("holds each moment in one period, which ends where the next begins, in every zone", () => {
    const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });
    fc.assert(
      fc.property(
        moment,
        fc.constantFrom(...ZONES),
        fc.constantFrom("day", "week", "month"),
        (at, zone, per) => {
          const { fromMs, untilMs = 0 } = periodAt(per as "day", zone, at);
          expect(fromMs).toBeLessThanOrEqual(at);
          expect(untilMs).toBeGreaterThan(at);
          expect(periodAt(per as "day", zone, untilMs).fromMs).toBe(untilMs);
          expect(periodAt(per as "day", zone, fromMs)).toEqual({ fromMs, untilMs });
        },
      ),
      { numRuns: 200 },
    );
  });

  test("begins days, weeks from Monday and months at the zone's midnight, over changes of its clocks", () => {
    const utc = (text: string) => Date.parse(text);
    expect(periodAt("day", "Europe/Berlin", NOON)).toEqual({
      fromMs: utc("2026-11-30T23:00Z"),
      untilMs: utc("2026-12-01T23:00Z"),
    });
    expect(periodAt("week", "UTC", NOON)).toEqual({
      fromMs: utc("2026-11-30T00:00Z"),
      untilMs: utc("2026-12-07T00:00Z"),
    });
    expect(periodAt("month", "Asia/Kathmandu", NOON).fromMs).toBe(utc("2026-11-30T18:15Z"));
    // A day of 23 hours, and one of 25.
    const length = (at: string) => {
      const { fromMs, untilMs = 0 } = periodAt("day", "Europe/Berlin", utc(at));
      return (untilMs - fromMs) / (DAY_MS / 24);
    };
    expect([length("2026-03-29T12:00Z"), length("2026-10-25T12:00Z")]).toEqual([23, 25]);
    expect(periodAt("total", "UTC", NOON)).toEqual({ fromMs: 0 });
  });

  test("knows names of zones from other words", () => {
    expect(ZONES.every(isTimeZone)).toBe(true);
    expect(["Mars/Olympus", "", "ten o'clock"].some(isTimeZone)).toBe(false);
  });
});

describe("budgets", () => {
  test("are no file until the first is set, and then a private one", () => {
    const budgets = open();
    expect(ask(budgets, 1n)).toEqual({ how: "reserved" });
    expect(budgets.list()).toEqual([]);
    expect(budgets.remove("lead")).toBe(false);
    const path = join(folder, "agents", "budgets.db");
    expect(existsSync(path)).toBe(false);
    budgets.set(LEAD);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    // Another process that was there before sees it.
    expect(ask(open(2), 6_000_000n).how).toBe("exceeded");
  });

  test("count a request at its most until it is settled, and at its cost then, once", () => {
    const budgets = open();
    budgets.set(LEAD);
    const reserved = ask(budgets, 2_000_000n);
    const id = reserved.how === "reserved" ? reserved.id ?? "" : "";
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 2_000_000n, openMicro: 2_000_000n });
    budgets.settle(id, 300_000n);
    budgets.settle(id, 0n);
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 300_000n, openMicro: 0n });
  });

  test("let a request pass to the last micro-USD and none beyond it, in all its budgets or in none", () => {
    const budgets = open();
    budgets.set(LEAD);
    budgets.set({ ...LEAD, name: "all", limitMicro: 3_000_000n });
    expect(ask(budgets, 3_000_001n)).toMatchObject({ how: "exceeded", budget: { name: "all" } });
    expect(budgets.list().map(({ spentMicro }) => spentMicro)).toEqual([0n, 0n]);
    pay(budgets, 3_000_000n, 3_000_000n);
    expect(budgets.list().map(({ spentMicro }) => spentMicro)).toEqual([3_000_000n, 3_000_000n]);
    expect(ask(budgets, 1n, [])).toMatchObject({ how: "exceeded", budget: { name: "all" } });
    expect(ask(budgets, 0n).how).toBe("reserved");
  });

  test("tell requests under way from money that is gone: the first may be waited for", () => {
    const [one, other] = [open(1), open(2)];
    one.set(LEAD);
    const first = ask(one, 4_000_000n);
    expect(ask(other, 2_000_000n)).toMatchObject({ how: "busy", budget: { name: "lead" } });
    expect(ask(other, 6_000_000n).how).toBe("exceeded");
    one.settle(first.how === "reserved" ? first.id ?? "" : "", 1_000_000n);
    expect(ask(other, 2_000_000n).how).toBe("reserved");
  });

  test("leave what a process that is gone had open counted at its most, and say so", () => {
    const [one, other] = [open(1), open(2)];
    one.set(LEAD);
    ask(one, 4_000_000n);
    gone.add(1);
    expect(other.list()[0]).toMatchObject({
      spentMicro: 4_000_000n,
      openMicro: 0n,
      unknownMicro: 4_000_000n,
    });
    expect(ask(other, 2_000_000n).how).toBe("exceeded");
    expect(ask(other, 1_000_000n).how).toBe("reserved");
  });

  test("refuse what has no known price", () => {
    const budgets = open();
    budgets.set(LEAD);
    expect(ask(budgets, undefined)).toMatchObject({ how: "unpriced", budget: { name: "lead" } });
    expect(ask(budgets, undefined, ["other"])).toEqual({ how: "reserved" });
  });

  test("begin anew with their period, and count what was spent by whichever period they have", () => {
    const budgets = open();
    budgets.set(LEAD);
    pay(budgets, 5_000_000n, 5_000_000n);
    expect(ask(budgets, 1n).how).toBe("exceeded");
    nowMs = Date.UTC(2026, 11, 2);
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 0n });
    pay(budgets, 1_000_000n, 1_000_000n);
    budgets.set({ ...LEAD, per: "week" });
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 6_000_000n });
    // A request that is settled in the next period is one of that in which it was made.
    budgets.set(LEAD);
    const late = ask(budgets, 1_000_000n);
    nowMs += DAY_MS;
    budgets.settle(late.how === "reserved" ? late.id ?? "" : "", 900_000n);
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 0n });
  });

  test("forget all of one that is removed", () => {
    const budgets = open();
    budgets.set(LEAD);
    pay(budgets, 5_000_000n, 5_000_000n);
    expect(budgets.remove("lead")).toBe(true);
    expect(ask(budgets, 9_000_000n)).toEqual({ how: "reserved" });
    budgets.set(LEAD);
    expect(budgets.list()[0]).toMatchObject({ spentMicro: 0n });
  });

  test("never count more than the limit, whatever is asked and settled in whatever order", () => {
    const step = fc.record({
      pid: fc.integer({ min: 1, max: 4 }),
      most: fc.bigInt({ min: 0n, max: 3_000_000n }),
      share: fc.integer({ min: 0, max: 100 }),
      does: fc.constantFrom("ask", "settle", "settle", "kill"),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        gone = new Set();
        const all = [1, 2, 3, 4].map((pid) => open(pid));
        all[0]?.remove("lead");
        all[0]?.set(LEAD);
        const under: { pid: number; id: string; most: bigint }[] = [];
        let paid = 0n;
        for (const { pid, most, share, does } of steps) {
          if (does === "kill") {
            gone.add(pid);
            continue;
          }
          if (gone.has(pid)) continue;
          const budgets = all[pid - 1] as Budgets;
          if (does === "ask") {
            const reserved = ask(budgets, most);
            if (reserved.how === "reserved") under.push({ pid, id: reserved.id ?? "", most });
          } else {
            const at = under.findIndex((one) => one.pid === pid);
            const [one] = at === -1 ? [] : under.splice(at, 1);
            if (one === undefined) continue;
            const cost = one.most * BigInt(share) / 100n;
            budgets.settle(one.id, cost);
            paid += cost;
          }
          const standing = budgets.list()[0];
          const held = under.reduce((sum, one) => sum + one.most, 0n);
          expect(standing?.spentMicro).toBe(paid + held);
          expect(standing?.spentMicro).toBeLessThanOrEqual(LEAD.limitMicro);
        }
        for (const budgets of all) budgets.close();
      }),
      { numRuns: 20 },
    );
  });

  test("keep the bound of one run beside them, over the end of a process, until the run has ended", () => {
    const bound = { run: 4, limitMicro: 1_000_000n };
    const of = (budgets: Budgets, mostMicro: bigint, more = {}) =>
      budgets.reserve({ names: ["lead"], session: "5e55", bound, mostMicro, ...more });
    const first = open(1);
    // Nobody has set a budget.
    expect(of(first, 600_000n)).toMatchObject({ how: "reserved", id: expect.any(String) });
    expect(of(first, 600_000n)).toMatchObject({ how: "busy", budget: { ofRun: true } });
    gone.add(1);
    const second = open(2);
    expect(of(second, 600_000n)).toMatchObject({ how: "exceeded", budget: { ofRun: true } });
    expect(of(second, 400_000n)).toMatchObject({ how: "reserved" });
    expect(of(second, 1n, { session: "5e56" })).toMatchObject({ how: "reserved" });
    expect(of(second, 900_000n, { bound: { ...bound, run: 9 } })).toMatchObject({
      how: "reserved",
    });
    expect(second.reserve({ names: [], session: "5e55", bound })).toEqual({ how: "reserved" });
    expect(second.list()).toEqual([]);
    second.endRun("5e55");
    expect(of(second, 1_000_000n)).toMatchObject({ how: "reserved" });
    // Another session's run goes on.
    expect(of(second, 1_000_000n, { session: "5e56" })).toMatchObject({ how: "busy" });
    second.set(LEAD);
    expect(of(second, 6_000_000n, { bound: { run: 10, limitMicro: 9_000_000n } }))
      .toMatchObject({ how: "exceeded", budget: { name: "lead" } });
    expect(second.list()[0]).toMatchObject({ spentMicro: 0n });
  });

  test.each(BUDGET_PERIODS)("say until when %s holds", (per) => {
    const budgets = open();
    budgets.set({ ...LEAD, per });
    expect(budgets.list()[0]?.untilMs === undefined).toBe(per === "total");
  });
});
