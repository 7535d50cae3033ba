import { describe, expect, it } from "vitest";
import { newestEvents } from "../../internal/explore/pages/_events.ts";
import type { PageContext } from "../../internal/explore/page.ts";
import type { EventView } from "#internal/rpc/mod.ts";

/** A node that has so many events in each Pulse, and counts what it is asked. */
function node(pulses: number, each: number) {
  const all: EventView[] = Array.from({ length: pulses * each }, (_, at) => ({
    event: { number: at },
    pulse: Math.floor(at / each) + 1,
    tx: null,
  }));
  const asked = { count: 0 };
  const events = (
    { from, skip = 0, limit }: { from: number; skip?: number; limit: number },
  ): Promise<unknown> => {
    asked.count++;
    const rest = all.slice((from - 1) * each + skip);
    const page = rest.slice(0, limit);
    const end = (from - 1) * each + skip + page.length;
    const last = page.length < limit ? pulses + 1 : Math.floor(end / each) + 1;
    return Promise.resolve({
      events: page,
      next: { from: last, skip: page.length < limit ? 0 : end % each },
      pulse: pulses,
    });
  };
  const context = { client: { rpc: { events } }, signal: AbortSignal.timeout(60_000) };
  return { context: context as unknown as PageContext, asked };
}

const numbers = (found: readonly EventView[]) =>
  found.map(({ event }) => (event as { number: number }).number);

describe("newestEvents()", () => {
  it("newestEvents() finds the newest first where there are thousands, and reads few of them [L-613]", async () => {
    const { context, asked } = node(500, 150);
    const { found, since } = await newestEvents(context, {
      newest: 500,
      oldest: 300,
      most: 20,
      matches: ({ event }) => (event as { number: number }).number % 2 === 0,
    });
    expect(numbers(found)).toEqual(Array.from({ length: 20 }, (_, at) => 74_998 - 2 * at));
    expect([since, asked.count]).toEqual([500, 1]);
  });

  it("newestEvents() looks as far back as it may, and says how far that is [L-613]", async () => {
    const { context } = node(60, 3);
    const wanted = { newest: 60, oldest: 2, most: 20, matches: () => false };
    expect(await newestEvents(context, wanted)).toEqual({ found: [], since: 2 });
    const one = { ...wanted, matches: ({ pulse }: EventView) => pulse === 7 };
    const { found, since } = await newestEvents(context, one);
    expect([numbers(found), since]).toEqual([[20, 19, 18], 2]);
  });

  it("newestEvents() ends where a node has more than is read for a page [L-613]", async () => {
    const { context, asked } = node(200, 1_000);
    const { found, since } = await newestEvents(context, {
      newest: 200,
      oldest: 1,
      most: 20,
      matches: ({ pulse }) => pulse < 150,
    });
    expect(found).toEqual([]);
    expect(since).toBe(200);
    expect(asked.count).toBeLessThanOrEqual(21);
  });
});
