/** Paying for HTTP by the real programs: a devnet, a gateway, and processes that are killed. */
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../gateway/bench.ts";
import { programCommand } from "../programs.ts";
import type { Child, Ended } from "./_child.ts";
import { runWith, signalTo, start } from "./_child.ts";

let folder = "";
let devnet: Child;
let node = "";
let chain = "";
const running: Child[] = [];

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

const sion = (...words: string[]): Promise<Ended> => runWith("", command(...words, "--node", node));

/** A program that serves, and what its first line says. */
async function serving(...words: string[]): Promise<{ child: Child; ready: { url: string } }> {
  const child = start(command(...words, "--json"));
  running.push(child);
  await child.until(() => child.stdout().includes("\n"));
  return { child, ready: JSON.parse(child.stdout()) as { url: string } };
}

const gatewayOf = (payee: string, ...words: string[]) =>
  serving("x402", "serve", "--price", "0.25", "--pay-to", payee, "--node", node, ...words);
const gateway = (...words: string[]) => gatewayOf("bob", ...words);

async function moneyOf(account: string): Promise<number> {
  const { stdout } = await sion("balance", account, "--json");
  const { balances } = JSON.parse(stdout) as { balances: { amount: string }[] };
  return Number(balances[0]?.amount);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-x402-"));
  devnet = start(command("devnet", "--listen", "127.0.0.1:0", "--json", "--insecure-signatures"));
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node, chain } = JSON.parse(devnet.stdout()) as { node: string; chain: string });
});

afterAll(async () => {
  for (const child of [...running, devnet]) {
    if (child.process.exitCode !== null || child.process.signalCode !== null) continue;
    signalTo(child, "SIGTERM");
    await child.ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

describe("sion-gateway", () => {
  /** As a container starts it: everything in variables. */
  const inContainer = (...variables: string[]): [string, ...string[]] => [
    "env",
    `SION_NODE=${node}`,
    `SION_HOME=${join(folder, "container")}`,
    ...variables,
    ...programCommand("sion-gateway"),
  ];

  it("charges for a server as its variables say, and ends in order at SIGTERM [L-328]", async () => {
    await using upstream = await serve((request, response) => response.end(`got ${request.url}`));
    const child = start(inContainer(
      "SION_GATEWAY_PRICE=0.25",
      "SION_GATEWAY_PAY_TO=bob",
      "SION_GATEWAY_LISTEN=127.0.0.1:0",
      `SION_GATEWAY_UPSTREAM=${upstream.url}`,
    ));
    running.push(child);
    await child.until(() => child.stdout().includes("\n"));
    const [, url = ""] = /^x402 ready on (\S+): 0\.25 USD a request, paid to bob\n/
      .exec(child.stdout()) ?? [];
    expect((await fetch(`${url}/a`)).status).toBe(402);
    const { code, stdout } = await sion("fetch", `${url}/a`, "--wallet", "dana", "--max", "1");
    expect([code, stdout]).toEqual([0, "got /a\n"]);
    signalTo(child, "SIGTERM");
    expect(await child.ended).toMatchObject({ code: 0, signal: null });
  });

  it("its help names the two programs that it is not", async () => {
    const { code, stdout } = await runWith("", [...inContainer(), "--help"]);
    expect(code).toBe(0);
    const words = stdout.replaceAll(/\s+/g, " ");
    expect(words).toContain(
      "neither `sion gateway`, which fronts a node, nor `sion agent gateway`",
    );
    expect(words).toContain(" sion-gateway --price <usd> --pay-to <account> ");
  });

  it.each([
    [[], [], "sion-gateway needs --price or SION_GATEWAY_PRICE: for example --price 0.25"],
    [
      ["SION_GATEWAY_LISTEN=8402a"],
      ["--price", "1", "--pay-to", "bob"],
      "SION_GATEWAY_LISTEN 8402a is no address: write it like 127.0.0.1:8402",
    ],
    [
      ["SION_GATEWAY_PRICE=1"],
      ["--pay-to", "bob", "--listen", "0.0.0.0:0"],
      "clients cannot call it at 0.0.0.0: say with --origin how they do, for example " +
      "--origin https://api.example.com",
    ],
    [
      ["SION_GATEWAY_PRICE=1"],
      ["--payto", "bob"],
      "sion-gateway has no option --payto: did you mean --pay-to",
    ],
  ])("%j %j is refused in one line", async (variables, words, sentence) => {
    const { code, stderr } = await runWith("", [...inContainer(...variables), ...words]);
    expect([code, stderr]).toEqual([1, `error: ${sentence}\n`]);
  });
});

describe("sion fetch and sion x402 serve", () => {
  it("a resource is bought, proven against the pinned chain, and not for too much [L-301 L-302 L-305 L-307 L-312..L-320 L-323 L-324 L-327 L-328 L-605 L-656]", async () => {
    const { ready } = await gateway("--listen", "127.0.0.1:0");
    const buy = (max: string) =>
      sion(
        "fetch",
        `${ready.url}/v1/resource`,
        "--wallet",
        "dana",
        "--max",
        max,
        "--json",
        "--chain",
        chain,
      );
    const before = await moneyOf("bob");
    const { code, stdout } = await buy("1");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, {
      body: '{"paid":true}',
      paid: true,
      settlement: {
        extensions: { sion: { chain } },
        network: `sion:${chain.slice(0, 32)}`,
        success: true,
      },
      status: 200,
    }]);
    const dear = await buy("0.1");
    expect([dear.code, JSON.parse(dear.stdout)]).toEqual([1, {
      code: "too-dear",
      error: "the server asks 0.25 USD, more than the 0.1 USD this client may pay",
    }]);
    expect(await moneyOf("bob") - before).toBeCloseTo(0.25);
  });

  it("a seller that the ledger has never seen is noted, with the name that was meant", async () => {
    const { child } = await gatewayOf("bbo", "--listen", "127.0.0.1:0");
    expect(child.stderr()).toContain(
      "the ledger has never seen bbo: a payment makes the account, did you mean bob",
    );
  });

  it("a gateway that is killed between the payment and the answer answers after its restart, for the same payment [L-329]", async () => {
    let held: ServerResponse | undefined;
    let asked = 0;
    await using upstream = await serve((_request, response) => {
      asked++;
      if (asked === 1) held = response;
      else response.end("after the restart");
    });
    const first = await gateway("--listen", "127.0.0.1:0", "--upstream", upstream.url);
    const listen = new URL(first.ready.url).host;
    const before = await moneyOf("bob");
    const buy = (max: string) =>
      sion("fetch", `${first.ready.url}/a`, "--wallet", "alice", "--max", max, "--json");
    const buying = buy("1");
    while (held === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    signalTo(first.child, "SIGKILL");
    await first.child.ended;
    const lost = await buying;
    expect([lost.code, JSON.parse(lost.stdout)]).toMatchObject([4, { code: "payment-unanswered" }]);
    await gateway("--listen", listen, "--upstream", upstream.url);
    // Nothing may be paid any more: the payment that was made is shown again.
    const { code, stdout } = await buy("0");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, {
      body: "after the restart",
      paid: true,
    }]);
    expect(asked).toBe(2);
    expect(await moneyOf("bob") - before).toBeCloseTo(0.25);
  });

  it("a buyer that is killed once it has signed pays once, however it goes on [L-329]", async () => {
    const { ready } = await gateway("--listen", "127.0.0.1:0");
    const words = ["fetch", `${ready.url}/v1/resource`, "--wallet", "carol", "--node", node];
    const before = await moneyOf("bob");
    const dying = start(command(...words, "--max", "1"));
    await dying.until(() => dying.stderr().includes("carol signs: "));
    signalTo(dying, "SIGKILL");
    await dying.ended;
    const { code, stdout } = await sion(...words.slice(0, -2), "--max", "1", "--json");
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { body: '{"paid":true}', paid: true }]);
    expect(await moneyOf("bob") - before).toBeCloseTo(0.25);
  });
});
