/** When blocks are made. */
import { describe, expect, it } from "vitest";
import { DEFAULT_TUNING } from "#internal/consensus/mod.ts";
import { Pace } from "../../internal/consensus/pace.ts";

const busy = { busy: true, undecided: 1, leaderIn: true, allIn: true, rests: false };
const idle = { busy: false, undecided: 0, leaderIn: true, allIn: true, rests: false };

describe("Pace.decide()", () => {
  it("lets three blocks go at once, then one in 45 ms", () => {
    const pace = new Pace(DEFAULT_TUNING);
    for (let k = 0; k < 3; k++) {
      expect(pace.decide({ nowMs: 1000, ...busy })).toEqual({ go: true });
      pace.blockMade(1000, false);
    }
    expect(pace.decide({ nowMs: 1000, ...busy })).toEqual({ go: false, atMs: 1045 });
    expect(pace.decide({ nowMs: 1045, ...busy })).toEqual({ go: true });
  });

  it("leaves two of the three to payments that come while Pulses are still to be certified", () => {
    const pace = new Pace(DEFAULT_TUNING);
    const trailing = { ...busy, undecided: 0 };
    expect(pace.decide({ nowMs: 1000, ...trailing })).toEqual({ go: true });
    pace.blockMade(1000, false);
    expect(pace.decide({ nowMs: 1000, ...trailing })).toEqual({ go: false, atMs: 1045 });
    for (let k = 0; k < 2; k++) {
      expect(pace.decide({ nowMs: 1001, ...busy })).toEqual({ go: true });
      pace.blockMade(1001, false);
    }
    expect(pace.decide({ nowMs: 1001, ...trailing })).toEqual({ go: false, atMs: 1135 });
  });

  it("waits for what is being verified until 200 ms after the round could be made", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.roundReady(7, 1000);
    pace.load(true, 1010);
    expect(pace.decide({ nowMs: 1020, ...busy })).toEqual({ go: false, atMs: 1200 });
    expect(pace.decide({ nowMs: 1200, ...busy })).toEqual({ go: true });
    pace.load(false, 1210);
    expect(pace.decide({ nowMs: 1210, ...busy })).toEqual({ go: true });
  });

  it("waits for the next unit only when many came, and fewer wait than lately did", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.roundReady(7, 1000);
    pace.unit(1100);
    expect(pace.decide({ nowMs: 1100, ...busy })).toEqual({ go: true });
    for (let k = 0; k < 30; k++) pace.unit(1100);
    expect(pace.decide({ nowMs: 1100, ...busy, undecided: 31 })).toEqual({ go: true });
    expect(pace.decide({ nowMs: 1101, ...busy, undecided: 30 })).toEqual({ go: false, atMs: 1120 });
    expect(pace.decide({ nowMs: 1120, ...busy, undecided: 30 })).toEqual({ go: true });
    pace.unit(5000);
    expect(pace.decide({ nowMs: 5000, ...busy })).toEqual({ go: true });
  });

  it("forgets in a second or so how many waited at once", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.decide({ nowMs: 1000, ...busy, undecided: 40 });
    for (let nowMs = 1100; nowMs <= 2300; nowMs += 100) {
      pace.blockMade(nowMs - 50, false);
      pace.roundReady(nowMs, nowMs - 10);
      for (let k = 0; k < 8; k++) pace.unit(nowMs);
      expect(pace.decide({ nowMs, ...busy, undecided: 32 }).go).toBe(nowMs > 2100);
    }
  });

  it("makes no block that nobody waits for while those just served are about to come again", () => {
    const pace = new Pace(DEFAULT_TUNING);
    const trailing = { ...busy, undecided: 0 };
    for (let k = 0; k < 30; k++) pace.unit(1000);
    pace.roundReady(7, 1000);
    const verdict = pace.decide({ nowMs: 1050, ...trailing });
    expect(verdict).toEqual({ go: false, atMs: 1120 });
    pace.unit(1060);
    expect(pace.decide({ nowMs: 1090, ...busy })).toEqual({ go: true });
    expect(pace.decide({ nowMs: 1120, ...trailing })).toEqual({ go: true });
  });

  it("waits 150 ms for blocks of those who made the last round", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.roundReady(7, 1000);
    const missing = { ...busy, allIn: false };
    expect(pace.decide({ nowMs: 1010, ...missing })).toEqual({ go: false, atMs: 1150 });
    expect(pace.decide({ nowMs: 1150, ...missing })).toEqual({ go: true });
  });

  it("rests until 300 ms after the round could be made, and not in the round after it", () => {
    const pace = new Pace(DEFAULT_TUNING);
    pace.roundReady(7, 1000);
    const resting = { ...busy, rests: true };
    expect(pace.decide({ nowMs: 1010, ...resting })).toEqual({ go: false, atMs: 1300 });
    expect(pace.decide({ nowMs: 1300, ...resting })).toEqual({ go: true });
    pace.roundReady(8, 1310);
    expect(pace.decide({ nowMs: 1310, ...resting })).toEqual({ go: false, atMs: 1610 });
    expect(pace.decide({ nowMs: 1310, ...busy })).toEqual({ go: true });
  });

  it("finds a crowd where a dozen units came lately", () => {
    const pace = new Pace(DEFAULT_TUNING);
    for (let k = 0; k < 11; k++) pace.unit(1000);
    expect(pace.isCrowded(1000)).toBe(false);
    pace.unit(1000);
    expect(pace.isCrowded(1000)).toBe(true);
    expect(pace.isCrowded(1100)).toBe(false);
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
      pace.roundReady(k, nowMs);
      const verdict = pace.decide({
        nowMs,
        busy: true,
        undecided: 1,
        leaderIn: false,
        allIn: true,
        rests: false,
      });
      waits.push(verdict.go ? 0 : verdict.atMs - nowMs);
      pace.blockMade(nowMs + 3000, true);
    }
    expect(waits).toEqual([300, 600, 1200, 2400, 2400, 2400]);
    pace.committed();
    expect(pace.leaderWaitMs).toBe(300);
  });
});
