/** The agent's tools over the real client and the real ledger, executed in this process. */
import { describe, expect, test } from "vitest";
import { continueSession, runAgent } from "#internal/agent/mod.ts";
import type { OpenMachine } from "#internal/agent/mod.ts";
import type { SessionLease } from "#internal/store/mod.ts";
import { bench, LIMITS, run, script, USD } from "./_chain_bench.ts";
import type { Bench } from "./_chain_bench.ts";
import { hearing } from "./_machine.ts";

const pay = (to: string, amount: string) => ({
  tool: "ledger_pay",
  input: { amount, purpose: "invoice 7", to },
});

describe("ledger_pay", () => {
  test("pays out of the allotment and names session and call in the receipt claim [A-565 A-566 L-087]", async () => {
    const here = await bench();
    const { lines, end } = await run(here, [{ calls: [pay("bob", "1.5")] }, { say: "Paid." }]);
    expect(lines[2]).toMatch(
      /^ ← Pulse \d+: Done: agent paid 1\.5 USD to bob \(receipt claim [0-9a-f]{8}\); fee 0\.0012 USD\. Transaction [0-9a-f]{64}\.$/,
    );
    expect(await here.balance("bob")).toBe(10_001_500_000n);
    const claims = [...here.chain.state.entries()].filter(([, { kind }]) => kind === "claim");
    expect(claims[0]?.[1].value).toMatchObject({
      subject: { kind: "payment", body: { session: end.session, call: "1.1" } },
    });
  });

  test("is refused by the ledger for a payee that the charter does not name", async () => {
    const here = await bench();
    const { lines } = await run(here, [
      { calls: [pay("mallory", "1")] },
      { calls: [pay("bob", "99")] },
      { say: "Neither." },
    ]);
    expect(lines[2]).toMatch(
      /^ ✗ Pulse \d+: Failed \(charter caveat violated: payee not allowed\); nothing happened except the fee of 0\.001[12] USD\. Transaction [0-9a-f]{64}\.$/,
    );
    expect(lines[4]).toMatch(/^ ✗ Pulse \d+: Failed \(charter caveat violated: /);
    expect(await here.balance("mallory")).toBe(0n);
    expect(await here.balance("bob")).toBe(10_000_000_000n);
  });

  test("tells the model what is wrong with an amount or a payee, and sends nothing", async () => {
    const here = await bench();
    const before = here.chain.receipts.size;
    const { lines } = await run(here, [
      { calls: [pay("bob", "0"), pay("bob", "1e-7"), pay("bob.eth", "1")] },
      { say: "None." },
    ]);
    expect(lines.filter((line) => line.startsWith(" ✗"))).toEqual([
      " ✗ ledger_pay does not take this input: amount: 0 is nothing: give an amount above 0",
      expect.stringMatching(/ amount: 1e-7 has an exponent: /),
      " ✗ bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; " +
      "nothing was sent",
    ]);
    expect(here.chain.receipts.size).toBe(before);
  });

  test("says so when there is no charter to pay under", async () => {
    const here = await bench({});
    const { lines } = await run(here, [{ calls: [pay("bob", "1")] }, { say: "I cannot." }]);
    expect(lines[2]).toMatch(/^ ✗ agent [0-9a-f]{8} has no charter in force with money under it: /);
  });
});

describe("ledger_balance", () => {
  test("begins with what is left of the budget and says what limits it [A-563 L-242]", async () => {
    const here = await bench({ ...LIMITS, maxPayment: 2n * USD });
    const { lines } = await run(here, [
      { calls: [pay("bob", "1.5")] },
      { calls: [{ tool: "ledger_balance" }] },
      { say: "8.5 USD left." },
    ]);
    const text = lines[4] ?? "";
    expect(text.startsWith(' ← {"budget_remaining_usd":"8.5","charter":"')).toBe(true);
    const value = JSON.parse(text.slice(3)) as Record<string, unknown>;
    expect(value).toEqual({
      budget_remaining_usd: "8.5",
      charter: here.created.charter,
      expires_at_pulse: null,
      fee_money_usd: "0.0988",
      max_payment_usd: "2",
      payees: expect.arrayContaining(["bob", "carol"]),
      pulse: Number(here.chain.pulse),
      spendable_now_usd: "8.5",
      standing: "good",
    });
  });
});

describe("findAgent()", () => {
  test("takes a unique beginning of the id, and refuses a wallet that is another's [A-015 A-016]", async () => {
    const here = await bench();
    const short = here.created.agent.slice(0, 8);
    const { lines } = await run(here, [{ say: "Hi." }], { agent: short });
    expect(lines[0]).toMatch(new RegExp(`^session [0-9a-f]{16} for agent ${short}$`));
    await expect(run(here, [{ say: "Hi." }], { wallet: "bob" })).rejects.toThrow(
      `wallet bob does not act for agent ${short} (coder): give the wallet it was created for`,
    );
    await expect(run(here, [{ say: "Hi." }], { agent: "0".repeat(64) })).rejects.toThrow(
      "the ledger has no identity 00000000: check the id",
    );
  });
});

/** Kills a process of the agent at a point of its payment, as far as one process can show it. */
describe("a payment whose process ends", () => {
  class Dead extends Error {}

  /** A machine that dies before or after its `n`th append. */
  function dying(here: Bench, n: number): OpenMachine {
    const machine = here.machine();
    let points = 0;
    const point = () => {
      if (++points >= n) throw new Dead();
    };
    const watched = (lease: SessionLease): SessionLease => ({
      ...lease,
      append(drafts, later) {
        point();
        const events = lease.append(drafts, later);
        point();
        return events;
      },
    });
    const { sessions } = machine;
    return {
      ...machine,
      sessions: {
        create: (first) => watched(sessions.create(first)),
        acquire: (session) => watched(sessions.acquire(session)),
        read: (session, after) => sessions.read(session, after),
        resolve: (text) => sessions.resolve(text),
        list: (limit) => sessions.list(limit),
        summary: (session) => sessions.summary(session),
        search: (text, limit) => sessions.search(text, limit),
        chats: sessions.chats,
        close: () => sessions.close(),
      },
    };
  }

  const turns = [{ calls: [pay("bob", "1")] }, { say: "Paid." }];

  async function crashAt(here: Bench, n: number): Promise<void> {
    const options = {
      wallet: "coder",
      agent: here.created.agent,
      task: "Pay.",
      models: [script(here.folder, turns)],
      autonomy: "L6",
      who: "cli:root",
    };
    await expect(runAgent(dying(here, n), options, () => {})).rejects.toBeInstanceOf(Dead);
  }

  async function goOn(here: Bench): Promise<string[]> {
    const machine = here.machine();
    const [kept] = machine.sessions.list();
    const heard = hearing();
    const session = kept?.session ?? "";
    const end = await continueSession(machine, { session, who: "cli:root" }, heard.listener);
    expect(end.how).toBe("done");
    return heard.lines;
  }

  // Points 1 and 2 are around the model's turn, 3 and 4 the call's start, 5 and 6 the note of what
  // is signed, 7 and 8 the call's end, 9 to 12 the last turn and end.
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    "at point %i is made once [A-067 A-068]",
    async (n) => {
      const here = await bench();
      await crashAt(here, n);
      const lines = await goOn(here);
      expect(await here.balance("bob")).toBe(10_001_000_000n);
      expect(lines.at(-1)).toMatch(/: done$/);
      if (n >= 3 && n <= 7) {
        expect(lines.filter((line) => /^ ← Pulse \d+: Done: agent paid 1 USD to bob/.test(line)))
          .toHaveLength(1);
      }
    },
  );

  test("between keeping and sending is completed with the same transaction [A-067 A-068]", async () => {
    const here = await bench();
    const stop = new AbortController();
    here.chain.before = (method) => {
      if (method === "submit") {
        here.chain.stalled = true;
        stop.abort();
        throw new Dead();
      }
    };
    const machine = here.machine();
    const options = {
      wallet: "coder",
      agent: here.created.agent,
      task: "Pay.",
      models: [script(here.folder, turns)],
      autonomy: "L6",
      who: "cli:root",
    };
    const first = hearing();
    await runAgent(machine, options, first.listener, stop.signal).catch(() => {});
    here.chain.before = () => {};
    here.chain.stalled = false;
    expect(await here.balance("bob")).toBe(10_000_000_000n);
    const [kept] = machine.sessions.list();
    const events = machine.sessions.read(kept?.session ?? "");
    const noted = events.find(({ kind }) => kind === "call-noted");
    if (noted === undefined) throw new Error("nothing was noted");
    const { transaction } = (noted.body as { note: { transaction: string } }).note;
    // As if the process had ended there: nothing after the note was written.
    const copy = here.machine();
    const fresh = copy.sessions.create(
      events.slice(0, events.indexOf(noted) + 1).map(({ kind, v, body }) => ({
        kind,
        v,
        body,
      })),
    );
    fresh.release();
    const heard = hearing();
    const end = await continueSession(
      copy,
      { session: fresh.session, who: "cli:root" },
      heard.listener,
    );
    expect(end.how).toBe("done");
    expect(heard.lines[2]).toContain(`Transaction ${transaction}.`);
    expect(await here.balance("bob")).toBe(10_001_000_000n);
  });

  test("and is not known to a node that lags is waited for, never made again", async () => {
    const here = await bench();
    await crashAt(here, 7);
    const [digest, receipt] = [...here.chain.receipts.entries()].at(-1) ?? [];
    if (digest === undefined || receipt === undefined) throw new Error("nothing was paid");
    here.chain.receipts.delete(digest);
    const unit = here.chain.units.get(receipt.unit);
    here.chain.units.delete(receipt.unit);
    here.chain.before = (method, params) => {
      if (method !== "receipt" || params["wait_ms"] !== 5_000 || unit === undefined) return;
      here.chain.receipts.set(digest, receipt);
      here.chain.units.set(receipt.unit, unit);
    };
    const lines = await goOn(here);
    expect(lines[2]).toContain(`Transaction ${digest}.`);
    expect(await here.balance("bob")).toBe(10_001_000_000n);
  });
});
