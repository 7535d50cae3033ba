/** The node's gateway by the real programs: a devnet, the gateway, a light client and plain HTTP. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../gateway/bench.ts";
import { programCommand } from "../programs.ts";
import type { Child, Ended } from "./_child.ts";
import { runWith, signalTo, start } from "./_child.ts";

let folder = "";
let devnet: Child;
let node = "";
let chain = "";
let gateway: Child;
let url = "";

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

const through = (...words: string[]): Promise<Ended> =>
  runWith("", command(...words, "--node", url));

async function stop(child: Child, name: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<Ended> {
  if (child.process.exitCode === null && child.process.signalCode === null) signalTo(child, name);
  return await child.ended;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-gateway-"));
  devnet = start(command("devnet", "--listen", "127.0.0.1:0", "--json", "--insecure-signatures"));
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node, chain } = JSON.parse(devnet.stdout()) as { node: string; chain: string });
  gateway = start(
    command("gateway", "--node", node, "--chain", chain, "--listen", "127.0.0.1:0", "--json"),
  );
  await gateway.until(() => gateway.stdout().includes("\n"));
  ({ url } = JSON.parse(gateway.stdout()) as { url: string });
});

afterAll(async () => {
  await stop(gateway);
  await stop(devnet);
  rmSync(folder, { recursive: true, force: true });
});

describe("sion gateway", () => {
  it("says what it fronts, and its help names the two others that are called so [L-590 L-613 L-614]", async () => {
    expect(JSON.parse(gateway.stdout())).toEqual({ chain, chain_id: "sion-devnet-1", node, url });
    const { code, stdout } = await runWith("", command("gateway", "--help"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/`sion agent gateway`/);
    expect(stdout).toMatch(/`sion-gateway`/);
  });

  it("a light client verifies and follows the chain through it, and pays past it [L-601 L-602 L-613]", async () => {
    const paid = await runWith("", command("pay", "alice", "bob", "1.5", "--node", node));
    expect(paid.code).toBe(0);
    const verified = await through("verify", "--chain", chain);
    expect([verified.code, verified.stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "verified"]);
    expect(verified.stdout.match(/✓/g)).toHaveLength(8);
    expect((await through("light", "--once", "--chain", chain)).code).toBe(0);
    const refused = await through("pay", "alice", "bob", "1");
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      "",
      `error: ${url} is a gateway, which takes no transactions: give the --node of a node; ` +
      "nothing was sent\n",
    ]);
    const minted = await through("faucet", "alice", "10");
    expect([minted.code, minted.stderr]).toEqual([
      1,
      "error: the gateway only reads, faucet is for a node: give the address of one; " +
      "nothing was done\n",
    ]);
  });

  it("plain HTTP reads through it, and a client that asks without end is held up [L-613]", async () => {
    const { status, body } = await ask(`${url}/rpc/status`);
    expect([status, JSON.parse(body)]).toMatchObject([200, { chain, read_only: true }]);
    const answers = await Promise.all(
      Array.from({ length: 400 }, () => ask(`${url}/rpc/status`).then((told) => told.status)),
    );
    expect(new Set(answers)).toEqual(new Set([200, 429]));
    // The node itself goes on, and so does the client in a while.
    expect((await ask(`${node}/events`, { method: "POST" })).status).toBe(404);
    expect((await through("status", "--json")).code).toBe(0);
  });

  it("a node that is gone is said, and a stop is clean [L-613]", async () => {
    const other = start(command("gateway", "--node", node, "--listen", "127.0.0.1:0"));
    await other.until(() => other.stdout().includes("\n"));
    const [, at] = /on (\S+): chain sion-devnet-1, identity [0-9a-f]{64}, read-only, 20 requests/
      .exec(other.stdout()) as unknown as [string, string];
    await stop(devnet, "SIGKILL");
    const { status, body } = await ask(`${at}/rpc/status`);
    expect([status, JSON.parse(body)]).toEqual([502, {
      error: {
        code: "node-unreachable",
        message: "The node behind this gateway does not answer: ask again later",
      },
    }]);
    expect((await stop(other)).code).toBe(0);
    const late = await runWith("", command("gateway", "--node", node, "--listen", "127.0.0.1:0"));
    expect([late.code, late.stderr]).toEqual([
      1,
      `error: no node answers at ${node}: start one with \`sion devnet\`, or give --node\n`,
    ]);
  });
});
