/**
 * The pages of `sion explore` in a real browser, over a devnet with agents, claims and payments; then
 * the node is killed and comes back, and the explorer itself is killed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import { needs } from "../parts.ts";
import { programCommand } from "../programs.ts";
import type { Browser } from "./_browser.ts";
import { startBrowser, unreadable } from "./_browser.ts";
import type { Child } from "./_child.ts";
import { signalTo, start } from "./_child.ts";

const USD = 1_000_000n;
/** What somebody hostile writes where anybody can. */
const HOSTILE =
  `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`;

let folder = "";
let devnet: Child;
let explorer: Child;
let node = "";
let chain = "";
let url = "";
let client: Client;
let browser: Browser;
let page: Page;
/** What the story made. */
const made = { lead: "", fetch: "", claim: "", other: "", payment: "", alice: "" };

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

async function startDevnet(listen: string): Promise<void> {
  devnet = start(command("devnet", "--listen", listen, "--json", "--insecure-signatures"));
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node, chain } = JSON.parse(devnet.stdout()) as { node: string; chain: string });
}

async function stop(child: Child | undefined, name: "SIGTERM" | "SIGKILL" = "SIGTERM") {
  if (child === undefined) return;
  if (child.process.exitCode === null && child.process.signalCode === null) signalTo(child, name);
  return await child.ended;
}

/** Payments, a bond, claims, agents in three rows of which one is suspended. */
async function story(): Promise<void> {
  made.alice = (await client.resolve("alice")).account;
  const lead = await client.createAgent({
    principal: "alice",
    wallet: "lead",
    budget: 100n * USD,
    fees: USD,
  });
  made.lead = lead.agent;
  const [spawned] = await Promise.all([
    client.spawnAgents({
      wallet: "lead",
      parent: lead.agent,
      agents: [{ name: "fetch", budget: 40n * USD }, { name: "clean", budget: 4n * USD }],
    }),
    client.transact({
      wallet: "dana",
      actions: [{ kind: "bond_post", body: { label: "tests", amount: 100n * USD } }],
    }),
  ]);
  made.fetch = spawned.agents[0]?.agent ?? "";
  const claim = await client.issueClaim({ issuer: "dana", subject: HOSTILE, bondLabel: "tests" });
  made.claim = claim.claim ?? "";
  const other = await client.issueClaim({
    issuer: "bob",
    subject: "The tests of build 12 passed",
    restsOn: [made.claim],
  });
  made.other = other.claim ?? "";
  const [suspended, payment] = await Promise.all([
    client.transact({
      wallet: "alice",
      actions: [{ kind: "agent_suspend", body: { agent: made.lead } }],
    }),
    client.pay({ from: "bob", to: "carol", amount: 1_500_000n }),
  ]);
  expect(suspended[0]?.status).toBe("Success");
  made.payment = payment.digest;
}

const hasChromium = needs("chromium", "that the pages of sion explore can be read and reached");

describe.skipIf(!hasChromium)("sion explore", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sion-explore-"));
    await startDevnet("127.0.0.1:0");
    client = openClient({ env: {}, home: join(folder, "home"), node });
    await story();
    explorer = start(
      command("explore", "--node", node, "--chain", chain, "--listen", "127.0.0.1:0", "--json"),
    );
    await explorer.until(() => explorer.stdout().includes("\n"));
    ({ url } = JSON.parse(explorer.stdout()) as { url: string });
    browser = await startBrowser(url);
    page = browser.page;
  }, 60_000);

  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    client?.[Symbol.dispose]();
    await stop(explorer);
    await stop(devnet);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Waits until a text stands in a part of the page. */
  const shows = async (selector: string, text: string | RegExp): Promise<void> => {
    await page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: 90_000 });
  };

  /** Goes to a page, and waits until it is there: one that could not be made in time comes by itself. */
  const visit = async (address: string): Promise<void> => {
    for (;;) {
      try {
        await page.goto(address);
        await page.locator("#waits").waitFor({ state: "detached", timeout: 90_000 });
        return;
      } catch (error) {
        // The page before came by itself in this moment.
        if (!String(error).includes("ERR_ABORTED")) throw error;
      }
    }
  };

  it("the first page shows Pulses as they come, each verified on this machine [L-590 L-601 L-613]", async () => {
    await page.goto(url);
    await shows("#asof", /As of Pulse \d+, \d+ s ago/);
    await shows("#pulses .card", "all nine checks hold");
    expect(await page.locator("#pulses .checks").first().locator("li").count()).toBe(9);
    await shows("#pulses .checks li", "matches the pinned identity; 4 validators");
    await page.evaluate(() => document.body.setAttribute("data-kept", "yes"));
    await client.pay({ from: "carol", to: "bob", amount: 7_250_000n });
    await shows("#pulses", "paid 7.25 USD to bob");
    await shows("#said", /^Pulse \d+ is verified, with .*: all nine checks hold\.$/);
    // All of that in one and the same page.
    expect(await page.evaluate(() => document.body.getAttribute("data-kept"))).toBe("yes");
  });

  it("a pause is kept to until it is ended [L-613]", async () => {
    await page.getByRole("button", { name: "Pause" }).click();
    await shows("#said", "Paused: nothing changes on the page.");
    const before = await page.locator("#pulses h2").first().textContent();
    const other = await browser.context.newPage();
    await other.goto(url);
    await client.pay({ from: "carol", to: "bob", amount: 3_125_000n });
    // Another window of the same explorer shows it; by then this one would have, too.
    await other.locator("#pulses", { hasText: "paid 3.125 USD to bob" }).waitFor();
    expect(await page.locator("#pulses h2").first().textContent()).toBe(before);
    await other.close();
    await page.getByRole("button", { name: "Go on" }).click();
    await shows("#pulses", "paid 3.125 USD to bob");
  });

  it.each([
    ["/", "/validators", "/pulse/1", "/claims", "/agents", "/search", "/search?q=zzzz", "/nowhere"],
    ["/tx", "/account", "/agent", "/claim", "/object", "/tx/unknown"],
  ])(
    "every page is read on a phone, in the dark and by keyboard: %s and the rest [L-613]",
    async (...paths) => {
      const at: { readonly [path: string]: string } = {
        "/tx": `/tx/${made.payment}`,
        "/account": `/account/${made.alice}`,
        "/agent": `/agent/${made.fetch}`,
        "/claim": `/claim/${made.claim}`,
        "/object": `/object/${(await client.purse(made.lead))?.charter.id ?? ""}`,
        "/tx/unknown": `/tx/${"0".repeat(64)}`,
      };
      for (const path of paths) {
        const address = `${url}${at[path] ?? path}`;
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        await page.setViewportSize({ width: 320, height: 640 });
        await visit(address);
        for (const details of await page.locator("details").all()) {
          await details.evaluate((one) => one.setAttribute("open", ""));
        }
        expect([path, await unreadable(page)]).toEqual([path, []]);
        await page.emulateMedia({ colorScheme: "dark" });
        await page.setViewportSize({ width: 1100, height: 900 });
        expect([path, "dark", await unreadable(page)]).toEqual([path, "dark", []]);
      }
      expect(browser.faults).toEqual([]);
    },
  );

  it("the keyboard alone leads past the menu and to a search [L-613]", async () => {
    await page.goto(`${url}/validators`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      "Skip to the content",
    );
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
    await page.getByRole("searchbox").focus();
    await page.keyboard.type("fetch");
    await page.keyboard.press("Enter");
    await shows("h1", "Agent fetch");
  });

  it("a search finds names, ids, digests, their beginnings and Pulses [L-613]", async () => {
    const searched = async (text: string): Promise<string> => {
      await page.goto(`${url}/search?q=${encodeURIComponent(text)}`);
      return new URL(page.url()).pathname;
    };
    expect(await searched("alice")).toBe(`/account/${made.alice}`);
    expect(await searched(made.alice)).toBe(`/account/${made.alice}`);
    expect(await searched(made.payment)).toBe(`/tx/${made.payment}`);
    expect(await searched(` ${made.claim.slice(0, 12)} `)).toBe(`/claim/${made.claim}`);
    expect(await searched(made.fetch)).toBe(`/agent/${made.fetch}`);
    expect(await searched("3")).toBe("/pulse/3");
    // A wallet and an agent are called so.
    expect(await searched("lead")).toBe("/search");
    await shows("main", "2 things may be meant.");
    expect(await searched("nobody-at-all")).toBe("/search");
    await shows("main", "Nothing here is called, or begins with, nobody-at-all.");
    await shows("main code", "sion events");
  });

  it("a transaction is its sentence, then its proof, then all of it [L-613]", async () => {
    await page.goto(`${url}/tx/${made.payment}`);
    await shows(".sentence", "bob: Done: paid 1.5 USD to carol; fee 0.0011 USD.");
    await shows(
      "#proof",
      /proven\s+The receipt is under the receipts root of\s+Pulse \d+\s+of the pinned chain/,
    );
    const text = await page.locator("main").innerText();
    const places = ["Done: paid 1.5", "Proof", "All of it", "Raw: the receipt"].map((part) =>
      text.indexOf(part)
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    await page.getByText("Raw: the signed bytes, hex").click();
    expect(await page.locator("details[open] pre").innerText()).toMatch(/^[0-9a-f]{200,}$/);
  });

  it("a claim's formula is text and a drawing, and what a stranger states stays text [L-613]", async () => {
    await page.goto(`${url}/claim/${made.claim}`);
    await shows(".sentence", `dana states: ${HOSTILE}`);
    expect(await page.locator("main img, main script").count()).toBe(0);
    expect(await page.title()).toBe(`Claim ${made.claim.slice(0, 8)} – sion explore`);
    const formula = "any of (all of (ml-dsa-44, slh-dsa-sha2-128f), bond dana:tests)";
    await shows("main code", formula);
    expect(await page.getByRole("img", { name: formula }).locator("text").allTextContents())
      .toEqual([
        "any of 2",
        "both of",
        "ml-dsa-44",
        "slh-dsa-sha2-128f",
        "bond dana:tests",
      ]);
    // Each box but the first has a line to what it is part of, and none lies on another.
    expect(await page.locator(".drawing path").count()).toBe(4);
    const tops = await page.locator(".drawing rect").evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect().top)
    );
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    await shows("#atoms", "bond dana:tests: 100 USD to corrupt, its bond holds 100 USD");
    await page.getByLabel("Value in USD").fill("20");
    await page.getByRole("button", { name: "Decide" }).click();
    await shows("#decision", "Yes: 20 USD may rest on it");
    await page.goto(`${url}/claim/${made.other}`);
    await shows("#atoms", "bond dana:tests: 100 USD to corrupt");
    await page.locator("main").getByRole("link", { name: made.claim.slice(0, 8) }).click();
    await shows(".sentence", "dana states:");
  });

  it("agents are a tree with budgets, and a suspension shows on all below it [L-613]", async () => {
    await page.goto(`${url}/agents`);
    const tree = page.locator(".tree > ul > li");
    await shows(".tree > ul > li", "lead");
    expect(await tree.count()).toBe(1);
    expect(await tree.locator(":scope > ul > li").count()).toBe(2);
    await shows(".tree > ul > li", "suspended by alice");
    await shows(".tree > ul > li", "56 USD left of 100 USD · 0 USD spent · 44 USD passed on");
    await shows(".tree ul ul li", "fetch");
    await shows(".tree ul ul li", "suspended with an agent above it");
    await shows(".tree ul ul li", "40 USD left of 40 USD");
    // It changes as the chain does.
    await client.transact({
      wallet: "alice",
      actions: [{ kind: "agent_resume", body: { agent: made.lead } }],
    });
    await shows(".tree > ul > li", "lead " + made.lead.slice(0, 8) + " in good standing");
  });

  it(
    "a node that is gone, one that comes back, and the page's own server are said in words [L-613]",
    async () => {
      await page.goto(`${url}/validators`);
      await shows("#asof", /As of Pulse \d+/);
      await stop(devnet, "SIGKILL");
      await shows(
        "#asof",
        `No node answers at ${node}: start one with sion devnet, or give --node.`,
      );
      await shows("#said", `No node answers at ${node}`);
      // What was there is there, with the Pulse that it is of.
      await shows("#validators", "operator-0");
      const other = await browser.context.newPage();
      expect((await other.goto(`${url}/agents`))?.status()).toBe(503);
      expect(await other.locator("h1").innerText()).toBe("The node does not answer");
      expect(await other.locator("#asof code").first().innerText()).toBe("sion devnet");
      await startDevnet(new URL(node).host);
      await other.getByRole("heading", { name: "Agents" }).waitFor({ timeout: 90_000 });
      await other.close();
      await page.bringToFront();
      await shows("#said", /The node answers again|is verified/);
      expect(await page.locator("#asof .notice").count()).toBe(0);
      await stop(explorer, "SIGKILL");
      await shows("#lost", "The connection to sion explore is lost");
      await shows("#said", "start it again");
      expect(await unreadable(page)).toEqual([]);
    },
    60_000,
  );
});
