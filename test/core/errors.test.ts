import { describe, expect, test } from "vitest";
import { firstThrown, SionError } from "#internal/core/mod.ts";

describe("firstThrown()", () => {
  test("firstThrown() finds what went wrong under what failed while all was given back", () => {
    const full = new SionError("store-failed", "the disk is full");
    let caught: unknown;
    try {
      using _outer = {
        [Symbol.dispose]() {
          throw new Error("outer");
        },
      };
      using _inner = {
        [Symbol.dispose]() {
          throw new Error("inner");
        },
      };
      throw full;
    } catch (error) {
      caught = error;
    }
    expect(caught).not.toBe(full);
    expect(firstThrown(caught)).toBe(full);
  });

  test("firstThrown() leaves everything else as it is", () => {
    for (const thrown of [new Error("a"), "text", undefined]) {
      expect(firstThrown(thrown)).toBe(thrown);
    }
  });
});
