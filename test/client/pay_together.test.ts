import { beforeEach, describe, expect, it } from "vitest";
import type { KeylessPayment, SpawnedAgents } from "#internal/client/mod.ts";
import { USD, useBench } from "./bench.ts";

describe("Client.payTogether()", () => {
  const bench = useBench();
  let agents: SpawnedAgents["agents"];

  beforeEach(async () => {
    const { agent } = await bench.client.createAgent({
      principal: "alice",
      wallet: "coder",
      budget: 12n * USD,
    });
    ({ agents } = await bench.client.spawnAgents({
      wallet: "coder",
      parent: agent,
      agents: ["fetch", "clean", "label"].map((name) => ({ name, budget: 4n * USD })),
    }));
    bench.chain.calls.length = 0;
  });

  const pays = (amount: bigint, at: number): KeylessPayment => ({
    agent: agents[at]?.agent as string,
    charter: agents[at]?.charter as string,
    allotment: agents[at]?.allotment as string,
    payee: "bob",
    amount,
    purpose: `part ${at}`,
  });
  const all = (amount = USD): KeylessPayment[] => [0, 1, 2].map((at) => pays(amount, at));
  const submitted = () => bench.chain.calls.filter(({ method }) => method === "submit");

  it("pays for several keyless agents under one signature, each at a member's fee [L-571 L-572 L-573 A-530]", async () => {
    const signed: string[] = [];
    const told: number[] = [];
    const outcomes = await bench.client.payTogether({
      wallet: "coder",
      payments: all(),
      onSign: ({ wallet, intent }) => void signed.push(`${wallet} signs: ${intent}`),
      onOutcome: (_, at) => void told.push(at),
    });
    expect(outcomes.map(({ status, fee }) => [status, fee])).toEqual(
      Array(3).fill(["Success", "0.000567"]),
    );
    expect(signed).toEqual([
      expect.stringMatching(/^coder signs: 3 transactions in one batch: Pay 1 USD to bob from /),
    ]);
    expect([submitted().length, told]).toEqual([1, [0, 1, 2]]);
    for (const { account } of agents) {
      expect(bench.chain.balance(account)).toBe(USD / 100n - 567n);
    }
  });

  it("pays singly: one payment that the ledger refuses undoes no other [L-575]", async () => {
    const payments = [pays(USD, 0), pays(5n * USD, 1), pays(USD, 0)];
    const outcomes = await bench.client.payTogether({ wallet: "coder", payments });
    expect(outcomes.map(({ status }) => status)).toEqual([
      "Success",
      { Failed: "charter caveat violated: allotment holds only 4 USD" },
      "Success",
    ]);
  });

  it("takes turns with itself and with payments of one agent alone, and loses none", async () => {
    const [fetch] = agents;
    const alone = () =>
      bench.client.agentPay({ ...pays(USD / 10n, 0), agent: "coder", keyless: fetch?.agent ?? "" });
    const found = await Promise.all([
      bench.client.payTogether({ wallet: "coder", payments: all(USD / 10n) }),
      alone(),
      bench.client.payTogether({ wallet: "coder", payments: all(USD / 10n).toReversed() }),
      alone(),
    ]);
    expect(found.flat().map(({ status }) => status)).toEqual(Array(8).fill("Success"));
  });

  it("finishes in every lane what an ended process had signed, with the same bytes and once", async () => {
    const dying = bench.open();
    const stop = new AbortController();
    let digest = "";
    bench.chain.before = (method) => {
      if (method === "submit") stop.abort(new Error("killed"));
    };
    bench.chain.stalled = true;
    await dying.payTogether({
      wallet: "coder",
      payments: all(),
      signal: stop.signal,
      onSign: (signing) => void (digest = signing.digest),
    }).catch(() => {});
    bench.chain.before = () => {};
    bench.chain.stalled = false;
    bench.chain.units.clear();
    dying[Symbol.dispose]();
    const before = bench.chain.receipts.size;
    const [, , label] = agents;
    const next = await bench.client.agentPay({
      ...pays(USD, 2),
      agent: "coder",
      keyless: label?.agent ?? "",
    });
    expect(next.status).toBe("Success");
    expect(bench.chain.receipts.size - before).toBe(4);
    expect(bench.chain.receipts.get(digest)?.outcome.kind).toBe("success");
    expect(await bench.client.payTogether({ wallet: "coder", payments: all() })).toHaveLength(3);
    expect(await bench.client.purse(agents[0]?.agent ?? "")).toMatchObject({ balance: 2n * USD });
  });

  it("sends nothing when one of the agents has no money for its fee", async () => {
    const [clean] = [agents[1]];
    const acting = { wallet: "coder", keyless: clean?.agent ?? "" };
    const body = {
      asset: (await import("#internal/ledger/mod.ts")).USD,
      outputs: [[await bench.chain.accountOf("bob"), USD / 100n - 1_100n - 100n]],
    };
    await bench.client.transact({ ...acting, actions: [{ kind: "pay", body }] });
    bench.chain.calls.length = 0;
    await expect(bench.client.payTogether({ wallet: "coder", payments: all() })).rejects.toThrow(
      /^agent [0-9a-f]{8} has 0\.0001 USD, this needs 0\.000567 \(the fee of 0\.000567\)/,
    );
    expect(submitted()).toEqual([]);
  });

  it("does nothing for no payments, and refuses ids that are none", async () => {
    expect(await bench.client.payTogether({ wallet: "coder", payments: [] })).toEqual([]);
    const bad = { ...pays(USD, 0), charter: "e2737343" };
    await expect(bench.client.payTogether({ wallet: "coder", payments: [bad] })).rejects.toThrow(
      "charter e2737343 is no id: give its 64 hex digits",
    );
  });
});
