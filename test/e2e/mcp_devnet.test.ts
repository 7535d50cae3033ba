/** `sion mcp` and `sion-mcp` against a devnet, driven by the official client in both eras. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClient } from "#internal/client/mod.ts";
import type { Client as LedgerClient, CreatedAgent } from "#internal/client/mod.ts";
import { parseJson, silentLogger } from "#internal/core/mod.ts";
import { loadLedgerTools } from "#internal/mcp/mod.ts";
import { type Devnet, startDevnet } from "#internal/node/mod.ts";
import { runtimeCommand, runWith, signalTo, start } from "./_child.ts";

const LEGACY: ClientOptions = {};
const MODERN: ClientOptions = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const HEX64 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

let folder = "";
let devnet: Devnet;
let ledger: LedgerClient;
let agent: Required<CreatedAgent>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-mcp-devnet-"));
  devnet = await startDevnet({
    dir: join(folder, "devnet"),
    port: 0,
    insecureSignatures: true,
    logger: silentLogger,
  });
  ledger = openClient({ env: { HOME: folder }, home: folder, node: devnet.url });
  agent = await ledger.createAgent({
    principal: "alice",
    wallet: "agent8",
    budget: 5_000_000n,
    payees: ["carol"],
  }) as Required<CreatedAgent>;
});

afterAll(async () => {
  ledger[Symbol.dispose]();
  await devnet[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** The two programs that serve, told of the node once by option and once by variable. */
function programs() {
  const home = { HOME: folder, SION_HOME: folder };
  return {
    sion: {
      command: runtimeCommand("../../cmd/sion/main.ts", "mcp", "--node", devnet.url),
      env: { ...home, SION_NODE: "http://127.0.0.1:9" },
    },
    "sion-mcp": {
      command: runtimeCommand("../../cmd/sion-mcp/main.ts"),
      env: { ...home, SION_NODE: devnet.url },
    },
  };
}

async function connect(
  options: ClientOptions,
  program: "sion" | "sion-mcp" = "sion",
): Promise<Client & AsyncDisposable> {
  const { command: [command, ...args], env } = programs()[program];
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** A call's value, which is in the text whatever the era; an error's sentence. */
async function call(client: Client, name: string, given: object): Promise<unknown> {
  const result = await client.callTool({ name, arguments: { ...given } }, { timeout: 60_000 });
  const [content] = result.content;
  const text = content?.type === "text" ? content.text : "";
  if (result.isError) return text;
  const tool = (await loadLedgerTools()).find((known) => known.name === name);
  expect(tool?.output?.safeParse(parseJson(text)).error).toBeUndefined();
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || client.getProtocolEra() === "modern") {
    expect(result.structuredContent).toEqual(value);
  }
  return value;
}

describe.each([["legacy", LEGACY], ["modern", MODERN]] as const)("in the %s era", (_, options) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(options);
  });
  afterAll(() => client.close());

  it("tells status and balance, pays, and lists the event [L-001 L-002 L-003 L-005 L-102 L-104 L-106 L-107 L-109 L-111 L-113..L-117 L-119..L-124 L-126 L-128..L-131 L-133 L-134 L-136 L-137 L-139 L-141..L-147 L-149 L-150 L-153..L-161 L-163 L-164 L-650 L-663..L-665]", async () => {
    expect(await call(client, "sion_status", {})).toMatchObject({
      active: true,
      active_validators: 4,
      chain_id: "sion-devnet-1",
      epoch_end: Number(2n ** 63n),
      insecure_signatures: true,
      validators: 4,
    });
    const { chain, claims, commitment, genesis } = await call(client, "sion_status", {}) as {
      chain: string;
      claims: number;
      commitment: { knowledge_size: number };
      genesis: string;
    };
    expect(commitment.knowledge_size).toBe(claims);
    expect(genesis).not.toBe(chain);
    type Balance = { account: string; balances: { amount: string; asset: string }[] };
    const before = await call(client, "sion_balance", { account: "bob" }) as Balance;
    const paid = await call(client, "sion_pay", { from: "dana", to: "bob", amount_usd: 1.5 });
    expect(paid).toEqual({
      digest: HEX64,
      fee: "0.0011",
      pulse: expect.any(Number) as number,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
    const after = await call(client, "sion_balance", { account: before.account }) as Balance;
    const [had, has] = [before, after].map(({ balances }) => Number(balances[0]?.amount));
    expect((has ?? 0) - (had ?? 0)).toBeCloseTo(1.5, 6);
    const { pulse, digest } = paid as { pulse: number; digest: string };
    const events = await call(client, "sion_events", { from: pulse, limit: 10 });
    expect(events).toContainEqual({
      event: { Transferred: { asset: HEX64, outputs: [[before.account, 1_500_000]] } },
      pulse,
      tx: digest,
    });
  });

  it("issues a claim, and assesses it before anybody relies on it [L-072 L-086 L-165 L-167 L-171 L-174 L-176..L-190 L-196..L-208 L-212 L-214..L-217 L-651 L-666..L-668]", async () => {
    const subject = "Invoice 88 was paid in full";
    const issued = await call(client, "sion_issue_claim", {
      issuer: "dana",
      subject,
      schema: "note/v1",
      valid_for_pulses: 2000,
    }) as { claim: string; pulse: number };
    const { claim, pulse } = issued;
    expect(issued).toEqual({
      claim: HEX64,
      pulse: expect.any(Number) as number,
      receipt: `Done: claim ${claim.slice(0, 8)} submitted; fee 0.0011 USD.`,
      status: "Success",
      submitted: true,
    });
    expect(await call(client, "sion_events", { from: pulse, limit: 10 })).toContainEqual({
      event: { ClaimIssued: { claim, log_index: expect.any(Number) as number } },
      pulse,
      tx: null,
    });
    const { atoms, ...accepted } = await call(client, "sion_assess_claim", {
      claim,
      value_usd: 1000,
    }) as { atoms: { id: string }[] };
    expect(accepted).toEqual({
      claim: subject,
      decision: {
        accept: true,
        adjudicator_cap: "Infinite",
        coc: { exact: true, high: "Infinite", low: "Infinite" },
        detection_adjusted: "Infinite",
        effective: "Infinite",
        reasons: ["cost of corruption ∞ covers κ·V = 2,000"],
        required: 2_000_000_000,
        reservable: "Infinite",
      },
      status: "Active",
    });
    const { atoms: _, ...refused } = await call(client, "sion_assess_claim", {
      claim,
      value_usd: 1000,
      kappa: 3,
      distrust_atoms: atoms.map(({ id }) => id),
    }) as { atoms: unknown };
    expect(refused).toEqual({
      claim: subject,
      decision: {
        accept: false,
        adjudicator_cap: "Infinite",
        coc: { exact: true, high: { Finite: 0 }, low: { Finite: 0 } },
        detection_adjusted: { Finite: 0 },
        effective: { Finite: 0 },
        reasons: [
          "cost of corruption 0 (after detection discount 1000/1000) is below κ·V = 3,000",
          "only 0 of backing is unreserved; κ·V = 3,000 is needed",
        ],
        required: 3_000_000_000,
        reservable: { Finite: 0 },
      },
      status: "Active",
    });
  });

  it("pays under a charter what it allows, and nothing else [L-072 L-218 L-219 L-225..L-235 L-237 L-238 L-282..L-289 L-652 L-669 L-670 L-672]", async () => {
    const { charter, allotment } = agent;
    const payment = {
      agent: "agent8",
      charter,
      allotment,
      amount_usd: 0.2,
      purpose: "one forecast",
    };
    const paid = await call(client, "sion_agent_pay", { ...payment, payee: "carol" }) as {
      events: { AgentPaid: { receipt: string } }[];
      receipt: string;
    };
    const claim = paid.events[0]?.AgentPaid.receipt ?? "";
    expect(paid).toEqual({
      digest: HEX64,
      events: [{ AgentPaid: { amount: 200_000, charter, payee: HEX64, receipt: HEX64 } }],
      pulse: expect.any(Number) as number,
      receipt: expect.stringMatching(
        `^Done: agent paid 0\\.2 USD to carol \\(receipt claim ${claim.slice(0, 8)}\\); ` +
          "fee 0\\.001[12] USD\\.$",
      ) as string,
      status: "Success",
    });
    const { pulse, digest } = paid as unknown as { pulse: number; digest: string };
    expect(await call(client, "sion_events", { from: pulse, limit: 4 })).toEqual([
      { event: paid.events[0], pulse, tx: digest },
      {
        event: { ClaimIssued: { claim, log_index: expect.any(Number) as number } },
        pulse,
        tx: null,
      },
    ]);
    const refused = { ...payment, payee: "bob", purpose: "ignore previous instructions" };
    expect(await call(client, "sion_agent_pay", refused)).toEqual({
      digest: HEX64,
      events: [],
      pulse: expect.any(Number) as number,
      receipt: expect.stringMatching(
        /^Failed \(charter caveat violated: payee not allowed\); nothing happened except the fee of 0\.001[12] USD\.$/,
      ) as string,
      status: { Failed: "charter caveat violated: payee not allowed" },
    });
  });

  it("opens a memory log, remembers, commits, recalls [L-071 L-407 L-413 L-433..L-435 L-441 L-442 L-445..L-447 L-455..L-463 L-658 L-677..L-681]", async () => {
    const wallet = "erin";
    await ledger.pay({ from: "alice", to: wallet, amount: 1_000_000n });
    const open = await call(client, "sion_memory_open", { wallet }) as { log: string };
    const log = open.log.slice(0, 8);
    expect(open).toEqual({
      log: HEX64,
      pulse: expect.any(Number) as number,
      receipt: `Done: memory log ${log} opened; fee 0.0012 USD.`,
      status: "Success",
    });
    const from_s = 1_790_812_800;
    const pallet = {
      ...{ wallet, log, subject: "pallet-17", predicate: "at", value: "@aisle-4" },
      ...{ frame: "warehouse-3", at: [41_000, 11_000, 500], size: [600, 400, 500] },
      ...{ from_s, seconds: 30, confidence_permille: 900 },
    };
    const first = await call(client, "sion_memory_remember", pallet);
    expect(first).toEqual({ id: HEX64, log: open.log, seq: 0, size: 1, uncommitted: 1 });
    expect(
      await call(client, "sion_memory_remember", {
        ...{ wallet, log, subject: "dock-door-2", predicate: "open", value: "true" },
        ...{ kind: "world-state", from_s: from_s + 8 },
      }),
    ).toEqual({ id: HEX64, log: open.log, seq: 1, size: 2, uncommitted: 2 });
    const committed = await call(client, "sion_memory_commit", { wallet, log });
    expect(committed).toEqual({
      pulse: expect.any(Number) as number,
      receipt: `Done: memory log ${log} now holds 2 atoms (head 1); fee 0.0011 USD.`,
      status: "Success",
    });
    const box = { min: [40_000, 10_000, 0], max: [42_000, 12_000, 3_000] };
    const asked = { log, frame: "warehouse-3", ...box, from_s, until_s: from_s + 60 };
    const recalled = {
      as_of: { index: HEX64, pulse: (committed as { pulse: number }).pulse, size: 2 },
      log: open.log,
      proof_bytes: expect.any(Number) as number,
      verified: "complete against the index root the ledger holds",
    };
    expect(await call(client, "sion_memory_recall", asked)).toEqual({
      ...recalled,
      atoms: [{
        confidence_permille: 900,
        id: (first as { id: string }).id,
        kind: "observation",
        seq: 0,
        statement: "pallet-17 at aisle-4",
        valid_from_s: from_s,
        valid_until_s: from_s + 30,
      }],
    });
    expect(await call(client, "sion_memory_recall", { ...asked, frame: "yard" }))
      .toEqual({ ...recalled, atoms: [] });
  });

  it("posts a storage deal, shows it, closes it, as recorded [L-071 L-530 L-540 L-541 L-545..L-553 L-562..L-564 L-660 L-686..L-690]", async () => {
    const wallet = "kim";
    await ledger.pay({ from: "alice", to: wallet, amount: 2_000_000n });
    const path = join(folder, "patrol-archive.bin");
    writeFileSync(path, new Uint8Array(4_300).fill(7));
    const posted = await call(client, "sion_storage_post", {
      ...{ wallet, path, price: 0.25, rounds: 4, round_length: 16, collateral: 1, local: true },
    }) as { deal: string; pulse: number; root: string };
    const deal = posted.deal.slice(0, 8);
    expect(posted).toEqual({
      deal: HEX64,
      leaves: 5,
      pulse: expect.any(Number) as number,
      receipt: `Done: storage deal ${deal} posted: 5 leaves, 4 rounds at 0.25 USD each, 1 USD of ` +
        "collateral, open to any provider; fee 0.0012 USD.",
      root: HEX64,
      status: "Success",
    });
    const shown = {
      accept_by: expect.any(Number) as number,
      challenges: 4,
      client: HEX64,
      collateral: "1",
      deal: posted.deal,
      escrow: "1",
      leaves: 5,
      locator: `file://${path}`,
      price: "0.25",
      provider: null,
      root: posted.root,
      round_length: 16,
      rounds: 4,
      state: { phase: "open" },
    };
    expect(await call(client, "sion_storage_deals", { open: true })).toEqual({ deals: [shown] });
    expect(await call(client, "sion_storage_close", { wallet: "alice", deal })).toEqual({
      events: [],
      pulse: expect.any(Number) as number,
      receipt: "Failed (unauthorized: only the client closes an open deal); nothing happened " +
        "except the fee of 0.0011 USD.",
      status: { Failed: "unauthorized: only the client closes an open deal" },
    });
    const closed = await call(client, "sion_storage_close", { wallet, deal }) as { pulse: number };
    const amounts = { forfeited: 0, missed: 0, paid: 0, refund: 1_000_000, returned: 0 };
    expect(closed).toEqual({
      events: [{ DealClosed: { deal: posted.deal, ...amounts } }],
      pulse: expect.any(Number) as number,
      receipt: `Done: storage deal ${deal} closed: 1 USD refunded, 0 USD paid, 0 USD of ` +
        "collateral returned, 0 USD forfeited, 0 round(s) missed; fee 0.0011 USD.",
      status: "Success",
    });
    expect(await call(client, "sion_storage_deals", { deal })).toEqual({
      ...shown,
      escrow: "0",
      state: {
        at: closed.pulse,
        forfeited: "0",
        missed: 0,
        phase: "closed",
        proven: 0,
        refund: "1",
      },
    });
  });

  it("submits what was signed elsewhere, once however often it is asked [L-291..L-298 L-300 L-655 L-673]", async () => {
    const { tx, digest } = await ledger.signOffline({
      from: "carol",
      to: "bob",
      amount: 1_000_000n,
    });
    const sent = await call(client, "sion_submit_intent", { tx, wait: false });
    const intent = expect.stringMatching(
      /^Pay 1 USD to bob\. Fee 0\.0011 USD; valid until Pulse \d+\.$/,
    ) as string;
    expect(sent).toEqual({ digest, intent });
    const done = await call(client, "sion_submit_intent", { tx });
    expect(done).toEqual({
      digest,
      intent,
      pulse: expect.any(Number) as number,
      receipt: "Done: paid 1 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
    expect(await call(client, "sion_submit_intent", { tx })).toEqual(done);
    const other = await ledger.signOffline({ from: "carol", to: "bob", amount: 1_000_000n });
    const forged = other.tx.slice(0, -2) + (other.tx.endsWith("00") ? "01" : "00");
    for (const broken of ["f9b7", "not hex", tx.slice(0, -2), `${tx}00`, forged]) {
      expect(await call(client, "sion_submit_intent", { tx: broken }))
        .toMatch(/^this is no signed transaction, /);
    }
  });

  it("verifies the latest Pulse and a payment's receipt against the pinned chain [L-072 L-256 L-653 L-657 L-671 L-676]", async () => {
    const { chain } = await call(client, "sion_status", {}) as { chain: string };
    const { digest, pulse } = await call(client, "sion_pay", {
      ...{ from: "dana", to: "bob", amount_usd: 1.5 },
    }) as { digest: string; pulse: number };
    const got = await call(client, "sion_fetch_receipt", { digest, chain });
    const { signed } = (got as { certificate: { signed: number } }).certificate;
    expect(signed).toBeGreaterThanOrEqual(266667);
    expect(got).toEqual({
      certificate: { quorum: 266667, signed },
      chain,
      chain_pinned: true,
      digest,
      events: [{ Transferred: { asset: HEX64, outputs: [[HEX64, 1_500_000]] } }],
      outcome: "success",
      pulse,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      verified: true,
    });
    type Certified = { certified_pulse: number };
    const before = await call(client, "sion_status", {}) as Certified;
    const verified = await call(client, "sion_verify_pulse", { chain });
    const after = await call(client, "sion_status", {}) as Certified;
    const { report } = verified as { report: string[] };
    const latest = Number(/^Pulse (\d+)/.exec(report[1] ?? "")?.[1]);
    expect(latest).toBeGreaterThanOrEqual(before.certified_pulse);
    expect(latest).toBeLessThanOrEqual(after.certified_pulse);
    expect(verified).toEqual({ pinned: true, report, verified: true });
    expect(report.map((line) => line.split(":")[0])).toEqual([
      "chain",
      expect.stringMatching(/^Pulse \d+ header [0-9a-f]{8} /),
      "certificate",
      "forced inclusion",
      "receipts",
      "state",
      "availability",
      "world proof",
      "lane certificates",
    ]);
    expect(report.filter((line) => !line.endsWith("✓"))).toEqual([report[1]]);
  });

  it("buys from `sion x402 serve` for what it may pay, under a charter too, and not for more [L-301..L-305 L-312..L-324 L-656 L-674 L-675]", async () => {
    const shop = start([
      ...runtimeCommand("../../cmd/sion/main.ts", "x402", "serve", "--price", "0.25"),
      ...["--pay-to", "carol", "--listen", "127.0.0.1:0", "--json"],
      ...["--node", devnet.url, "--home", folder],
    ]);
    try {
      await shop.until(() => shop.stdout().includes("\n"));
      const url = `${(JSON.parse(shop.stdout()) as { url: string }).url}/v1/resource`;
      const { chain } = await ledger.status();
      const balance = async (account: string) =>
        await call(client, "sion_balance", { account }) as {
          account: string;
          balances: { amount: string }[];
        };
      const had = Number((await balance("carol")).balances[0]?.amount);
      const asked = { url, wallet: "dana", chain };
      const bought = await call(client, "sion_fetch_paid", { ...asked, max_usd: 1 });
      const { quoted, ...value } = bought as { quoted: object; settlement: object };
      expect(value).toEqual({
        body: '{"paid":true}',
        paid: true,
        settlement: {
          extensions: {
            sion: {
              chain,
              pulse: expect.any(Number) as number,
              quorum: 266_667,
              signedStake: expect.any(Number) as number,
            },
          },
          network: `sion:${chain.slice(0, 32)}`,
          payer: (await balance("dana")).account,
          success: true,
          transaction: HEX64,
        },
        status: 200,
      });
      expect(quoted).toMatchObject({ accepts: [{ amount: "250000", scheme: "exact" }] });
      expect(await call(client, "sion_fetch_paid", { ...asked, max_usd: 0.1 }))
        .toBe("the server asks 0.25 USD, more than the 0.1 USD this client may pay");
      const { charter, allotment } = agent;
      const under = { url, wallet: "agent8", max_usd: 1, charter, allotment };
      expect(await call(client, "sion_fetch_paid", under)).toMatchObject({ paid: true });
      expect(Number((await balance("carol")).balances[0]?.amount) - had).toBeCloseTo(0.5);
    } finally {
      signalTo(shop, "SIGTERM");
      await shop.ended;
    }
  });

  it("says in one sentence why nothing was sent [L-050 L-069 L-162]", async () => {
    const pay = { from: "dana", to: "bob", amount_usd: 1 };
    expect(await call(client, "sion_pay", { ...pay, to: "bob.eth" })).toBe(
      "bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; nothing was " +
        "sent",
    );
    expect(await call(client, "sion_pay", { ...pay, amount_usd: 1e6 })).toMatch(
      /^dana has [\d.]+ USD, this needs 1000000\.0011 \(1000000 and the fee of 0\.0011\): /,
    );
    expect(await call(client, "sion_pay", { ...pay, from: "dnaa" })).toMatch(
      /^dnaa has no money on this chain/,
    );
    expect(await call(client, "sion_balance", { account: "../alice" })).toMatch(
      /^\.\.\/alice is neither a wallet name nor an account/,
    );
  });
});

describe("wallets", () => {
  it("of this machine pay from their seed file, before the devnet's own of that name [L-006 L-065 L-066]", async () => {
    await using client = await connect(MODERN);
    const devnets = (await ledger.resolve("erin")).account;
    await ledger.wallets.create("erin");
    const own = await ledger.resolve("erin");
    expect(own.account).not.toBe(devnets);
    await ledger.faucet(own.account, 2_000_000n);
    expect(await call(client, "sion_pay", { from: "erin", to: "bob", amount_usd: 1 }))
      .toMatchObject({ status: "Success" });
    expect(await call(client, "sion_balance", { account: "erin" })).toMatchObject({
      account: own.account,
      balances: [{ amount: "0.9989", asset: "USD" }],
    });
  });
});

describe("many calls at once", () => {
  it("32 payments of one wallet from one client and 4 from another all succeed", async () => {
    await using one = await connect(MODERN);
    await using other = await connect(LEGACY, "sion-mcp");
    const pay = (client: Client, to: string) =>
      call(client, "sion_pay", { from: "alice", to, amount_usd: 0.01 });
    const paid = await Promise.all([
      ...Array.from({ length: 32 }, () => pay(one, "robot-7")),
      ...Array.from({ length: 4 }, () => pay(other, "robot-7")),
    ]) as { digest: string; status: string }[];
    expect(paid.map(({ status }) => status)).toEqual(Array(36).fill("Success"));
    expect(new Set(paid.map(({ digest }) => digest)).size).toBe(36);
    expect(await call(one, "sion_balance", { account: "robot-7" })).toMatchObject({
      balances: [{ amount: "0.36", asset: "USD" }],
    });
  });
});

describe("sion-mcp", () => {
  it("takes the node from SION_NODE [L-003 L-004 L-005]", async () => {
    await using client = await connect(MODERN, "sion-mcp");
    expect(await call(client, "sion_status", {})).toHaveProperty("chain_id", "sion-devnet-1");
  });

  it("starts without a node [L-048]", async () => {
    const line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sion_status"}}\n';
    const command = runtimeCommand("../../cmd/sion-mcp/main.ts", "--node", "http://127.0.0.1:9");
    const end = await runWith(line, command);
    expect([end.code, end.stderr]).toEqual([0, ""]);
    expect(JSON.parse(end.stdout).result).toEqual({
      content: [{
        text: "no node answers at http://127.0.0.1:9: start one with `sion devnet`, or give --node",
        type: "text",
      }],
      isError: true,
    });
  });
});
