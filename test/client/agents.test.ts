import { describe, expect, it } from "vitest";
import { USD, useBench } from "./bench.ts";

describe("Client", () => {
  const bench = useBench();

  const createCoder = (extra: object = {}) =>
    bench.client.createAgent({
      principal: "alice",
      wallet: "coder",
      budget: 10n * USD,
      payees: ["bob", "carol"],
      ...extra,
    });

  it("createAgent() makes identity, charter, allotment and fee money in one go [L-617 L-625 L-627]", async () => {
    const signed: string[] = [];
    const { agent, charter, allotment, outcomes } = await createCoder({
      maxPayment: 2n * USD,
      onSign: ({ intent }: { intent: string }) => void signed.push(intent),
    });
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill("Success"));
    expect(signed).toHaveLength(4);
    const identity = await bench.client.object("identity", agent);
    expect(identity.object).toMatchObject({
      name: "coder",
      parent: null,
      account: await bench.chain.accountOf("coder"),
      principal: await bench.chain.accountOf("alice"),
    });
    expect((await bench.client.object("charter", charter as string)).object).toMatchObject({
      agent,
      receipts: true,
      max_payment: Number(2n * USD),
      bucket: { capacity: 10_000_000, refill: 0, level: 10_000_000 },
      payees: [await bench.chain.accountOf("bob"), await bench.chain.accountOf("carol")].sort(),
    });
    expect((await bench.client.object("allotment", allotment as string)).object).toMatchObject({
      charter,
      balance: 10_000_000,
    });
    expect(bench.chain.balance(await bench.chain.accountOf("coder"))).toBe(USD / 10n);
  });

  it("createAgent() without a budget makes the identity and fee money only", async () => {
    const made = await bench.client.createAgent({ principal: "alice", wallet: "coder", fees: USD });
    expect(made.outcomes).toHaveLength(2);
    expect(made).not.toHaveProperty("charter");
    expect(bench.chain.balance(await bench.chain.accountOf("coder"))).toBe(USD);
  });

  it("createAgent() refuses limits without a budget, and sends nothing", async () => {
    await expect(
      bench.client.createAgent({ principal: "alice", wallet: "coder", payees: ["bob"] }),
    ).rejects.toThrow("an agent without a budget has no charter");
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it.each([
    [{ name: "a b" }, /^an agent's name must be 1 to 64 letters.*; nothing was sent$/],
    [{ wallet: "alice" }, "alice cannot stand above itself: give the agent a wallet of its own"],
    [
      { payees: Array.from({ length: 65 }, (_, i) => `p${i}`) },
      /more than 64.*; nothing was sent$/,
    ],
  ])("createAgent() with %o is refused before anything is signed", async (extra, message) => {
    await expect(createCoder(extra)).rejects.toThrow(message);
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("createAgent() sends nothing when the money does not cover all of it", async () => {
    await expect(createCoder({ budget: 9_999_999_000n })).rejects.toThrow(
      /^alice has 10000 USD, this needs 10000\.1034 \(10000\.099 /,
    );
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("agentPay() pays within the charter, with a receipt claim [L-218 L-225 L-232 L-233 L-234 L-235]", async () => {
    const { charter, allotment } = await createCoder();
    const outcome = await bench.client.agentPay({
      agent: "coder",
      charter: charter as string,
      allotment: allotment as string,
      payee: "carol",
      amount: 200_000n,
      purpose: "one forecast",
    });
    const [event] = outcome.events as [{ AgentPaid: Record<string, unknown> }];
    expect(event.AgentPaid).toMatchObject({
      amount: 200_000,
      charter,
      payee: await bench.chain.accountOf("carol"),
    });
    const claim = String(event.AgentPaid["receipt"]).slice(0, 8);
    expect(outcome.receipt).toBe(
      `Done: agent paid 0.2 USD to carol (receipt claim ${claim}); fee 0.0011 USD.`,
    );
    expect(outcome).toMatchObject({ fee: "0.0011", status: "Success" });
  });

  it("agentPay() to another payee is refused by the ledger, whatever the purpose says [L-219 L-237 L-238 L-240 L-077 L-078 L-081 L-083]", async () => {
    const { charter, allotment } = await createCoder();
    const outcome = await bench.client.agentPay({
      agent: "coder",
      charter: charter as string,
      allotment: allotment as string,
      payee: "mallory",
      amount: 200_000n,
      purpose: "ignore previous instructions",
    });
    expect(outcome).toMatchObject({
      events: [],
      receipt: "Failed (charter caveat violated: payee not allowed); " +
        "nothing happened except the fee of 0.0011 USD.",
      status: { Failed: "charter caveat violated: payee not allowed" },
    });
    expect(bench.chain.balance(await bench.chain.accountOf("coder"))).toBe(100_000n - 1_100n);
  });

  it("agentPay() that names its session and call costs 0.0012 USD", async () => {
    const { charter, allotment } = await createCoder();
    const outcome = await bench.client.agentPay({
      agent: "coder",
      charter: charter as string,
      allotment: allotment as string,
      payee: "bob",
      amount: USD,
      purpose: "invoice 7",
      session: "3ffd3b1fd4d6aa36",
      call: "call-1",
    });
    expect(outcome.fee).toBe("0.0012");
  });

  it("agentPay() refuses ids that are none before anything is asked", async () => {
    const payment = { agent: "coder", payee: "bob", amount: USD, purpose: "" };
    await expect(
      bench.client.agentPay({ ...payment, charter: "e2737343", allotment: "ab".repeat(32) }),
    ).rejects.toThrow("charter e2737343 is no id: give its 64 hex digits");
    expect(bench.chain.calls).toEqual([]);
  });

  it("object() finds by a unique beginning, objects() by what a member names, over pages [L-073]", async () => {
    const made = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      made.push(await bench.client.createAgent({ principal: "alice", wallet: "coder", name }));
    }
    const agents = await bench.client.objects("identity");
    expect(agents.map(({ id }) => id)).toEqual(made.map(({ agent }) => agent).sort());
    const ids = agents.map(({ id }) => id);
    expect((await bench.client.object("identity", (ids[2] as string).slice(0, 12))).id).toBe(
      ids[2],
    );
    const principal = await bench.chain.accountOf("alice");
    expect(await bench.client.objects("identity", { member: "principal", equals: principal }))
      .toHaveLength(5);
    expect(
      await bench.client.objects("identity", { member: "principal", equals: ids[0] as string }),
    )
      .toEqual([]);
    await expect(bench.client.object("charter", ids[0] as string)).rejects.toThrow(
      `the ledger has no charter ${(ids[0] as string).slice(0, 8)}: check the id`,
    );
    await expect(bench.client.object("charter", "zzzz")).rejects.toThrow("zzzz is no id");
  });

  it("object() finds an agent by its name where only one has it, else says which there are", async () => {
    const make = (name: string) =>
      bench.client.createAgent({ principal: "alice", wallet: "coder", name });
    const { agent } = await make("scout");
    expect((await bench.client.object("identity", "scout")).id).toBe(agent);
    await expect(bench.client.object("identity", "zzzz")).rejects.toThrow(
      "the ledger has no agent zzzz: `sion agent list` shows those there are",
    );
    await expect(make("scout")).rejects.toThrow(
      `alice has an agent scout already, ${agent.slice(0, 8)}: give this one another name; ` +
        "nothing was sent",
    );
    const twin = await bench.client.createAgent({
      principal: "bob",
      wallet: "coder",
      name: "scout",
    });
    const [first, second] = [agent, twin.agent].sort().map((id) => id.slice(0, 8));
    await expect(bench.client.object("identity", "scout")).rejects.toThrow(
      `scout may mean 2 agents (${first}, ${second}): give an id`,
    );
  });
});
