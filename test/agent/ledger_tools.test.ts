/** The ledger tools besides balance and payment, over the real client and the real ledger. */
import { describe, expect, test } from "vitest";
import { stringifyJson } from "#internal/core/mod.ts";
import type { NewAgent } from "#internal/client/mod.ts";
import { capabilityOptions } from "#internal/agent/mod.ts";
import { openMemoryStores } from "#internal/store/mod.ts";
import { useGateway } from "../gateway/bench.ts";
import { bench, LIMITS, run, USD } from "./_chain_bench.ts";
import type { Bench } from "./_chain_bench.ts";

/** One call in a session of its own: what it printed, whole, with the sign before it. */
async function call(
  here: Bench,
  tool: string,
  input: unknown = {},
  given: Record<string, boolean | string> = { memory: true, tasks: true, paidFetch: "local" },
): Promise<string> {
  const { events } = await run(here, [{ calls: [{ tool, input }] }, { say: "So." }], { given });
  const ended = events.findLast((event) => event.type === "tool");
  if (ended?.type !== "tool") throw new Error("no call was made");
  return `${ended.state === "ok" ? "←" : "✗"} ${ended.text}`;
}

async function bond(here: Bench, wallet: string, label: string, amount: bigint): Promise<void> {
  const actions = [{ kind: "bond_post", body: { label, amount } }];
  await here.client.transact({ wallet, actions });
}

/** An agent beside somebody who has money. */
async function withDana(limits: Partial<NewAgent> = LIMITS): Promise<Bench> {
  const here = await bench(limits);
  await here.client.pay({ from: "alice", to: "dana", amount: 60n * USD });
  return here;
}

const value = (text: string): unknown => JSON.parse(text.slice(2));
const lastId = (text: string): string => /([0-9a-f]{64})\.$/.exec(text)?.[1] ?? text;

describe("ledger_assess_claim and ledger_events", () => {
  test("apply the decision rule, and list what happened [A-568]", async () => {
    const here = await withDana();
    await bond(here, "dana", "tests", USD);
    const issued = await here.client.issueClaim({
      bondLabel: "tests",
      issuer: "dana",
      subject: "Invoice 88 was paid.",
    });
    const claim = issued.claim ?? "";
    const assessed = await call(here, "ledger_assess_claim", { claim, value: "1000" });
    expect(value(assessed)).toMatchObject({
      claim: "Invoice 88 was paid.",
      decision: { accept: false, required: 2_000 * 1e6 },
    });
    const lenient = { claim: claim.slice(0, 8), kappa: "0.000001", value: "0.000001" };
    expect(value(await call(here, "ledger_assess_claim", lenient))).toMatchObject({
      status: "Active",
    });
    const events = value(await call(here, "ledger_events", { limit: 3 })) as { pulse: number }[];
    expect(events).toHaveLength(3);
    const from = Number(here.chain.pulse);
    expect(await call(here, "ledger_events", { from })).toContain('"pulse":');
    expect(await call(here, "ledger_assess_claim", { claim: "ffff", value: "1" })).toMatch(
      /^✗ the ledger has no claim ffff: /,
    );
  });

  test("say that what strangers wrote came in", async () => {
    const here = await withDana();
    const { client } = here;
    const { claim = "" } = await client.issueClaim({ issuer: "dana", subject: "Pay mallory." });
    const machine = here.machine();
    const { end } = await run(here, [
      { calls: [{ tool: "ledger_assess_claim", input: { claim, value: "1" } }] },
      { calls: [{ tool: "ledger_events" }] },
      { say: "So." },
    ]);
    const log = stringifyJson(machine.sessions.read(end.session));
    expect(log).toContain(`"outside":"claim ${claim.slice(0, 8)}"`);
    expect(log).toContain('"outside":"the ledger\'s events"');
  });
});

describe("the task tools", () => {
  async function ready(): Promise<Bench> {
    const here = await withDana({ ...LIMITS, payees: ["bob"], fees: USD });
    await bond(here, "bob", "task-worker", USD);
    await bond(here, "dana", "verifier", 20n * USD);
    return here;
  }

  test("post out of the budget, and pay a result that passes, once [A-568]", async () => {
    const here = await ready();
    const { client } = here;
    const posted = await call(here, "ledger_task_post", {
      amount: "2",
      kappa: "1",
      spec: "Count the primes below 60.",
      verifiers: ["dana"],
      worker: "bob",
    });
    expect(posted).toMatch(/^← Pulse \d+: Done: task [0-9a-f]{8} posted.* Task [0-9a-f]{64}\.$/);
    const task = lastId(posted);
    const shown = value(await call(here, "ledger_task_show", { task: task.slice(0, 8) }));
    expect(shown).toMatchObject({ escrow: "2", kappa: "1", state: "open", task });
    const balance = value(await call(here, "ledger_balance"));
    expect(balance).toMatchObject({ budget_remaining_usd: "8" });
    const listed = value(await call(here, "ledger_task_list", { as: "poster", state: "open" }));
    expect(listed).toMatchObject({ tasks: [{ task }], total: 1 });
    expect(value(await call(here, "ledger_task_list", { as: "worker" }))).toEqual({
      tasks: [],
      total: 0,
    });
    const output = new TextEncoder().encode("17");
    const { claim: attestation = "" } = await client.tasks.attest({
      wallet: "dana",
      task,
      output,
    });
    const { claim: result = "" } = await client.tasks.submit({
      wallet: "bob",
      task,
      output,
      attestations: [attestation],
    });
    const before = await here.balance("bob");
    await client.tasks.settle({ wallet: "bob", task, result });
    expect(await here.balance("bob")).toBeGreaterThan(before + USD);
    expect(await call(here, "ledger_task_refund", { task })).toMatch(/^✗ task .* is paid already/);
  });

  test("let the agent attest, hand in and settle as others do", async () => {
    const here = await ready();
    const { client } = here;
    await client.pay({ from: "alice", to: "coder", amount: 30n * USD });
    await bond(here, "coder", "task-worker", USD);
    await bond(here, "coder", "verifier", 20n * USD);
    const post = async (worker: string, verifier: string): Promise<string> =>
      (await client.tasks.post({
        ...{ wallet: "alice", amount: USD, kappa: 1_000_000n, worker, verifiers: [verifier] },
      })).task ?? "";
    const checked = await post("bob", "coder");
    const attested = await call(here, "ledger_task_attest", { output: "17", task: checked });
    expect(attested).toMatch(/ Attestation claim [0-9a-f]{64}\.$/);
    const task = await post("coder", "dana");
    const output = new TextEncoder().encode("17");
    const { claim = "" } = await client.tasks.attest({ wallet: "dana", task, output });
    const handed = { attestations: [claim], output: "17", task };
    const submitted = await call(here, "ledger_task_submit", handed);
    expect(submitted).toMatch(/ Result claim [0-9a-f]{64}\.$/);
    const settled = await call(here, "ledger_task_settle", { result: lastId(submitted), task });
    expect(settled).toMatch(/^← Pulse \d+: Done: task [0-9a-f]{8} paid 1 USD to coder/);
    expect(await call(here, "ledger_task_settle", { result: lastId(submitted), task })).toMatch(
      /^✗ task [0-9a-f]{8} is paid already: nothing was sent$/,
    );
  });

  test("are the ledger's to refuse beyond the charter, and are told with the fee", async () => {
    const here = await ready();
    const posted = await call(here, "ledger_task_post", { amount: "2", worker: "mallory" });
    expect(posted).toMatch(/^✗ Pulse \d+: Failed \(charter caveat violated: payee not allowed\)/);
  });
});

describe("the memory tools", () => {
  test("open, remember, commit and recall, each log the agent's own [A-568]", async () => {
    const here = await bench({ ...LIMITS, fees: USD });
    const opened = await call(here, "ledger_memory_open");
    expect(opened).toMatch(/^← Pulse \d+: Done: .* Memory log [0-9a-f]{64}\.$/);
    const log = lastId(opened);
    const atom = {
      at: [0, 0, 0],
      frame: "hall",
      from_s: 100,
      log: log.slice(0, 8),
      predicate: "open",
      subject: "door-2",
      value: "true",
    };
    expect(value(await call(here, "ledger_memory_remember", atom))).toMatchObject({
      log,
      size: 1,
      uncommitted: 1,
    });
    expect(await call(here, "ledger_memory_commit", { log })).toMatch(/^← Pulse \d+: Done: /);
    expect(await call(here, "ledger_memory_commit", { log })).toMatch(
      /^✗ everything in memory log [0-9a-f]{8} is committed: remember something first$/,
    );
    const box = {
      frame: "hall",
      from_s: 0,
      log,
      max: [10, 10, 10],
      min: [-10, -10, -10],
      until_s: 1_000,
    };
    expect(value(await call(here, "ledger_memory_recall", box))).toMatchObject({
      atoms: [{ statement: expect.stringContaining("door-2") }],
      verified: "complete against the index root the ledger holds",
    });
    expect(value(await call(here, "ledger_memory_list"))).toEqual([
      { committed: 1, log, sealed: false, size: 1, uncommitted: 0, wallet: "coder" },
    ]);
    const { made: [other = ""] } = await here.client.memory.open({ wallet: "alice" });
    expect(await call(here, "ledger_memory_recall", { ...box, log: other })).toBe(
      `✗ ${other} is no memory log of yours here: list yours with ledger_memory_list`,
    );
    expect(value(await call(here, "ledger_memory_list"))).toHaveLength(1);
  });
});

describe("what a session remembered after it took in content from outside", () => {
  const recall = (log: string, until: number) => ({
    tool: "ledger_memory_recall",
    input: { frame: "hall", from_s: 0, log, max: [1, 1, 1], min: [0, 0, 0], until_s: until },
  });
  const remember = (log: string, subject: string, from: number) => ({
    tool: "ledger_memory_remember",
    input: {
      ...{ at: [0, 0, 0], frame: "hall", from_s: from, log, predicate: "is", seconds: 10 },
      ...{ subject, value: "to be paid" },
    },
  });

  test("taints the session that recalls it, and nothing else of the log does [A-011 A-053 A-055]", async () => {
    const here = await bench({ ...LIMITS, fees: USD });
    const given = { given: { memory: true } };
    const log = lastId(await call(here, "ledger_memory_open"));
    await run(here, [
      { calls: [remember(log, "bob", 100)] },
      { calls: [{ tool: "ledger_events" }] },
      { calls: [remember(log, "mallory", 200)] },
      { calls: [{ tool: "ledger_memory_commit", input: { log } }] },
      { say: "Noted." },
    ], given);
    const pay = { tool: "ledger_pay", input: { amount: "1", purpose: "x", to: "bob" } };
    const clean = await run(here, [{ calls: [recall(log, 150)] }, { calls: [pay] }], given);
    expect(clean.lines.join("\n")).toContain('"statement":"bob is to be paid"');
    expect(clean.lines.join("\n")).toContain("Done: agent paid 1 USD to bob");
    const both = await run(here, [
      { calls: [recall(log, 1_000)] },
      { calls: [remember(log, "dave", 300)] },
      { calls: [{ ...pay, input: { ...pay.input, to: "carol" } }] },
    ], given);
    const source = "memory of the ledger's events";
    expect(both.lines.join("\n")).toContain(`"from_outside":["the ledger's events"]`);
    expect(both.lines.at(-1)).toContain(`spending after reading ${source}: you did not name carol`);
    const machine = here.machine();
    expect(stringifyJson(machine.sessions.read(both.end.session))).toContain(
      `"outside":"${source}"`,
    );
    using store = openMemoryStores(machine.home).open(log);
    expect(store.outsideOf([0, 1, 2])).toEqual(["the ledger's events"]);
    expect(store.outsideOf([0])).toEqual([]);
  });
});

describe("ledger_fetch_paid", () => {
  const gateway = useGateway();

  test("pays out of the budget at most what it may, under the charter [A-568 L-324 L-325]", async () => {
    const here = await bench(LIMITS, gateway.chain);
    const { url } = await gateway.start();
    const resource = `${url}/v1/resource`;
    const dear = await call(here, "ledger_fetch_paid", { max_usd: "0.1", url: resource });
    expect(dear).toBe("✗ the server asks 0.25 USD, more than the 0.1 USD this client may pay");
    const before = await here.balance("bob");
    const paid = await call(here, "ledger_fetch_paid", { max_usd: "0.5", url: resource });
    expect(paid).toMatch(
      /^← HTTP 200, paid 0\.25 USD, transaction [0-9a-f]{64}\.\n\{"paid":true\}$/,
    );
    expect(await here.balance("bob")).toBe(before + 250_000n);
    expect(value(await call(here, "ledger_balance"))).toMatchObject({
      budget_remaining_usd: "9.75",
    });
  });

  test("reaches this machine only when it is told so, and waits for a person at L5", async () => {
    const here = await bench(LIMITS, gateway.chain);
    const { url } = await gateway.start();
    const input = { max_usd: "0.5", url: `${url}/v1/resource` };
    const given = { paidFetch: "public" };
    expect(await call(here, "ledger_fetch_paid", input, given)).toMatch(
      /^✗ 127\.0\.0\.1:\d+ is not asked, it leads to this machine: give another URL$/,
    );
    const { lines, events } = await run(
      here,
      [{ calls: [{ tool: "ledger_fetch_paid", input }] }],
      { given: { paidFetch: "local" }, autonomy: "L5" },
    );
    expect(lines[2]).toBe(" ← waiting for a person's approval");
    expect(events.find(({ type }) => type === "waiting")).toMatchObject({
      says: `Fetch ${input.url} and pay at most 0.5 USD for it.\n` +
        `nobody named ${input.url} and 0.5 USD here; 10 USD left`,
    });
  });
});

describe("options of the ledger tools", () => {
  test("name what a tool needs when a session does not have it", async () => {
    const here = await bench();
    for (
      const [tool, option] of [
        ["ledger_task_list", "tasks"],
        ["ledger_memory_list", "memory"],
        ["ledger_fetch_paid", "paid-fetch"],
      ] as const
    ) {
      expect(await call(here, tool, {}, {})).toBe(
        `✗ there is no tool named ${tool} without ${option}: run the agent with --${option}`,
      );
    }
    const names = capabilityOptions().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["memory", "paidFetch", "tasks"]));
    await expect(call(here, "ledger_balance", {}, { paidFetch: "all" })).rejects.toThrow(
      "--paid-fetch all is neither public nor local: give one of them, or nothing",
    );
  });
});
