import { describe, expect, it } from "vitest";
import { closest } from "#internal/core/mod.ts";

describe("closest()", () => {
  it.each([
    ["alcie", "alice"],
    ["pya", "pay"],
    ["--jsno", "--json"],
    ["blance", "balance"],
    ["Alice", "alice"],
    ["statuss", "status"],
  ])("closest() takes %s for %s", (word, meant) => {
    expect(closest(word, ["balance", "status", "pay", "alice", "bob", "--json"])).toBe(meant);
  });

  it.each(["", "x", "wallet", "zzzzz"])("closest() takes %j for nothing", (word) => {
    expect(closest(word, ["balance", "status", "pay", "alice", "bob"])).toBeUndefined();
  });

  it("closest() prefers the first of equally near words", () => {
    expect(closest("cat", ["bat", "car"])).toBe("bat");
  });
});
