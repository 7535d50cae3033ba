import { describe, expect, it } from "vitest";
import { createProgress } from "../../internal/cli/progress.ts";

/** A progress over a clock that the test moves. */
function bench(redraw: boolean) {
  let nowMs = 0;
  let callback: (() => void) | undefined;
  let text = "";
  const sink = {
    isTty: redraw,
    columns: 30,
    colour: false,
    write: (more: string) => void (text += more),
  };
  const progress = createProgress(sink, redraw, {
    nowMs: () => nowMs,
    every(_ms, tick) {
      callback = tick;
      return () => void (callback = undefined);
    },
  });
  return {
    progress,
    /** Lets so many seconds pass. */
    pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        nowMs += 1_000;
        callback?.();
      }
    },
    /** What was written since the last look. */
    written(): string {
      const seen = text;
      text = "";
      return seen;
    },
    isTicking: () => callback !== undefined,
  };
}

describe("createProgress()", () => {
  it("createProgress() is silent under a second", () => {
    const { progress, written, isTicking } = bench(true);
    progress.waiting("Pulse 205");
    progress.waiting(undefined);
    expect(written()).toBe("");
    expect(isTicking()).toBe(false);
  });

  it("createProgress() redraws one line a second on a terminal, and takes it away", () => {
    const { progress, pass, written } = bench(true);
    progress.waiting("Pulse 205");
    pass(2);
    expect(written()).toBe("waiting for Pulse 205, 1 s\r\x1b[2Kwaiting for Pulse 205, 2 s");
    progress.waiting("Pulse 206");
    pass(1);
    expect(written()).toBe("\r\x1b[2Kwaiting for Pulse 206, 3 s");
    progress.clear();
    progress.clear();
    expect(written()).toBe("\r\x1b[2K");
    progress.waiting(undefined);
    expect(written()).toBe("");
  });

  it("createProgress() never fills a terminal's line", () => {
    const { progress, pass, written } = bench(true);
    progress.waiting("something with a rather long name");
    pass(1);
    expect(written()).toHaveLength(29);
  });

  it("createProgress() says a plain line at the start and each ten seconds elsewhere", () => {
    const { progress, pass, written } = bench(false);
    progress.waiting("Pulse 205");
    pass(25);
    expect(written()).toBe(
      "waiting for Pulse 205, 1 s\nwaiting for Pulse 205, 11 s\nwaiting for Pulse 205, 21 s\n",
    );
    progress.waiting(undefined);
    expect(written()).toBe("");
  });
});
