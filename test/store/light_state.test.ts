import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import { openLightState } from "#internal/store/mod.ts";

const CHAIN = "c0".repeat(32);
const headOf = (number: number) => ({
  number,
  header: utf8(`header ${number}`),
  session: utf8("session"),
  after: 0,
});

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "sion-light-"));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

describe("openLightState()", () => {
  test("openLightState() keeps the newest head of each chain, and never an older one", () => {
    {
      using state = openLightState(home);
      expect(state.trusted(CHAIN)).toBeUndefined();
      state.trust(CHAIN, headOf(7));
      state.trust(CHAIN, headOf(3));
      state.trust("c1".repeat(32), headOf(1));
    }
    using state = openLightState(home);
    expect(state.trusted(CHAIN)).toEqual(headOf(7));
    expect(state.trusted("c1".repeat(32))).toEqual(headOf(1));
  });

  test("openLightState() keeps every contradiction", () => {
    using state = openLightState(home);
    expect(state.forks(CHAIN)).toBe(0);
    state.keepFork(CHAIN, 7, utf8("one"));
    state.keepFork(CHAIN, 7, utf8("two"));
    expect(state.forks(CHAIN)).toBe(2);
  });
});
