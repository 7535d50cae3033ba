import { afterEach, describe, expect, it } from "vitest";
import type { Client } from "#internal/client/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import { createLedger } from "#internal/ledger/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import type { News, Watch } from "../../internal/explore/watch.ts";
import { verdictOf, watchChain } from "../../internal/explore/watch.ts";

const HOLDS = Array.from({ length: 9 }, (_, at) => `check ${at} ✓`);

/** A node as a watch sees it. */
class Told {
  chain = "ab".repeat(32);
  certified = 1;
  holds = true;
  fault: Error | undefined;
  readonly verified: number[] = [];
  asked = 0;
  readonly logged: unknown[] = [];
  /** How many are being verified at once, at most. */
  most = 0;
  #now = 0;

  /** How often the chain was followed to its head, and what that comes to, if not a head. */
  followed = 0;
  fork: Error | undefined;

  async *#heads(): AsyncGenerator<number> {
    this.followed++;
    if (this.fork !== undefined) throw this.fork;
    yield await Promise.resolve(this.certified);
  }

  readonly client = {
    followChain: () => this.#heads(),
    status: () => {
      this.asked++;
      if (this.fault !== undefined) return Promise.reject(this.fault);
      return Promise.resolve({ chain: this.chain, certified_pulse: this.certified });
    },
    verifyPulse: async ({ pulse }: { pulse: number }) => {
      this.verified.push(pulse);
      this.most = Math.max(this.most, ++this.#now);
      await new Promise((resolve) => setTimeout(resolve, 1));
      this.#now--;
      const report = this.holds ? HOLDS : ["chain: another ✗", ...HOLDS.slice(1)];
      return { pinned: true, verified: this.holds, report };
    },
  } as unknown as Client;
}

const open: Watch[] = [];
afterEach(() => {
  for (const watch of open.splice(0)) watch[Symbol.dispose]();
});

function watchOf(told: Told, pinned?: string): Watch {
  const watch = watchChain({
    pinned,
    client: told.client,
    ledger: createLedger(),
    clock: systemClock,
    logger: { log: (_level, _message, fields) => told.logged.push(fields?.["reason"]) },
  });
  open.push(watch);
  return watch;
}

/** The next news of a kind. */
async function next(watch: Watch, wanted: (news: News) => boolean): Promise<News> {
  const found = Promise.withResolvers<News>();
  using _following = watch.follow((news) => wanted(news) && found.resolve(news));
  return await found.promise;
}

describe("watchChain()", () => {
  it("look() verifies the newest certified Pulse, and nothing is asked before somebody looks [L-602 L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told);
    expect(told.asked).toBe(0);
    await watch.look(60_000);
    expect(watch.recent.map(({ number, verified }) => [number, verified])).toEqual([[1, true]]);
    expect(told.verified).toEqual([1]);
  });

  it("follow() tells of each Pulse that comes, once, and urgently of one that does not hold [L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told);
    expect(await next(watch, () => true)).toEqual({
      said: "Pulse 1 is verified, with no transactions: all nine checks hold.",
      urgent: false,
    });
    told.certified = 4;
    told.holds = false;
    expect(await next(watch, () => true)).toEqual({
      said: "Pulse 4 is not verified: chain: another.",
      urgent: true,
    });
    expect(told.verified).toEqual([1, 4]);
    expect(watch.recent.map(({ number }) => number)).toEqual([4, 1]);
  });

  it("follow() tells that the node is gone, once, and that it is back; what is known stays [L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told);
    await watch.look(60_000);
    told.fault = new SionError("node-unreachable", "no node answers here: start one");
    const heard: string[] = [];
    using _all = watch.follow(({ said }) => heard.push(said));
    expect(await next(watch, ({ urgent }) => urgent)).toEqual({
      said: "No node answers here: start one.",
      urgent: true,
    });
    expect(watch.trouble?.code).toBe("node-unreachable");
    const { asked } = told;
    while (told.asked < asked + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    told.fault = undefined;
    await next(watch, ({ said }) => said === "The node answers again.");
    expect(heard).toEqual(["No node answers here: start one.", "The node answers again."]);
    expect(watch.trouble).toBeUndefined();
    expect(watch.recent).toHaveLength(1);
  });

  it("look() follows a pinned chain from the head that is trusted here, and says so when it forks [L-602 L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told, told.chain);
    await watch.look(60_000);
    expect([told.followed, watch.recent.length]).toEqual([1, 1]);
    told.certified = 2;
    told.fork = new SionError("fork", "the chain has forked at Pulse 1: trust neither side");
    expect(await next(watch, () => true)).toEqual({
      said: "The chain has forked at Pulse 1: trust neither side.",
      urgent: true,
    });
    expect(watch.trouble?.code).toBe("fork");
    // The other side's Pulse does not become the newest.
    expect(watch.recent.map(({ number }) => number)).toEqual([1]);
    const other = new Told();
    await watchOf(other).look(60_000);
    expect(other.followed).toBe(0);
  });

  it("a fault inside is logged and said, and the watch goes on [L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told);
    told.fault = new TypeError("a bug");
    expect((await next(watch, ({ urgent }) => urgent)).said).toBe(
      "A Pulse cannot be verified, `sion explore` failed inside.",
    );
    expect(told.logged).toContain("a bug");
    told.fault = undefined;
    await next(watch, ({ said }) => said.startsWith("Pulse 1 is verified"));
  });

  it("a node that serves another chain than before has nothing of the old one shown [L-613]", async () => {
    const told = new Told();
    const watch = watchOf(told);
    await watch.look(60_000);
    told.chain = "cd".repeat(32);
    expect((await next(watch, ({ urgent }) => urgent)).said).toBe(
      "The node serves another chain now.",
    );
    await next(watch, ({ said }) => said.startsWith("Pulse 1 is verified"));
    expect(told.verified).toEqual([1, 1]);
    expect(watch.switched).toEqual({ from: "ab".repeat(32), to: "cd".repeat(32) });
  });

  it("those right before the newest are verified too while nothing new comes, without a word [L-613]", async () => {
    const told = new Told();
    told.certified = 14;
    const watch = watchOf(told);
    const heard: string[] = [];
    const whole = Promise.withResolvers<void>();
    using _all = watch.follow(({ said }) => {
      heard.push(said);
      if (watch.recent.length === 11) whole.resolve();
    });
    await whole.promise;
    expect(watch.recent.map(({ number }) => number)).toEqual([
      14,
      13,
      12,
      11,
      10,
      9,
      8,
      7,
      6,
      5,
      4,
    ]);
    expect(told.verified).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
    expect(heard.filter((said) => said !== "")).toEqual([
      "Pulse 14 is verified, with no transactions: all nine checks hold.",
    ]);
  });

  it("verify() verifies a Pulse once, one after the other, and refuses more than a few at a time", async () => {
    const told = new Told();
    const watch = watchOf(told);
    const seen = await Promise.all([5, 6, 5, 7].map((number) => watch.verify(number)));
    expect(seen.map(({ number }) => number)).toEqual([5, 6, 5, 7]);
    expect(told.verified).toEqual([5, 6, 7]);
    expect(told.most).toBe(1);
    const many = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => watch.verify(100 + at)),
    );
    const refused = many.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(22);
    expect(refused[0]).toMatchObject({ reason: { code: "busy" } });
    // What does not hold now is looked at anew, when the node may have more.
    told.holds = false;
    expect((await watch.verify(9)).verified).toBe(false);
    told.holds = true;
    expect((await watch.verify(9)).verified).toBe(true);
  });
});

describe("verdictOf()", () => {
  it("verdictOf() says how many transactions there were", () => {
    const seen = { number: 7, verified: true, pinned: true, report: HOLDS, atMs: 0, receipts: [] };
    expect(verdictOf({ ...seen, count: 1 })).toContain("with 1 transaction:");
    expect(verdictOf({ ...seen, count: 12 })).toContain("with 12 transactions:");
  });
});
