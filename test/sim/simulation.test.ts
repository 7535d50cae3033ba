/** The simulator itself: the same seed is the same run, and a failing schedule gets shorter. */
import { describe, expect, it } from "vitest";
import { QUORUM_OF_TWO } from "./broken_rules.ts";
import { planOf } from "./plan_of.ts";
import { Random } from "./random.ts";
import { PRODUCT } from "./rules.ts";
import { shrink } from "./shrink.ts";
import { run } from "./simulation.ts";
import { Timeline } from "./timeline.ts";

describe("run()", () => {
  it("gives the same run for the same seed, line for line [L-595]", () => {
    for (const seed of [4, 7]) {
      const lines: string[][] = [[], []];
      const heads = lines.map((trace) =>
        run(planOf(seed), { trace: (line) => trace.push(line) }).head
      );
      expect(heads[0]).toBe(heads[1]);
      expect(lines[0]).toEqual(lines[1]);
      expect(lines[0]?.length).toBeGreaterThan(50);
    }
    expect(run(planOf(4)).head).not.toBe(run(planOf(6)).head);
  });

  it.each([8, 9, 10])("gives the run of plan %i when it was written down and read back", (seed) => {
    const plan = planOf(seed);
    expect(run(JSON.parse(JSON.stringify(plan))).head).toBe(run(plan).head);
  });
});

/** Seeds of rare situations beyond those that are run in a row, and what is rare in them. */
const RARE: Readonly<Record<number, string>> = {
  1156: "a batch whose last slot is stopped waits for its bound",
  1311: "a session ends while an executed unit still waits in a queue",
};

describe("run() of a rare seed", () => {
  for (const [seed, what] of Object.entries(RARE)) {
    it(`breaks no promise where ${what}`, () => {
      expect(run(planOf(Number(seed))).violation).toBeUndefined();
    });
  }
});

describe("shrink()", () => {
  it("leaves out what a broken promise does not need", () => {
    const seed = Array.from({ length: 40 }, (_, i) => i + 1)
      .find((seed) => run(planOf(seed), { rules: QUORUM_OF_TWO }).violation !== undefined) ?? 0;
    const plan = planOf(seed);
    const shrunk = shrink(plan, QUORUM_OF_TWO, 60);
    expect(shrunk.plan.events.length).toBeLessThan(plan.events.length);
    const again = run(shrunk.plan, { rules: QUORUM_OF_TWO });
    expect(again.violation?.message).toBe(shrunk.violation.message);
  });

  it("refuses a plan in which nothing breaks", () => {
    expect(() => shrink(planOf(2), PRODUCT)).toThrow("nothing breaks");
  });
});

describe("Random", () => {
  it("gives streams that depend on seed and label only", () => {
    const take = (random: Random): number[] => Array.from({ length: 4 }, () => random.next());
    expect(take(new Random(1, "a", 2))).toEqual(take(new Random(1, "a", 2)));
    expect(take(new Random(1, "a", 2))).not.toEqual(take(new Random(1, "a", 3)));
    expect(take(new Random(1, "a"))).not.toEqual(take(new Random(2, "a")));
  });
  it("shuffles without losing anything", () => {
    expect(new Random(5).shuffled([1, 2, 3, 4, 5, 6]).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("Timeline", () => {
  it("runs what was asked for by time, and in the order of asking at one time", () => {
    const timeline = new Timeline(100);
    const seen: string[] = [];
    for (const [atMs, name] of [[300, "c"], [200, "a"], [200, "b"], [50, "now"]] as const) {
      timeline.at(atMs, () => seen.push(`${name}@${timeline.nowMs}`));
    }
    expect(timeline.run(150)).toBe(false);
    expect(seen).toEqual(["now@100", "a@200", "b@200"]);
    expect(timeline.nowMs).toBe(250);
    expect(timeline.run(1000, () => seen.length === 4)).toBe(true);
    expect(timeline.nowMs).toBe(300);
  });
});
