/** When blocks are made. */
import { describe, expect, it } from "vitest";
import { DEFAULT_TUNING } from "#internal/consensus/mod.ts";
import { Pace } from "../../internal/consensus/pace.ts";

const busy = { busy: true, leaderIn: true };
const idle = { busy: false, leaderIn: true };

describe("Pace.decide()", () => {
  it("lets three blocks go at once, then one in 60 ms, or 150 ms under load", () => {
    const pace = new Pace(DEFAULT_TUNING);
    for (let k = 0; k < 3; k++) {
      expect(pace.decide({ nowMs: 1000, ...busy })).toEqual({ go: true });
      pace.blockMade(1000, false);
    }
    expect(pace.decide({ nowMs: 1000, ...busy })).toEqual({ go: false, atMs: 1060 });
    expect(pace.decide({ nowMs: 1060, ...busy })).toEqual({ go: true });
    pace.blockMade(1060, false);
    pace.load(true, 1060);
    expect(pace.decide({ nowMs: 1100, ...busy })).toEqual({ go: false, atMs: 1210 });
  });

  it("is idle at 1 s, then 2 s, then 4 s after the last news", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.news(0);
    expect([0, 4999, 5000, 14_999, 15_000, 99_000].map((nowMs) => pace.idleMs(nowMs)))
      .toEqual([1000, 1000, 2000, 2000, 4000, 4000]);
    pace.blockMade(20_000, false);
    expect(pace.decide({ nowMs: 21_000, ...idle })).toEqual({ go: false, atMs: 24_000 });
    expect(pace.decide({ nowMs: 21_000, ...busy })).toEqual({ go: true });
    pace.news(21_000);
    expect(pace.decide({ nowMs: 21_000, ...idle })).toEqual({ go: true });
  });

  it("waits for a leader for 300 ms, doubling to 2.4 s while nothing commits", () => {
    const pace = new Pace(DEFAULT_TUNING);
    const waits: number[] = [];
    for (let k = 0; k < 6; k++) {
      const nowMs = 10_000 * k;
      pace.roundReady(nowMs);
      const verdict = pace.decide({ nowMs, busy: true, leaderIn: false });
      waits.push(verdict.go ? 0 : verdict.atMs - nowMs);
      pace.blockMade(nowMs + 3000, true);
    }
    expect(waits).toEqual([300, 600, 1200, 2400, 2400, 2400]);
    pace.committed();
    expect(pace.leaderWaitMs).toBe(300);
  });
});
