import { describe, expect, it } from "vitest";
import { openClient } from "#internal/client/mod.ts";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { USD as USD_ASSET } from "#internal/ledger/mod.ts";
import { payWhileStalled, USD, useBench } from "./bench.ts";
import { FakeChain } from "./fake_chain.ts";

describe("Client", () => {
  const bench = useBench();

  it("a closed client opens nothing again, whatever still goes on in it", async () => {
    const client = bench.open();
    client[Symbol.dispose]();
    await expect(client.balance("alice")).rejects.toThrow("The client is closed");
    expect(readdirSync(bench.home)).toEqual([]);
  });

  it("status() is the node's, with integers beyond a double's kept [L-102 L-124]", async () => {
    const status = await bench.client.status();
    expect(status).toMatchObject({ chain: bench.chain.chain, pulse: 3, proven_pulse: 0 });
    expect(status.epoch_end).toBe(9223372036854775807n);
  });

  it("balance() takes a wallet name or an account [L-144 L-146 L-147 L-149 L-061]", async () => {
    const account = await bench.chain.accountOf("alice");
    const expected = { account, balances: [{ amount: "10000", asset: "USD" }], pulse: 3 };
    expect(await bench.client.balance("alice")).toEqual(expected);
    expect(await bench.client.balance(account)).toEqual(expected);
    expect(await bench.client.balance("dave")).toMatchObject({ balances: [] });
    await expect(bench.client.balance("bob.eth")).rejects.toThrow(
      /^bob\.eth is neither a wallet name nor an account: give a name or 64 hex digits$/,
    );
  });

  it("nothing is read from a node of another chain than the pinned one", async () => {
    const pinned = bench.open({ chain: "ab".repeat(32) });
    const account = await bench.chain.accountOf("alice");
    const calls = [
      () => pinned.status(),
      () => pinned.balance(account),
      () => pinned.balance("alice"),
      () => pinned.events({}),
      () => pinned.followEvents({})[Symbol.asyncIterator]().next(),
      () => pinned.resolve("alice"),
      () => pinned.object("identity", account),
      () => pinned.objects("charter"),
      () => pinned.receipt(account),
      () => pinned.settle(account),
      () => pinned.faucet("alice", USD),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "other-chain" });
    const right = bench.open({ chain: bench.chain.chain });
    expect((await right.balance(account)).balances).toHaveLength(1);
  });

  it("events() lists at most so many, page by page, from a Pulse on [L-278 L-282 L-283]", async () => {
    for (let i = 0; i < 3; i++) await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    const all = await bench.client.events({ from: 0 });
    expect(all.map(({ pulse }) => pulse)).toEqual([4, 5, 6]);
    expect(all[0]).toMatchObject({
      event: { Transferred: { outputs: [[expect.any(String), 1_000_000]] } },
    });
    expect(await bench.client.events({ from: 5, limit: 1 })).toEqual([all[1]]);
  });

  it("events() without a Pulse gives the newest 50 of the last 20 Pulses, or so many [L-278 L-281]", async () => {
    const pays = (count: number) =>
      bench.client.transact({
        wallet: "alice",
        batch: true,
        actions: Array.from({ length: count }, () => ({
          kind: "pay",
          body: { asset: USD_ASSET, outputs: [["11".repeat(32), 1n]] },
        })),
      });
    for (const count of [1, 128, 100]) await pays(count);
    const all = await bench.client.events({ from: 0, limit: 1000 });
    expect(all).toHaveLength(229);
    expect(await bench.client.events({})).toEqual(all.slice(-50));
    expect(await bench.client.events({ limit: 3 })).toEqual(all.slice(-3));
    expect(await bench.client.events({ limit: 201 })).toEqual(all.slice(-201));
    for (let idle = 0; idle < 19; idle++) bench.chain.executePulse();
    expect(await bench.client.events({ limit: 1000 })).toEqual(all.slice(-100));
  });

  it("submitHex() sends what was signed offline and answers with its intent and receipt [L-291 L-292 L-293 L-296 L-297]", async () => {
    const offline = await bench.client.signOffline({
      from: "alice",
      to: "bob",
      amount: USD,
      validForPulses: 40,
    });
    expect(offline.validUntil).toBe(43n);
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
    expect(await bench.client.submitHex(offline.tx)).toEqual({
      digest: offline.digest,
      intent: "Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 43.",
      pulse: 4,
      receipt: "Done: paid 1 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
  });

  it("submitHex() without waiting answers with digest and intent only [L-298]", async () => {
    const { tx, digest, intent } = await bench.client.signOffline({
      from: "alice",
      to: "bob",
      amount: USD,
    });
    expect(await bench.client.submitHex(tx, { wait: false })).toEqual({ digest, intent });
  });

  it("submitHex() without waiting knows a transaction again that is executed [L-298]", async () => {
    const payment = { from: "alice", to: "bob", amount: USD };
    const { tx, digest, intent } = await bench.client.signOffline(payment);
    await bench.client.submitHex(tx);
    expect(await bench.client.submitHex(tx, { wait: false })).toEqual({ digest, intent });
    expect((await bench.client.submitHex(tx)).status).toBe("Success");
  });

  it("submitHex() says that nothing was done only where the ledger knows nothing of it", async () => {
    bench.chain.stalled = true;
    const payment = { from: "alice", to: "bob", amount: USD };
    const first = await bench.client.signOffline(payment);
    await bench.client.submitHex(first.tx, { wait: false });
    const rival = await bench.client.signOffline({ ...payment, amount: 2n * USD });
    await expect(bench.client.submitHex(rival.tx, { wait: false })).rejects.toThrow(
      "the node refused the transaction: its place is another transaction's; nothing was done",
    );
  });

  it("submitHex() names both chains of a transaction for another one", async () => {
    const other = await FakeChain.start({ accounts: { alice: 5n * USD } });
    const elsewhere = bench.open({ transport: other.transport });
    const { tx } = await elsewhere.signOffline({ from: "alice", to: "bob", amount: USD });
    await expect(bench.client.submitHex(tx)).rejects.toThrow(
      `the transaction is for chain ${other.chain.slice(0, 8)}, this node serves ` +
        `${bench.chain.chain.slice(0, 8)}: give the --node of its chain; nothing was sent`,
    );
  });

  it("submitHex() refuses, before it sends, what is not one signed transaction [L-300]", async () => {
    const { tx } = await bench.client.signOffline({ from: "alice", to: "bob", amount: USD });
    const flipped = tx.slice(0, -1) + (tx.endsWith("0") ? "1" : "0");
    for (const bad of ["", "zz", "abc", tx.toUpperCase(), `${tx}00`, tx.slice(2), flipped]) {
      await expect(bench.client.submitHex(bad)).rejects.toMatchObject({ code: "transaction-hex" });
    }
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("faucet() gives an account new money", async () => {
    const outcome = await bench.client.faucet("dave", 5n * USD);
    expect(outcome.receipt).toBe("Done: minted 5 USD for dave; fee 0.0011 USD.");
    expect(bench.chain.balance(await bench.chain.accountOf("dave"))).toBe(5n * USD);
  });

  it("resolve() tells an account's name and whether the ledger has it", async () => {
    const bob = await bench.chain.accountOf("bob");
    expect(await bench.client.resolve("bob")).toEqual({ account: bob, name: "bob", seen: true });
    expect(await bench.client.resolve(bob)).toEqual({ account: bob, name: "bob", seen: true });
    expect(await bench.client.resolve("ab".repeat(32))).toMatchObject({ seen: false });
  });

  it("balance() of several assets has one entry for each [L-148]", async () => {
    const account = "ab".repeat(32);
    const entry = (asset: string, symbol: string, amount: bigint) => ({ amount, asset, symbol });
    bench.chain.answers.set("account", {
      account,
      balances: [entry(USD_ASSET, "USD", 1_500_000n), entry("cd".repeat(32), "EUR", 2_000_001n)],
      exists: true,
      next_sequence: 0n,
      pulse: 3,
      reserved: 0n,
      sequence: 0n,
    });
    expect((await bench.client.balance(account)).balances).toEqual([
      { amount: "1.5", asset: "USD" },
      { amount: "2.000001", asset: "EUR" },
    ]);
  });

  it("receipt() of a failure has its reason as the outcome [L-342]", async () => {
    const account = await bench.chain.accountOf("bob");
    const [failed] = await bench.client.transact({
      wallet: "alice",
      actions: [{ kind: "agent_suspend", body: { agent: account } }],
    });
    const { outcome, receipt } = await bench.client.receipt(failed?.digest ?? "");
    expect(outcome).toMatch(/^invalid transaction: /);
    expect(receipt).toBe(
      `Failed (${outcome}); nothing happened except the fee of 0.0011 USD.`,
    );
  });

  it("receipt() tells apart what is unknown and what only waits [L-346]", async () => {
    await expect(bench.client.receipt("ab".repeat(32))).rejects.toThrow(
      "the ledger knows no transaction abababab: check the digest",
    );
    const digest = await payWhileStalled(bench);
    await expect(bench.client.receipt(digest)).rejects.toMatchObject({ code: "pending" });
  });
});

describe("openClient()", () => {
  it.each([
    ["", "http://127.0.0.1:8400"],
    ["10.0.0.1:9", "http://10.0.0.1:9"],
    ["http://node.example:8400/", "http://node.example:8400"],
  ])("openClient() takes SION_NODE=%j for %s [L-003 L-004 L-005]", (text, node) => {
    expect(openClient({ env: { SION_NODE: text, SION_HOME: "/x" } }).node).toBe(node);
    expect(openClient({ env: { SION_NODE: text, SION_HOME: "/x" }, node: "h:1" }).node)
      .toBe("http://h:1");
  });

  it.each([
    ["http://", "--node http:// is no address: write it like http://127.0.0.1:8400"],
    [
      "http://user:pw@127.0.0.1:8400",
      "--node has a name or a password in it, a node asks for none: " +
      "write it like http://127.0.0.1:8400",
    ],
    ["user@h:1", "--node has a name or a password in it"],
    ["ftp://x", "--node ftp://x is no address: write it like http://127.0.0.1:8400"],
    ["https://x", "--node https://x is an https address: a node answers at http:// only"],
  ])("openClient() refuses the address %s", (node, message) => {
    expect(() => openClient({ env: {}, node })).toThrow(message);
  });

  it("openClient() touches nothing before it is asked", () => {
    const client = openClient({ env: { SION_HOME: "/nonexistent/never/made" } });
    expect(client.home).toBe("/nonexistent/never/made");
    client[Symbol.dispose]();
  });

  it("status() says what to do when no node answers", async () => {
    using client = openClient({ env: { SION_HOME: "/x" }, node: "127.0.0.1:1" });
    await expect(client.status()).rejects.toThrow(
      "no node answers at http://127.0.0.1:1: start one with `sion devnet`, or give --node",
    );
  });

  it("status() says so when what answers is no node", async () => {
    const server = createServer((_request, response) => response.writeHead(404).end("<html>"));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const { port } = server.address() as AddressInfo;
    const client = openClient({ env: { SION_HOME: "/x" }, node: `127.0.0.1:${port}` });
    await expect(client.status()).rejects.toThrow("is no sion node of this version: give --node");
    client[Symbol.dispose]();
    server.closeAllConnections();
    server.close();
  });
});
