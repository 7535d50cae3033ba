import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { silentLogger } from "#internal/core/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { NodeGateway, NodeGatewayOptions } from "#internal/gateway/mod.ts";
import { startNodeGateway } from "#internal/gateway/mod.ts";
import { methods } from "#internal/rpc/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import { USD, useBench, waitFor } from "../client/bench.ts";
import { ask } from "./bench.ts";

const bench = useBench();
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function gateway(more: Partial<NodeGatewayOptions> = {}): Promise<NodeGateway> {
  const started = await startNodeGateway({
    client: bench.client,
    host: "127.0.0.1",
    port: 0,
    limits: { perSecond: 1_000 },
    clock: systemClock,
    logger: silentLogger,
    ...more,
  });
  opened.push(started);
  return started;
}

const errorOf = (body: string) =>
  (JSON.parse(body) as { error: { code: string; message: string; retry_after_ms?: number } }).error;

describe("startNodeGateway()", () => {
  it("a client reads through a gateway what the node says, and signs nothing that nobody takes [L-590 L-613]", async () => {
    const { url } = await gateway();
    using through = openClient({ env: {}, home: bench.home, node: url });
    expect(await through.balance("alice")).toEqual(await bench.client.balance("alice"));
    expect((await through.status()).read_only).toBe(true);
    expect((await bench.client.status()).read_only).toBeUndefined();
    const signed: unknown[] = [];
    const paying = through.pay({
      from: "alice",
      to: "bob",
      amount: USD,
      onSign: (signing) => void signed.push(signing),
    });
    await expect(paying).rejects.toMatchObject({
      code: "read-only",
      message: `${url} is a gateway, which takes no transactions: give the --node of a node; ` +
        "nothing was sent",
    });
    expect(signed).toEqual([]);
    // Nor is anything left behind that would be paid later.
    await bench.client.pay({ from: "alice", to: "bob", amount: 2n * USD });
    expect(bench.chain.balance(await bench.chain.accountOf("bob"))).toBe(10_002_000_000n);
    // What is signed for others to send needs nobody who takes it.
    expect(await through.signOffline({ from: "alice", to: "bob", amount: USD })).toHaveProperty(
      "tx",
    );
  });

  it("every method that changes something is refused, before its body is read [L-613]", async () => {
    const { url } = await gateway();
    const changing = Object.values(methods).filter((method) => "changes" in method);
    expect(changing.map(({ name }) => name).sort()).toEqual([
      "faucet",
      "report_bad_encoding",
      "submit",
    ]);
    for (const { name } of changing) {
      const { status, body } = await ask(`${url}/rpc/${name}`, { method: "POST", body: "{" });
      expect([status, errorOf(body).code]).toEqual([403, "read-only"]);
      expect(errorOf(body).message).toContain(`${name} is for a node: give the address of one`);
      expect((await ask(`${url}/rpc/${name}`)).status).toBe(404);
    }
    expect(bench.chain.calls.filter(({ method }) => method === "submit")).toEqual([]);
  });

  it("a question can be an address: parameters as JSON, or as plain text [L-613]", async () => {
    const { url } = await gateway();
    const account = await bench.chain.accountOf("alice");
    const told = await ask(`${url}/rpc/account?account=${account}`);
    expect([told.status, told.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(JSON.parse(told.body)).toMatchObject({ account, exists: true });
    const listed = await ask(`${url}/rpc/objects?kind=account&after="${"0".repeat(64)}"`);
    expect(JSON.parse(listed.body)).toMatchObject({
      objects: [{ kind: "account" }, { kind: "account" }],
    });
    const digits = "12".repeat(32);
    expect(JSON.parse((await ask(`${url}/rpc/account?account=${digits}`)).body)).toMatchObject({
      account: digits,
    });
    for (const query of ["", "?account=nobody", `?account=${account}&more=1`]) {
      const { status, body } = await ask(`${url}/rpc/account${query}`);
      expect([query, status, errorOf(body).code]).toEqual([query, 400, "bad-request"]);
    }
  });

  it("a client that asks too often is told when to come again, and others are answered [L-613]", async () => {
    let nowMs = 0;
    const { url } = await gateway({
      proxied: true,
      limits: { perSecond: 1, burst: 2 },
      clock: { nowMs: () => nowMs },
    });
    const from = (address: string) =>
      ask(`${url}/rpc/status`, { headers: { "x-forwarded-for": address } });
    for (let i = 0; i < 2; i++) expect((await from("192.0.2.1")).status).toBe(200);
    const { status, headers, body } = await from("192.0.2.1");
    expect([status, headers["retry-after"]]).toEqual([429, "1"]);
    expect(errorOf(body)).toEqual({
      code: "limited",
      message: "This client asks too often: ask again in 1 s",
      retry_after_ms: 1_000,
    });
    expect((await from("192.0.2.2")).status).toBe(200);
    nowMs += 1_000;
    expect((await from("192.0.2.1")).status).toBe(200);
  });

  it("our own client comes again when a gateway says so [L-613]", async () => {
    const { url } = await gateway({ limits: { perSecond: 20, burst: 1 } });
    using through = openClient({ env: {}, home: bench.home, node: url });
    const pulses = await Promise.all([1, 2, 3].map(async () => (await through.status()).pulse));
    expect(pulses).toEqual([3, 3, 3]);
  });

  it("streams are bounded for each client, and go on while Pulses come [L-613]", async () => {
    const { url } = await gateway({ limits: { perSecond: 1_000, atOnce: 1 } });
    const answer = await fetch(`${url}/events?from=0`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const second = await ask(`${url}/events`);
    expect([second.status, errorOf(second.body).code]).toEqual([429, "limited"]);
    await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    let text = "";
    while (!text.includes("\n\n")) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    expect(text).toMatch(/^id: 4-1\nevent: ledger\ndata: \{"event":\{"Transferred":/);
    await reader.cancel();
    await waitForStatus(`${url}/rpc/status`, 200);
  });

  it("a client that holds connections has a part of them, and leaves the rest to others [L-613]", async () => {
    const { url } = await gateway({ connectionsEach: 28 });
    const port = Number(new URL(url).port);
    const open = new Set<Socket>();
    let closed = 0;
    for (let at = 0; at < 40; at++) {
      const socket = connect(port, "127.0.0.1");
      open.add(socket);
      socket.on("error", () => {}).on("close", () => (closed++, open.delete(socket))).resume();
      socket.write("GET / HTTP/1.1\r\n");
    }
    await waitFor(() => closed === 12);
    const other = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    other.write(`GET /rpc/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const [answer] = await once(other, "data") as [Uint8Array];
    expect(new TextDecoder().decode(answer)).toContain("HTTP/1.1 200");
    other.destroy();
    // What was closed makes room again.
    for (const socket of open) socket.destroy();
    await waitFor(() => open.size === 0);
    const ours = await ask(`${url}/rpc/status`);
    expect(ours.status).toBe(200);
  });

  it("a node that serves another chain than at the start is not passed on [L-613]", async () => {
    const { url } = await gateway();
    using through = openClient({ env: {}, home: bench.home, node: url });
    const status = await bench.client.status();
    bench.chain.answers.set("status", { ...status, chain: "ab".repeat(32) });
    const { status: code, body } = await ask(`${url}/rpc/status`);
    expect([code, errorOf(body).message]).toEqual([
      409,
      "The node behind this gateway serves another chain now",
    ]);
    await expect(through.status()).rejects.toMatchObject({ code: "refused" });
    // Nor is anything else of it.
    for (const path of ["events", `account?account=${"0".repeat(64)}`, "objects?kind=claim"]) {
      const answer = await ask(`${url}/rpc/${path}`);
      expect([path, answer.status, errorOf(answer.body).code]).toEqual([path, 409, "refused"]);
    }
    bench.chain.answers.delete("status");
    expect((await ask(`${url}/rpc/events`)).status).toBe(200);
  });

  it("a node's chain is asked for again once a second, however much is asked [L-613]", async () => {
    let nowMs = 5_000;
    const { url } = await gateway({ clock: { nowMs: () => nowMs } });
    const events = async (): Promise<number> => (await ask(`${url}/rpc/events`)).status;
    const asked = () => bench.chain.calls.filter(({ method }) => method === "status").length;
    const before = asked();
    expect([await events(), await events(), await events()]).toEqual([200, 200, 200]);
    expect(asked() - before).toBe(1);
    const status = await bench.client.status();
    bench.chain.answers.set("status", { ...status, chain: "ab".repeat(32) });
    nowMs += 1_000;
    expect(await events()).toBe(409);
    // A clock that goes back makes nothing of it older.
    bench.chain.answers.delete("status");
    nowMs -= 100_000;
    expect(await events()).toBe(200);
  });

  it("a gateway without its node answers so, and does not start without one [L-613]", async () => {
    const gone = openClient({ env: {}, home: bench.home, node: "http://127.0.0.1:9" });
    await expect(gateway({ client: gone })).rejects.toMatchObject({ code: "node-unreachable" });
    gone[Symbol.dispose]();
    let transport = bench.chain.transport;
    const client = bench.open({ transport: (...asked) => transport(...asked) });
    const { url } = await gateway({ client });
    using lost = openClient({ env: {}, home: bench.home, node: "http://127.0.0.1:9" });
    transport = async () => await lost.rpc.status({});
    const { status, body } = await ask(`${url}/rpc/status`);
    expect([status, errorOf(body)]).toEqual([502, {
      code: "node-unreachable",
      message: "The node behind this gateway does not answer: ask again later",
    }]);
  });
});

async function waitForStatus(url: string, status: number): Promise<void> {
  for (let left = 45_000; (await ask(url)).status !== status; left--) {
    if (left === 0) throw new Error(`it never answered ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
