/**
 * Pages of `sion explore` that become others while somebody looks, and pages without a script, in a
 * real browser; the chain is made by hand, so that a transaction waits as long as it is looked at.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "#internal/core/mod.ts";
import type { Explorer } from "#internal/explore/mod.ts";
import { startExplorer } from "#internal/explore/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import { payWhileStalled, USD, useBench } from "../client/bench.ts";
import { needs } from "../parts.ts";
import type { Browser } from "./_browser.ts";
import { startBrowser, unreadable } from "./_browser.ts";

const hasChromium = needs("chromium", "that the pages of sion explore can be read and reached");

describe.skipIf(!hasChromium)("sion explore, while somebody looks", () => {
  const bench = useBench();
  let browser: Browser;
  let explorer: Explorer;

  beforeEach(async () => {
    explorer = await startExplorer({
      client: bench.client,
      host: "127.0.0.1",
      port: 0,
      clock: systemClock,
      logger: silentLogger,
    });
    browser = await startBrowser(explorer.url);
  }, 60_000);
  afterEach(async () => {
    await browser?.[Symbol.asyncDispose]();
    await explorer[Symbol.asyncDispose]();
  });

  const shows = async (selector: string, text: string | RegExp): Promise<void> => {
    const found = browser.page.locator(selector).filter({ hasText: text });
    await found.first().waitFor({ timeout: 300_000 });
  };

  it(
    "a transaction that waits becomes the one that was executed, with its proof [L-613]",
    async () => {
      const digest = await payWhileStalled(bench);
      await browser.page.goto(`${explorer.url}/tx/${digest}`);
      await shows(".sentence", "It was handed in and is not executed yet.");
      bench.chain.stalled = false;
      bench.chain.executePulse();
      await shows(".sentence", "Done: paid 1 USD to bob");
      await shows("#proof", "proven");
      expect(await unreadable(browser.page)).toEqual([]);
      expect(browser.faults).toEqual([]);
    },
    600_000,
  );

  it("an empty list of claims gets its first one [L-613]", async () => {
    await browser.page.goto(`${explorer.url}/claims`);
    await shows("#claims", "There are no claims on this chain.");
    await bench.client.issueClaim({ issuer: "alice", subject: "It rained" });
    await shows("#claims a", "It rained");
  }, 600_000);

  it(
    "without a script a page says what it says with one, and can be searched [L-613]",
    async () => {
      const { page, context } = browser;
      const { digest } = await bench.client.pay({ from: "alice", to: "bob", amount: 2n * USD });
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setScriptExecutionDisabled", { value: true });
      await page.goto(explorer.url);
      await shows("h1", "Pulses as they come");
      await page.getByRole("link", { name: "Load anew" }).click();
      await shows("#pulses", /Pulse/);
      expect(await page.getByRole("button").allTextContents()).toEqual(["Search"]);
      await page.getByRole("searchbox").fill(digest);
      await page.getByRole("button", { name: "Search" }).click();
      await shows("h1", `Transaction ${digest.slice(0, 8)}`);
      await shows(".sentence", "Done: paid 2 USD to bob");
      await page.getByText("Raw: the receipt").click();
      await shows("details[open] pre", "sequence");
      expect(browser.faults).toEqual([]);
    },
    600_000,
  );
});
