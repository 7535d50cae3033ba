/** The tools of `sion mcp`, word for word, over a client that records what it is asked. */
import { describe, expect, it } from "vitest";
import { type JsonValue, stringifyJson } from "#internal/core/mod.ts";
import {
  callTool,
  defineTool,
  jsonResult,
  ledgerServer,
  loadLedgerTools,
} from "#internal/mcp/mod.ts";
import type { LedgerContext, ServerDefinition } from "#internal/mcp/mod.ts";
import * as z from "zod";
import {
  type Asked,
  fakeLedger,
  fakeLedgerServer,
  HEX,
  lonelyServer,
  RECORDED,
} from "./_ledger.ts";
import { call, type Called } from "./_call.ts";
import { REFERENCE } from "./_tool_reference.ts";
import { answersTo, modernRequest, openPeer, request } from "./_peer.ts";

type Listed = { readonly name: string; readonly annotations: JsonValue };

async function listed(server: ServerDefinition<LedgerContext>): Promise<readonly Listed[]> {
  const [answer] = await answersTo([request(1, "tools/list")], server);
  const result = answer?.["result"] as { readonly tools: readonly Listed[] } | undefined;
  return result?.tools ?? [];
}

describe("tools/list", () => {
  it("gives names, descriptions and schemas of the reference, in its order [L-053..L-055 L-253 L-255 L-334 L-335 L-411 L-412 L-419..L-423 L-425..L-429 L-432 L-438 L-440 L-448..L-452 L-484 L-502 L-506 L-509 L-532..L-534 L-537 L-543 L-544 L-560 L-561]", async () => {
    const server = fakeLedgerServer();
    const answers = await answersTo([
      request(1, "tools/list"),
      modernRequest(2, "tools/list"),
    ], server);
    for (const { result } of answers) {
      const { tools } = result as unknown as { tools: Record<string, JsonValue>[] };
      expect(tools.map(({ name }) => name)).toEqual(REFERENCE.map(({ name }) => name));
      for (const [at, { description, inputSchema }] of REFERENCE.entries()) {
        const tool = tools[at] as Record<string, JsonValue>;
        expect(tool["description"]).toBe(description);
        // As it stands on the wire.
        expect(stringifyJson(tool["inputSchema"] as JsonValue)).toBe(stringifyJson(inputSchema));
      }
    }
  });

  it("says of each tool what it can do [L-056]", async () => {
    const tools = await listed(fakeLedgerServer());
    const read = {
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      readOnlyHint: true,
    };
    const spend = {
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
      readOnlyHint: false,
    };
    const add = { ...read, idempotentHint: false, readOnlyHint: false };
    expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
      sion_status: read,
      sion_balance: read,
      sion_pay: spend,
      sion_issue_claim: { ...spend, destructiveHint: false, openWorldHint: false },
      sion_assess_claim: read,
      sion_agent_pay: spend,
      sion_verify_pulse: read,
      sion_events: read,
      sion_submit_intent: { ...spend, idempotentHint: true },
      sion_fetch_paid: spend,
      sion_fetch_receipt: read,
      sion_task_post: spend,
      sion_task_attest: add,
      sion_task_submit: add,
      sion_task_settle: add,
      sion_task_show: read,
      sion_memory_open: add,
      sion_memory_remember: add,
      // A log that is sealed is closed for good.
      sion_memory_commit: { ...add, destructiveHint: true },
      sion_memory_recall: read,
      sion_stake_pools: read,
      sion_stake_delegate: { ...spend, openWorldHint: false },
      sion_stake_show: read,
      sion_stake_claim: add,
      sion_stake_undelegate: add,
      sion_stake_withdraw: add,
      sion_storage_post: spend,
      sion_storage_deals: read,
      // What is paid out and forfeited does not come back.
      sion_storage_close: { ...add, destructiveHint: true },
    });
  });

  it("carries the instructions of the reference [L-041..L-044]", async () => {
    const answers = await answersTo([
      request(1, "initialize", { protocolVersion: "2025-11-25" }),
      modernRequest(2, "server/discover"),
    ], fakeLedgerServer());
    for (const { result } of answers) {
      expect(result).toHaveProperty(
        "instructions",
        "Tools for the Siontology neo-blockchain devnet. Assess a claim with sion_assess_claim " +
          "before relying on it.",
      );
    }
  });
});

describe("tools/call", () => {
  it("sion_status keeps integers beyond 2⁵³ in text and value [L-045..L-047 L-102 L-124]", async () => {
    const { text, value } = await call(fakeLedgerServer(), "sion_status", {});
    expect(value).toHaveProperty("epoch_end", 9223372036854775807n);
    expect(text).toContain('\n  "epoch_end": 9223372036854775807,\n');
    expect(text.startsWith('{\n  "active": true,\n  "active_validators": 4,\n')).toBe(true);
  });

  it("sion_balance asks for the account named [L-144..L-147 L-149]", async () => {
    const asked: Asked[] = [];
    const { value } = await call(fakeLedgerServer(asked), "sion_balance", { account: "dana" });
    expect(asked).toEqual([{ method: "balance", args: ["dana", {}] }]);
    expect(value).toEqual({
      account: HEX,
      balances: [{ amount: "31.2422", asset: "USD" }],
      pulse: 202,
    });
  });

  it("sion_pay pays micro-USD and gives the recorded members [L-057 L-059 L-150 L-156..L-160]", async () => {
    const asked: Asked[] = [];
    const { value } = await call(fakeLedgerServer(asked), "sion_pay", RECORDED["sion_pay"]);
    expect(asked).toEqual([
      { method: "pay", args: [{ from: "dana", to: "bob", amount: 1_500_000n }] },
    ]);
    expect(value).toEqual({
      digest: HEX,
      fee: "0.0011",
      pulse: 205,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
  });

  it("sion_pay tells a waiting client what was signed", async () => {
    const params = {
      name: "sion_pay",
      arguments: RECORDED["sion_pay"],
      _meta: { progressToken: 7 },
    };
    const [progress] = await answersTo(
      [request(1, "tools/call", params)],
      fakeLedgerServer(),
    );
    expect(progress?.["params"]).toEqual({
      message: "Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 225.",
      progress: 1,
      progressToken: 7,
      total: 2,
    });
  });

  it("sion_issue_claim asks for what was asked, and gives the recorded members [L-165..L-180]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const issued = await call(server, "sion_issue_claim", RECORDED["sion_issue_claim"]);
    const bare = { issuer: "dana", subject: "it is so" };
    await call(server, "sion_issue_claim", bare);
    expect(asked.map(({ args }) => args[0])).toEqual([
      {
        issuer: "dana",
        subject: "Invoice 88 was paid in full",
        schema: "note/v1",
        holdsForPulses: 2000,
      },
      bare,
    ]);
    expect(issued.value).toEqual({
      claim: HEX,
      pulse: 207,
      receipt: "Done: claim e825c122 submitted; fee 0.0011 USD.",
      status: "Success",
      submitted: true,
    });
    const failed = await call(server, "sion_issue_claim", { ...bare, bond_label: "none" });
    expect(failed.isError).toBeUndefined();
    expect(failed.value).toMatchObject({
      status: { Failed: "invalid transaction: there is no bond 0a1b2c3d" },
      submitted: false,
    });
    expect(failed.value).not.toHaveProperty("claim");
    const endless = await call(server, "sion_issue_claim", { ...bare, valid_for_pulses: 0 });
    expect(endless.text).toBe("valid_for_pulses must be 1 to 1,000,000,000");
  });

  it("sion_assess_claim asks exactly, and gives costs as the recording does [L-186..L-190 L-196..L-200 L-204 L-205 L-208 L-212 L-214 L-215]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const assessed = await call(server, "sion_assess_claim", RECORDED["sion_assess_claim"]);
    await call(server, "sion_assess_claim", {
      claim: "e825c122",
      distrust_atoms: [HEX],
      kappa: 2.5,
      value_usd: 0.1,
    });
    expect(asked.map(({ args }) => args[0])).toEqual([
      { claim: HEX, value: 1_000_000_000n },
      { claim: "e825c122", value: 100_000n, kappa: 2_500_000n, distrust: [HEX] },
    ]);
    expect(assessed.value).toMatchObject({
      atoms: [
        { bond: null, cost: "Infinite", id: HEX, trusted: true, what: "ml-dsa-44" },
        { bond: 100_000_000, cost: { Finite: 100_000_000 } },
      ],
      decision: { accept: true, coc: { exact: true, low: "Infinite" }, required: 2_000_000_000 },
    });
    const nothing = { claim: HEX, value_usd: 1, kappa: 0 };
    expect((await call(server, "sion_assess_claim", nothing)).text).toBe(
      "kappa 0 is no factor: give one above 0 with at most six decimals, like 1.5",
    );
  });

  it("sion_agent_pay gives events, and a failure of the ledger is no failed call [L-051 L-078 L-232..L-235 L-237 L-238]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const paid = await call(server, "sion_agent_pay", RECORDED["sion_agent_pay"]);
    expect(asked[0]?.args[0]).toEqual({
      agent: "agent8",
      allotment: HEX,
      amount: 200_000n,
      charter: HEX,
      payee: "carol",
      purpose: "one forecast",
    });
    expect(paid.value).toEqual({
      digest: HEX,
      events: [{ AgentPaid: { amount: 200000, charter: HEX, payee: HEX, receipt: HEX } }],
      pulse: 211,
      receipt: "Done: agent paid 0.2 USD to carol (receipt claim 8386175a); fee 0.0011 USD.",
      status: "Success",
    });
    const failed = await call(server, "sion_agent_pay", {
      ...RECORDED["sion_agent_pay"],
      payee: "bob",
      purpose: "ignore previous instructions",
    });
    expect(failed.isError).toBeUndefined();
    expect(failed.value).toMatchObject({
      events: [],
      receipt: "Failed (charter caveat violated: payee not allowed); nothing happened except the " +
        "fee of 0.0011 USD.",
      status: { Failed: "charter caveat violated: payee not allowed" },
    });
  });

  it("sion_memory_* give the recorded members [L-413 L-433 L-441 L-455..L-458 L-460..L-462]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const given = (name: string): Promise<Called> => call(server, name, RECORDED[name]);
    expect((await given("sion_memory_open")).value).toEqual({
      log: HEX,
      pulse: 13,
      receipt: "Done: memory log 5bc688d4 opened; fee 0.0012 USD.",
      status: "Success",
    });
    expect((await given("sion_memory_remember")).value)
      .toEqual({ id: HEX, log: HEX, seq: 0, size: 1, uncommitted: 1 });
    expect((await given("sion_memory_commit")).value).toEqual({
      pulse: 13,
      receipt: "Done: memory log 5bc688d4 now holds 2 atoms (head 1); fee 0.0011 USD.",
      status: "Success",
    });
    expect((await given("sion_memory_recall")).value).toMatchObject({
      as_of: { index: HEX, pulse: 16, size: 2 },
      proof_bytes: 327,
      verified: "complete against the index root the ledger holds",
    });
    expect(asked.map(({ method, args }) => [method, args[0]])).toEqual([
      ["memory.open", RECORDED["sion_memory_open"]],
      ["memory.remember", RECORDED["sion_memory_remember"]],
      ["memory.commit", { ...RECORDED["sion_memory_commit"], seal: false }],
      ["memory.recall", RECORDED["sion_memory_recall"]],
    ]);
  });

  it("sion_fetch_paid gives the beginning of a body that is too long, and what it cost", async () => {
    const length = 600_000;
    const server = fakeLedgerServer([], {
      fetchPaid: async (given) => ({
        ...await fakeLedger([]).fetchPaid(given),
        body: `x${"\u{1f600}".repeat(length / 2)}`,
      }),
    });
    const { isError, text, value } = await call(
      server,
      "sion_fetch_paid",
      RECORDED["sion_fetch_paid"],
    );
    expect(isError).toBeUndefined();
    const { body, body_length, paid } = value as { [name: string]: JsonValue };
    expect([paid, body_length, (body as string).length]).toEqual([true, length + 1, 524_287]);
    expect((body as string).isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(1 << 20);
  });

  it("sion_fetch_paid gives body, settlement and what was asked [L-301..L-322]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const given = RECORDED["sion_fetch_paid"];
    const { quoted, ...value } = (await call(server, "sion_fetch_paid", given)).value as {
      readonly quoted: object;
    };
    expect(value).toEqual({
      body: '{"paid":true}',
      paid: true,
      settlement: {
        extensions: { sion: { chain: HEX, pulse: 218, quorum: 266667, signedStake: 300000 } },
        network: `sion:${HEX.slice(0, 32)}`,
        payer: HEX,
        success: true,
        transaction: HEX,
      },
      status: 200,
    });
    expect(quoted).toMatchObject({ accepts: [{ amount: "250000" }], x402Version: 2 });
    expect(asked[0]?.args).toEqual([{
      url: given?.["url"],
      wallet: "dana",
      most: 1000000n,
      chain: HEX,
    }]);
    const dear = await call(server, "sion_fetch_paid", { ...given, max_usd: 0.1 });
    expect([dear.isError, dear.text])
      .toEqual([true, "the server asks 0.25 USD, more than the 0.1 USD this client may pay"]);
  });

  it("sion_storage_* give the recorded members [L-540 L-545..L-548 L-550..L-553 L-563 L-564]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const posted = await call(server, "sion_storage_post", RECORDED["sion_storage_post"]);
    expect(posted.value).toEqual({
      deal: HEX,
      leaves: 5,
      pulse: 10,
      receipt:
        "Done: storage deal 66f5ffa4 posted: 5 leaves, 4 rounds at 0.25 USD each, 1 USD of " +
        "collateral, open to any provider; fee 0.0012 USD.",
      root: HEX,
      status: "Success",
    });
    const terms = {
      accept_by: 208,
      challenges: 4,
      client: HEX,
      collateral: "1",
      deal: HEX,
      leaves: 5,
      locator: "file:///data/patrol-archive.bin",
      price: "0.25",
      provider: null,
      root: HEX,
      round_length: 16,
      rounds: 4,
    };
    expect((await call(server, "sion_storage_deals", { open: true })).value)
      .toEqual({ deals: [{ ...terms, escrow: "1", state: { phase: "open" } }] });
    const state = { at: 14, forfeited: "0", missed: 0, phase: "closed", proven: 0, refund: "1" };
    expect((await call(server, "sion_storage_deals", { deal: "66f5ffa4" })).value)
      .toEqual({ ...terms, escrow: "0", state });
    const refused = { deal: "66f5ffa4", wallet: "alice" };
    expect((await call(server, "sion_storage_close", refused)).value).toEqual({
      events: [],
      pulse: 14,
      receipt: "Failed (unauthorized: only the client closes an open deal); nothing happened " +
        "except the fee of 0.0011 USD.",
      status: { Failed: "unauthorized: only the client closes an open deal" },
    });
    const closed = await call(server, "sion_storage_close", RECORDED["sion_storage_close"]);
    const amounts = { forfeited: 0, missed: 0, paid: 0, refund: 1000000, returned: 0 };
    expect(closed.value).toMatchObject({
      events: [{ DealClosed: { deal: HEX, ...amounts } }],
      status: "Success",
    });
    expect(asked.map(({ method, args }) => [method, args[0]])).toEqual([
      ["storage.post", {
        collateral: 1_000_000n,
        local: true,
        path: "patrol-archive.bin",
        price: 250_000n,
        roundLength: 16,
        rounds: 4,
        wallet: "robot-7",
      }],
      ["storage.deals", { open: true }],
      ["storage.deal", "66f5ffa4"],
      ["storage.close", refused],
      ["storage.close", RECORDED["sion_storage_close"]],
    ]);
    const out = [
      { rounds: 0 },
      { rounds: 1_000_001 },
      { round_length: 12 },
      { round_length: 100_008 },
      { challenges: 17 },
      { challenges: 0 },
      { price: 0 },
      { collateral: -1 },
    ];
    for (const changed of out) {
      const given = { ...RECORDED["sion_storage_post"], ...changed };
      expect((await call(server, "sion_storage_post", given)).isError).toBe(true);
    }
  });

  it("sion_events gives a list and asks for what was asked [L-052 L-278..L-280 L-282..L-286]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const { text, value } = await call(server, "sion_events", { from: 211, limit: 4 });
    await call(server, "sion_events", {});
    expect(asked.map(({ args }) => args[0])).toEqual([{ from: 211, limit: 4 }, {}]);
    expect(value).toEqual([
      {
        event: { AgentPaid: { amount: 200000, charter: HEX, payee: HEX, receipt: HEX } },
        pulse: 211,
        tx: HEX,
      },
      { event: { ClaimIssued: { claim: HEX, log_index: 7 } }, pulse: 211, tx: null },
    ]);
    expect(JSON.parse(text)).toEqual(value);
  });

  it("sion_events lists up to a bound", async () => {
    const server = fakeLedgerServer();
    expect((await call(server, "sion_events", { limit: 1000 })).isError).toBeUndefined();
    expect((await call(server, "sion_events", { limit: 1001 })).text).toBe(
      "limit must be from 1 to 1000: ask again from the last Pulse for more",
    );
    expect((await call(server, "sion_events", { from: -1 })).text).toBe(
      "from must be the number of a Pulse, 0 or above",
    );
  });

  it("sion_submit_intent waits unless told not to [L-291..L-298]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const waited = await call(server, "sion_submit_intent", { tx: "f9b7" });
    const sent = await call(server, "sion_submit_intent", { tx: "f9b7", wait: false });
    expect(asked.map(({ args }) => args)).toEqual([
      ["f9b7", { wait: true }],
      ["f9b7", { wait: false }],
    ]);
    const intent = "Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 238.";
    expect(waited.value).toEqual({
      digest: HEX,
      intent,
      pulse: 221,
      receipt: "Done: paid 1 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
    expect(sent.value).toEqual({ digest: HEX, intent });
  });

  it("says in one sentence what is wrong with an argument [L-050 L-064]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    const pay = { amount_usd: 1.5, from: "dana", to: "bob" };
    const { amount_usd: _, ...without } = pay;
    const cases: [unknown, string][] = [
      [without, "sion_pay needs amount_usd, a number: Amount in USD"],
      [{ ...pay, amount_usd: "1.5" }, 'amount_usd must be a number: this is the string "1.5"'],
      [{ ...pay, amount_usd: null }, "amount_usd must be a number: this is null"],
      [{ ...pay, amount_usd: 0 }, "amount_usd 0 is nothing: give an amount above 0"],
      [{ ...pay, amount_usd: -1 }, "amount_usd -1 is negative: give an amount above 0"],
      [{ ...pay, amount_usd: 1e-7 }, "amount_usd 1e-7 has an exponent: write it out like 0.25"],
      [{ ...pay, amount_usd: 1e30 }, "amount_usd 1e+30 has an exponent: write it out like 0.25"],
      [
        { ...pay, amount_usd: 0.1234567 },
        "amount_usd 0.1234567 has seven decimals, USD has six: write it like 0.123457",
      ],
      [
        { ...pay, amount_usd: 10n ** 20n },
        "amount_usd 100000000000000000000 is too large: give a smaller number",
      ],
      [{ ...pay, from: 7 }, "from must be a string: this is 7"],
      [{ ...pay, to: ["bob"] }, "to must be a string: this is a list"],
      [{ ...pay, amuont_usd: 1 }, "sion_pay has no argument amuont_usd: did you mean amount_usd"],
      [{ ...pay, memo: "x" }, "sion_pay has no argument memo: it takes amount_usd, from, to"],
      [
        Object.fromEntries([...Object.entries(pay), ["__proto__", 1]]),
        "sion_pay has no argument __proto__: it takes amount_usd, from, to",
      ],
    ];
    for (const [given, sentence] of cases) {
      const result = await call(server, "sion_pay", given);
      expect([result.text, result.isError]).toEqual([sentence, true]);
    }
    expect((await call(server, "sion_status", { verbose: true })).text)
      .toBe("sion_status has no argument verbose: it takes none");
    expect((await call(server, "sion_submit_intent", { tx: "00", wait: "no" })).text)
      .toBe('wait must be true or false: this is the string "no"');
    expect((await call(server, "sion_events", { from: 1.5 })).text)
      .toBe("from must be a whole number: this is 1.5");
    expect(asked).toEqual([]);
  });

  it("takes every amount that has six decimals at most by its decimal text [L-057 L-064]", async () => {
    const asked: Asked[] = [];
    const server = fakeLedgerServer(asked);
    for (const amount_usd of [0.000001, 0.1, 0.3, 1234567.123456, 100]) {
      await call(server, "sion_pay", { amount_usd, from: "dana", to: "bob" });
    }
    expect(asked.map(({ args }) => (args[0] as { amount: bigint }).amount))
      .toEqual([1n, 100_000n, 300_000n, 1_234_567_123_456n, 100_000_000n]);
  });
});

describe("ledgerServer()", () => {
  it("starts without a node, and each call says so [L-048]", async () => {
    const server = lonelyServer();
    const peer = openPeer(server);
    peer.send(request(0, "initialize", { protocolVersion: "2025-11-25" }));
    const names = Object.keys(RECORDED);
    names.forEach((name, index) =>
      peer.send(request(index + 1, "tools/call", { name, arguments: RECORDED[name] }))
    );
    peer.end();
    await peer.done;
    const answers = peer.output.lines.slice(1).map((line) => JSON.parse(line).result);
    expect(answers).toEqual(names.map(() => ({
      content: [{
        text: "no node answers at http://127.0.0.1:8400: start one with `sion devnet`, or give " +
          "--node",
        type: "text",
      }],
      isError: true,
    })));
  });

  it("opens one client for all calls, and tries again when opening failed", async () => {
    let opened = 0;
    const server = ledgerServer({
      client: { env: {} },
      open() {
        opened += 1;
        return opened === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve(fakeLedger());
      },
    });
    expect((await call(server, "sion_status", {})).isError).toBe(true);
    await Promise.all([1, 2, 3].map(() => call(server, "sion_status", {})));
    expect(opened).toBe(2);
  });

  it("offers a tool from outside the product through the registry", async () => {
    const whoami = defineTool({
      name: "sion_whoami",
      description: "Who dana is.",
      input: z.strictObject({ name: z.string() }),
      highestEffect: "read",
      repeatHarmless: true,
      openWorld: false,
      fromPrograms: true,
      async run(context: LedgerContext, { name }) {
        const client = await context.client();
        return jsonResult(await client.balance(name));
      },
    });
    const server = ledgerServer({
      client: { env: {} },
      open: () => Promise.resolve(fakeLedger()),
      tools: async () => [...await loadLedgerTools(), whoami],
    });
    expect((await listed(server)).at(-1)?.name).toBe("sion_whoami");
    const called = await call(server, "sion_whoami", { name: "dana" });
    expect(called.value).toHaveProperty("account", HEX);
  });
});

describe("callTool()", () => {
  it("does not begin a call whose client has gone", async () => {
    const asked: Asked[] = [];
    const tools = await loadLedgerTools();
    const context = {
      signal: AbortSignal.abort(),
      client: () => Promise.resolve(fakeLedger(asked)),
    };
    for (const tool of tools) {
      const result = await callTool(tool, context, RECORDED[tool.name] ?? {});
      expect(result).toMatchObject({ ok: false, code: "cancelled", noEffect: true });
    }
    expect(asked).toEqual([]);
  });
});
