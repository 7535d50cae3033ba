import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "#internal/core/mod.ts";
import { silentLogger } from "#internal/core/mod.ts";
import type { Client } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { Explorer } from "#internal/explore/mod.ts";
import { startExplorer } from "#internal/explore/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import { payWhileStalled, USD, useBench } from "../client/bench.ts";
import type { Answer } from "../gateway/bench.ts";
import { ask } from "../gateway/bench.ts";

const bench = useBench();
let explorer: Explorer;
let url = "";

async function start(
  client: Client,
  clock: Clock = systemClock,
  options: { readonly requestMs?: number } = {},
): Promise<void> {
  explorer = await startExplorer({
    ...options,
    client,
    host: "127.0.0.1",
    port: 0,
    allowHosts: ["explore.example"],
    clock,
    logger: silentLogger,
  });
  url = explorer.url;
}

beforeEach(async () => await start(bench.client));
afterEach(async () => await explorer[Symbol.asyncDispose]());

const page = (path: string, options: Parameters<typeof ask>[1] = {}): Promise<Answer> =>
  ask(`${url}${path}`, options);

/** What of a page a person reads, tags left out. */
function read({ body }: Answer): string {
  const main = /<main[^>]*>(.*)<\/main>/s.exec(body)?.[1] ?? "";
  return main.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
}

describe("startExplorer()", () => {
  it("only reads: whatever writes is refused in words, and nothing is signed [L-613]", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const { status, headers, body } = await page("/", { method, body: "{}" });
      expect([method, status, headers["allow"], body]).toEqual([
        method,
        405,
        "GET, HEAD",
        "nothing is signed or changed here: use the command line, `sion help`\n",
      ]);
    }
    for (const path of ["/", "/agents", "/claims", "/search?q=alice"]) await page(path);
    const asked = new Set(bench.chain.calls.map(({ method }) => method));
    for (const method of ["submit", "faucet", "report_bad_encoding"]) {
      expect(asked).not.toContain(method);
    }
  });

  it("ends a connection on which no whole request arrives, so that nobody can hold them all", async () => {
    await explorer[Symbol.asyncDispose]();
    await start(bench.client, systemClock, { requestMs: 60 });
    const sockets = ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: "].map(
      (sent) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        socket.on("error", () => {}).resume().write(sent);
        return once(socket, "close");
      },
    );
    await Promise.all(sockets);
    expect((await page("/style.css")).status).toBe(200);
  });

  it("lets nothing run or load that is not its own [L-613]", async () => {
    for (const path of ["/", "/live.js", "/nowhere"]) {
      const { headers } = await page(path);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
          "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    const { body } = await page("/");
    const links = [...body.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, link]) => link);
    // Empty is the page itself.
    expect(links.filter((link) => !/^(?:[/#]|$)/.test(link as string))).toEqual([]);
  });

  it("answers its own names alone, and no page of others [L-613]", async () => {
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await page("/style.css", { headers })).status;
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ host: "localhost:8404" })).toBe(200);
    expect(await status({ host: "explore.example" })).toBe(200);
    expect(await status({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" })).toBe(
      200,
    );
  });

  it("bounds what one browser asks, and says when to come again [L-613]", async () => {
    await explorer[Symbol.asyncDispose]();
    let nowMs = 0;
    await start(bench.client, { nowMs: () => nowMs });
    let answered = 0;
    for (; (await page("/icon.svg")).status === 200; answered++);
    expect(answered).toBe(500);
    const { status, headers, body } = await page("/");
    expect([status, headers["retry-after"], body]).toEqual([
      429,
      "1",
      "too many requests: ask again in 1 s\n",
    ]);
    nowMs += 20;
    expect((await page("/icon.svg")).status).toBe(200);
  });

  it("answers no address that is too long [L-613]", async () => {
    expect((await page(`/${"x".repeat(2_000)}`)).status).toBe(400);
  });

  it("ends streams of news that nobody reads any more [L-613]", async () => {
    const streams = await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/live`)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(streams[0]?.headers.get("content-type")).toBe("text/event-stream");
    for (const stream of streams) await stream.body?.cancel();
    expect((await page("/live", { method: "HEAD" })).status).toBe(404);
  });

  it.each([
    ["/agents", "There are no agents on this chain. Next: sion agent create alice coder"],
    ["/claims", "There are no claims on this chain. Next: sion claim issue dana"],
    ["/search", "Next: in a terminal sion events"],
  ])("%s says the next command where there is nothing yet [L-613]", async (path, text) => {
    const answer = await page(path);
    expect(answer.status).toBe(200);
    expect(read(answer)).toContain(text);
  });

  it.each([
    ["/pulse/0", 400, "0 is no Pulse: give its number, from 1 on"],
    ["/pulse/99999", 404, "Pulse 99999 is not certified yet"],
    ["/tx/abc", 400, "Abc is no digest: give its 64 hex digits"],
    [`/tx/${"0".repeat(64)}`, 404, "The node knows no transaction of this digest."],
    [`/claim/${"0".repeat(64)}`, 404, "The ledger has no claim 00000000"],
    [`/agent/${"0".repeat(64)}`, 404, "The ledger has no agent 00000000"],
    [`/object/${"0".repeat(64)}`, 404, "The ledger has nothing of the id"],
    [`/account/${"0".repeat(64)}`, 404, "sion faucet"],
    ["/nowhere", 404, "There is no page at this address."],
    ["/tx/../etc", 404, "There is no page at this address."],
    ["/search?q=%00%ff", 404, "Nothing here is called"],
  ])("%s is answered with %i and what to do next [L-613]", async (path, status, text) => {
    const answer = await page(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(read(answer)).toContain(text);
    expect(answer.body).toContain("<code>sion ");
  });

  it("shows the sentence, the proof and the bytes of a transaction, also of one that is under way [L-613]", async () => {
    const paid = await bench.client.pay({ from: "alice", to: "bob", amount: 1_500_000n });
    const text = read(await page(`/tx/${paid.digest}`));
    expect(text).toMatch(
      /^ Transaction [0-9a-f]{8} alice: Done: paid 1\.5 USD to bob; fee 0\.0011 USD\./,
    );
    expect(text).toContain("Signed was: Pay 1.5 USD to bob.");
    expect(text).toMatch(
      /✓ proven The receipt is under the receipts root of Pulse 4 of the chain that/,
    );
    const digest = await payWhileStalled(bench);
    const waiting = read(await page(`/tx/${digest}`));
    expect(waiting).toContain("It was handed in and is not executed yet.");
    expect(waiting).toContain(`sion receipt ${digest} --wait`);
  });

  it("an amount that is none is said to be, and the page waits for nothing [L-613]", async () => {
    const { claim } = await bench.client.issueClaim({ issuer: "alice", subject: "It rained" });
    const answer = await page(`/claim/${claim ?? ""}?value=-1`);
    expect(answer.status).toBe(400);
    expect(read(answer)).toContain("-1 is negative: give an amount above 0.");
    expect(answer.body).not.toContain('id="waits"');
  });

  it("claims come newest first, fifty a page, and a page that is not there is the last one [L-613]", async () => {
    for (const subject of ["the first", "the second", "the third"]) {
      await bench.client.issueClaim({ issuer: "alice", subject });
    }
    const text = read(await page("/claims"));
    const places = ["the third", "the second", "the first"].map((one) => text.indexOf(one));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    for (const query of ["page=9", "page=-1", "page=x", "page=1e99"]) {
      expect(read(await page(`/claims?${query}`))).toContain("the first");
    }
  });

  it("what the page's own script asks for comes whatever it says, so that no console fills [L-613]", async () => {
    for (const path of ["/nowhere", `/tx/${"0".repeat(64)}`, "/search?q=zzzz"]) {
      expect((await page(path)).status).toBe(404);
      expect((await page(path, { headers: { "sec-fetch-dest": "empty" } })).status).toBe(200);
    }
  });

  it("says of a Pulse that does not hold which check it is, and never calls it verified [L-613]", async () => {
    bench.chain.executePulse();
    const { body } = await page("/");
    expect(body).toContain("✗ not verified");
    expect(body).not.toContain("✓ verified here");
    const answer = await page("/pulse/4");
    expect(read(answer)).toContain("✗ a check does not hold");
    expect(answer.body.match(/does not hold: <\/span>/g)?.length).toBeGreaterThan(0);
  });

  it("says to all who look that the node serves another chain than before [L-613]", async () => {
    expect((await page("/search")).body).not.toContain("another chain");
    const status = await bench.client.status();
    bench.chain.answers.set("status", { ...status, chain: "ab".repeat(32) });
    const shown = async () => (await page("/search")).body.replaceAll(/\s+/g, " ");
    while (!(await shown()).includes("another chain"));
    expect(await shown()).toContain(
      `The node serves another chain now: abababab, in place of ${status.chain.slice(0, 8)}.`,
    );
  });

  it("says of proofs that do not bear out what the node tells that they do not [L-613]", async () => {
    const paid = await bench.client.pay({ from: "alice", to: "bob", amount: USD });
    bench.chain.answers.set("receipt_proof", { bytes: "00" });
    const text = read(await page(`/tx/${paid.digest}`));
    expect(text).toContain("✗ not proven The receipt of");
    expect(text).not.toContain("✓ proven");
    expect(text).toMatch(/^ Transaction [0-9a-f]{8} alice: Done: paid 1 USD to bob/);
  });

  it("a page without its node is there, says so and what to do, and signs nothing left behind [L-613]", async () => {
    await payWhileStalled(bench);
    await explorer[Symbol.asyncDispose]();
    using gone = openClient({ env: {}, home: bench.home, node: "http://127.0.0.1:9" });
    await start(gone);
    const answer = await page("/");
    expect(answer.status).toBe(503);
    expect(read(answer)).toContain("The node does not answer");
    expect(answer.body).toContain(
      "No node answers at http://127.0.0.1:9: start one with <code>sion devnet</code>, or give --node.",
    );
    expect(read(answer)).toContain("This page goes on by itself once the node answers.");
  });
});
