import { describe, expect, it } from "vitest";
import { clientKey } from "../../internal/gateway/client_key.ts";
import type { RateLimiter, Refusal, Turn } from "../../internal/gateway/rate_limit.ts";
import { BYTES_A_REQUEST, createRateLimiter } from "../../internal/gateway/rate_limit.ts";

/** A limiter whose time the test tells. */
function limiterAt(limits: Parameters<typeof createRateLimiter>[0]) {
  const time = { ms: 1_000_000 };
  return { time, limiter: createRateLimiter(limits, { nowMs: () => time.ms }) };
}

/** Takes turns that end at once, until one is refused. @returns how many there were */
function takeAll(limiter: RateLimiter, client: string): number {
  for (let count = 0;; count++) {
    const taken = limiter.take(client);
    if (!("sent" in taken)) return count;
    taken[Symbol.dispose]();
  }
}

function refused(taken: Turn | Refusal): Refusal {
  if ("sent" in taken) throw new Error("it was admitted");
  return taken;
}

describe("createRateLimiter()", () => {
  it("take() admits what is saved up, then as much as comes back, each client for itself [L-613]", () => {
    const { time, limiter } = limiterAt({ perSecond: 10, burst: 5 });
    expect(takeAll(limiter, "a")).toBe(5);
    expect(takeAll(limiter, "b")).toBe(5);
    expect(refused(limiter.take("a"))).toEqual({ whose: "client", retryMs: 100 });
    time.ms += 250;
    expect(takeAll(limiter, "a")).toBe(2);
    time.ms += 3_600_000;
    expect(takeAll(limiter, "a")).toBe(5);
  });

  it("take() saves up ten seconds' worth, and a clock that goes back takes nothing away", () => {
    const { time, limiter } = limiterAt({ perSecond: 3 });
    time.ms -= 500_000;
    expect(takeAll(limiter, "a")).toBe(30);
    time.ms -= 500_000;
    expect(takeAll(limiter, "a")).toBe(0);
    time.ms += 1_000;
    expect(takeAll(limiter, "a")).toBe(3);
  });

  it("sent() counts large answers as requests, down to a bound", () => {
    const { time, limiter } = limiterAt({ perSecond: 1, burst: 4 });
    const turn = limiter.take("a") as Turn;
    // What fits a request costs nothing more.
    turn.sent(BYTES_A_REQUEST);
    turn.sent(2 * BYTES_A_REQUEST);
    expect(takeAll(limiter, "a")).toBe(1);
    turn.sent(1_000 * BYTES_A_REQUEST);
    expect(refused(limiter.take("a")).retryMs).toBe(5_000);
    time.ms += 5_000;
    turn[Symbol.dispose]();
    expect(takeAll(limiter, "a")).toBe(1);
  });

  it("take() refuses one client too much at once, and everybody when all is taken", () => {
    const { limiter } = limiterAt({ perSecond: 100, atOnce: 2, allAtOnce: 3 });
    const [first] = [limiter.take("a"), limiter.take("a")] as [Turn, Turn];
    expect(refused(limiter.take("a")).whose).toBe("client");
    const other = limiter.take("b") as Turn;
    expect(refused(limiter.take("c")).whose).toBe("all");
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(limiter.take("c")).toHaveProperty("sent");
    expect(refused(limiter.take("d")).whose).toBe("all");
    other[Symbol.dispose]();
  });

  it("take() remembers a bounded number of clients, and those beyond it share one bucket", () => {
    const { time, limiter } = limiterAt({ perSecond: 1, burst: 2, clients: 3 });
    for (const client of ["a", "b", "c"]) (limiter.take(client) as Turn)[Symbol.dispose]();
    expect(takeAll(limiter, "d")).toBe(2);
    // A new address is no fresh bucket.
    expect(takeAll(limiter, "e")).toBe(0);
    expect(limiter.remembered).toBe(4);
    // Who has saved up all again is forgotten, and makes room.
    time.ms += 10_000;
    expect(takeAll(limiter, "f")).toBe(2);
    expect(limiter.remembered).toBeLessThanOrEqual(4);
  });
});

describe("clientKey()", () => {
  const of = (remoteAddress: string | undefined, forwarded?: string, proxied = false): string =>
    clientKey({
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      socket: { remoteAddress },
    }, proxied);

  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0DB8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    [undefined, "unknown"],
  ])("clientKey() of %s is %s", (address, key) => {
    expect(of(address)).toBe(key);
  });

  it("clientKey() believes a proxy of the operator's alone, and its last word", () => {
    expect(of("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
    expect(of("127.0.0.1", "1.1.1.1, 203.0.113.9", true)).toBe("203.0.113.9");
    expect(of("127.0.0.1", "203.0.113.9, nonsense", true)).toBe("127.0.0.1");
    expect(of("127.0.0.1", undefined, true)).toBe("127.0.0.1");
  });
});
