import { beforeEach, describe, expect, it } from "vitest";
import { USD, useBench } from "./bench.ts";

describe("Client with agents below an agent", () => {
  const bench = useBench();
  let coder: { agent: string; charter?: string; allotment?: string };

  beforeEach(async () => {
    coder = await bench.client.createAgent({
      principal: "alice",
      wallet: "coder",
      budget: 10n * USD,
      payees: ["bob", "carol"],
    });
  });

  const spawn = (names: readonly string[], more: object = {}) =>
    bench.client.spawnAgents({
      wallet: "coder",
      parent: coder.agent,
      agents: names.map((name) => ({ name: `coder-${name}`, budget: 2n * USD })),
      ...more,
    });
  const submitted = () => bench.chain.calls.filter(({ method }) => method === "submit").length;

  it("spawnAgents() makes all in one transaction and moves all fee money in one transfer [L-570 L-624 A-526 A-527]", async () => {
    const before = submitted();
    const signed: string[] = [];
    const told: number[] = [];
    const { agents, outcomes } = await spawn(["fetch", "clean", "label"], {
      onSign: ({ intent }: { intent: string }) => void signed.push(intent),
      onOutcome: (_: unknown, at: number) => void told.push(at),
    });
    expect(outcomes.map(({ status }) => status)).toEqual(["Success", "Success"]);
    expect([submitted() - before, told]).toEqual([2, [0, 1]]);
    expect(signed[0]).toMatch(
      /^Spawn 3 agents under agent [0-9a-f]{8}: coder-fetch, without a key of its own, with 2 USD/,
    );
    expect(agents.map(({ name }) => name)).toEqual(["coder-fetch", "coder-clean", "coder-label"]);
    for (const { agent, account, charter, allotment, name } of agents) {
      const identity = await bench.client.object("identity", agent);
      expect(identity.object).toMatchObject({
        name,
        account,
        keyless: true,
        parent: coder.agent,
        depth: 2,
      });
      expect((await bench.client.object("charter", charter as string)).object).toMatchObject({
        agent,
        parent: coder.charter,
        receipts: true,
      });
      expect((await bench.client.object("allotment", allotment as string)).object).toMatchObject({
        charter,
        source: coder.allotment,
        balance: 2_000_000,
      });
      expect(bench.chain.balance(account)).toBe(USD / 100n);
    }
  });

  it("agentPay() of a keyless agent is signed by the wallet above it, from the agent's own money [L-571 A-529]", async () => {
    const { agents: [fetch] } = await spawn(["fetch"]);
    if (fetch?.charter === undefined || fetch.allotment === undefined) throw new Error();
    const agent = await bench.client.object("identity", fetch.agent);
    const acting = await bench.client.actingFor("coder", agent);
    expect(acting).toEqual({ keyless: fetch.agent });
    const wallets: string[] = [];
    const outcome = await bench.client.agentPay({
      ...acting,
      agent: "coder",
      charter: fetch.charter,
      allotment: fetch.allotment,
      payee: "bob",
      amount: USD,
      purpose: "data",
      onSign: ({ wallet }) => void wallets.push(wallet),
    });
    expect([outcome.status, wallets]).toEqual(["Success", ["coder"]]);
    expect(bench.chain.balance(fetch.account)).toBe(USD / 100n - 1_100n);
    expect(await bench.client.purse(fetch.agent)).toMatchObject({ balance: USD });
  });

  it("spawnAgents() by a keyless agent is signed by the same wallet [L-571]", async () => {
    const { agents: [fetch] } = await spawn(["fetch"]);
    const deeper = await bench.client.spawnAgents({
      wallet: "coder",
      parent: fetch?.agent as string,
      agents: [{ name: "deeper", budget: USD }],
      fees: 2_000n,
    });
    const [made] = deeper.agents;
    expect((await bench.client.object("identity", made?.agent as string)).object).toMatchObject({
      keyless: true,
      depth: 3,
      parent: fetch?.agent,
    });
    expect(bench.chain.balance(made?.account as string)).toBe(2_000n);
  });

  it("spawnAgents() gives an agent with a wallet its own account, and none a charter without a budget", async () => {
    const { agents } = await spawn([], { agents: [{ name: "helper", wallet: "helper" }] });
    expect(agents).toEqual([{
      agent: expect.any(String),
      name: "helper",
      account: await bench.chain.accountOf("helper"),
    }]);
  });

  it.each([
    [{ parent: "zzzz" }, "the ledger has no agent zzzz"],
    [
      { wallet: "bob" },
      /^wallet bob does not act for agent [0-9a-f]{8} \(coder\): give the wallet/,
    ],
    [
      { agents: [{ name: "a", budget: 6n * USD }, { name: "b", budget: 5n * USD }] },
      /^agent [0-9a-f]{8} has 10 USD left under one charter, this needs 11: .*; nothing was sent$/,
    ],
    [{ agents: [{ name: "a" }, { name: "a" }] }, "two agents are called a: give each its own"],
    [{ agents: [{ name: "coder" }] }, /^alice has an agent coder already, [0-9a-f]{8}: give/],
    [
      { agents: Array.from({ length: 33 }, (_, at) => ({ name: `a${at}` })) },
      "more than 32 agents: give another value; nothing was sent",
    ],
    [{ agents: [] }, "there must be an agent to spawn: give another value; nothing was sent"],
  ])("spawnAgents() with %o is refused before anything is signed", async (more, message) => {
    const before = submitted();
    await expect(spawn(["fetch"], more)).rejects.toThrow(message);
    expect(submitted()).toBe(before);
  });

  it.each([
    ["more than there is", { fees: 999_999n * USD }],
    ["what is left without the transfer's fee", { fees: USD / 10n - 1_500n }],
  ])("spawnAgents() signs nothing when the fee money is %s", async (_what, more) => {
    const before = submitted();
    await expect(spawn(["fetch"], more)).rejects.toMatchObject({
      code: "not-enough",
      message: expect.stringMatching(/; nothing was sent$/),
    });
    expect(submitted()).toBe(before);
  });

  /** Spawns with a client that stops, as `kill -9` would, when it hands the n-th unit in; 0: after the first. */
  async function killedAt(unit: number, names: readonly string[]): Promise<void> {
    const dying = bench.open();
    const stop = new AbortController();
    let left = unit;
    bench.chain.before = (method) => {
      if (method !== "submit" || --left !== 0) return;
      bench.chain.stalled = true;
      stop.abort(new Error("killed"));
    };
    await expect(dying.spawnAgents({
      wallet: "coder",
      parent: coder.agent,
      agents: names.map((name) => ({ name: `coder-${name}`, budget: 2n * USD })),
      signal: stop.signal,
      // Between the two: nothing of the transfer is kept.
      onOutcome() {
        if (unit === 0) stop.abort(new Error("killed"));
      },
    })).rejects.toThrow("killed");
    bench.chain.before = () => {};
    bench.chain.stalled = false;
    dying[Symbol.dispose]();
  }

  it("spawnAgents() again moves only the fee money that an ended process had not [A-526]", async () => {
    await killedAt(0, ["fetch", "clean"]);
    const before = submitted();
    const signed: string[] = [];
    const { agents, outcomes } = await spawn(["fetch", "clean"], {
      onSign: ({ intent }: { intent: string }) => void signed.push(intent),
    });
    expect([outcomes.length, submitted() - before]).toEqual([1, 1]);
    expect(signed).toEqual([expect.stringMatching(/^Pay 0\.01 USD to /)]);
    expect(bench.notes).toContain(
      "coder-fetch, coder-clean: spawned before, without fee money: only that is moved now",
    );
    for (const { agent, account, charter, allotment } of agents) {
      expect(bench.chain.balance(account)).toBe(USD / 100n);
      expect(await bench.client.purse(agent)).toMatchObject({
        charter: { id: charter },
        allotment: { id: allotment },
      });
    }
    await expect(spawn(["fetch", "clean"])).rejects.toThrow("has an agent coder-fetch already");
  });

  it("spawnAgents() says that the agents are there when their fee money was spent in between", async () => {
    const coderAccount = await bench.chain.accountOf("coder");
    await expect(spawn(["fetch"], {
      onOutcome() {
        bench.chain.before = async (method) => {
          if (method !== "account") return;
          bench.chain.before = () => {};
          const amount = bench.chain.balance(coderAccount) - 2_000n;
          await bench.client.pay({ from: "coder", to: "bob", amount });
        };
      },
    })).rejects.toThrow(/^the agents are spawned, but .*: add money, then give the same command/);
  });

  it("spawnAgents() again finishes a spawning that was signed and not sent, and moves the fee money", async () => {
    await killedAt(1, ["fetch"]);
    bench.chain.units.clear();
    const { agents, outcomes } = await spawn(["fetch"]);
    expect([agents.length, outcomes.length]).toEqual([1, 1]);
    expect(bench.chain.balance(agents[0]?.account as string)).toBe(USD / 100n);
    const identities = await bench.client.objects("identity");
    expect(identities.filter(({ object }) => object["name"] === "coder-fetch")).toHaveLength(1);
  });

  it.each([
    ["another budget", { agents: [{ name: "coder-fetch", budget: USD }] }],
    ["no budget", { agents: [{ name: "coder-fetch" }] }],
    ["an account of its own", { agents: [{ name: "coder-fetch", wallet: "h", budget: 2n * USD }] }],
    ["no fee money", { fees: 0n }],
  ])(
    "spawnAgents() of an agent that is there, with %s, is refused by its name",
    async (_what, more) => {
      await killedAt(0, ["fetch"]);
      const before = submitted();
      await expect(spawn(["fetch"], more)).rejects.toThrow("has an agent coder-fetch already");
      expect(submitted()).toBe(before);
    },
  );

  it("spawnAgents() moves no fee money when the ledger refused the agents", async () => {
    const before = submitted();
    // The ledger suspends it between the client's look and the Pulse.
    await bench.client.transact({
      wallet: "alice",
      actions: [{ kind: "agent_suspend", body: { agent: coder.agent } }],
    });
    const { agents, outcomes } = await spawn(["fetch"]);
    expect([agents, outcomes.length, submitted() - before]).toEqual([[], 1, 2]);
    expect(outcomes[0]?.receipt).toMatch(/not in good standing: agent suspended/);
  });

  it("a keyless agent without fee money is told how to get some", async () => {
    const { agents: [fetch] } = await spawn(["fetch"], { fees: 0n });
    const agent = await bench.client.object("identity", fetch?.agent as string);
    await expect(bench.client.transact({
      wallet: "coder",
      actions: [{ kind: "spawn_agents", body: {} }],
      ...await bench.client.actingFor("coder", agent),
    })).rejects.toThrow(
      `agent ${agent.id.slice(0, 8)} has no fee money: ` +
        `\`sion pay coder ${fetch?.account} 0.01\` gives it some`,
    );
  });
});
