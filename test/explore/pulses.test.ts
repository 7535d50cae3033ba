import { describe, expect, it } from "vitest";
import type { PageContext } from "../../internal/explore/page.ts";
import { page } from "../../internal/explore/pages/pulses.ts";
import type { SeenPulse } from "../../internal/explore/watch.ts";

const HOLDS = Array.from({ length: 9 }, (_, at) => `check ${at} ✓`);

function seen(number: number, more: Partial<SeenPulse> = {}): SeenPulse {
  const shown = { pinned: true, verified: true, report: HOLDS, atMs: 0, count: 0, receipts: [] };
  return { number, ...shown, ...more };
}

/** The items of the list of Pulses before the newest, as a person reads them. */
async function itemsOf(...recent: SeenPulse[]): Promise<string[]> {
  const status = () => Promise.resolve({ chain_id: "sion-test-1", chain: "ab", pulse: 1 });
  const context = { watch: { recent }, client: { status }, nowMs: 0 };
  const made = await page.make(context as unknown as PageContext);
  if ("location" in made) throw new Error("the first page is a page");
  const list = /<h2>Before it<\/h2>(.*)<\/ul>/s.exec(made.main.toString())?.[1] ?? "";
  return list.split(/<li/).slice(1).map((item) =>
    `<li${item}`.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ").trim()
  );
}

describe("the first page", () => {
  it("those in a row in which nothing happened are one item, and what was passed over is said [L-613]", async () => {
    expect(
      await itemsOf(
        seen(40),
        seen(39),
        seen(38),
        seen(37, { count: 1 }),
        seen(36),
        seen(30),
        seen(28, { verified: false }),
      ),
    ).toEqual([
      "Pulse 38 to Pulse 39 ✓ verified · no transactions",
      "Pulse 37 ✓ verified · 1 transaction",
      "Pulse 36 ✓ verified · no transactions",
      "Pulse 31 to Pulse 35 were not looked at: each is verified when its page is opened.",
      "Pulse 30 ✓ verified · no transactions",
      "Pulse 29 was not looked at: each is verified when its page is opened.",
      "Pulse 28 ✗ a check does not hold · no transactions",
    ]);
  });

  it("the list before the newest has a bounded length, however much happens [L-613]", async () => {
    const busy = Array.from({ length: 60 }, (_, at) => seen(100 - at, { count: 5 }));
    const pulses = (await itemsOf(...busy)).filter((item) => item.startsWith("Pulse"));
    expect(pulses.length).toBe(20);
  });
});
