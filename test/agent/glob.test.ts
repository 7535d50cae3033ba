import { describe, expect, test } from "vitest";
import { globProblem, matcherOf, plainPath } from "../../internal/agent/glob.ts";

describe("matcherOf()", () => {
  test.each([
    ["finance/**", "finance/a.csv"],
    ["finance/**", "finance/deep/er/a.csv"],
    ["finance/**", "./finance//x/../a.csv"],
    ["finance/**", "other/../finance/a.csv"],
    ["finance", "finance/a.csv"],
    ["finance/", "finance/a.csv"],
    ["*.key", "a.key"],
    ["*.key", "deep/er/a.key"],
    ["*.key", "A.KEY"],
    ["**/secret/*.txt", "secret/a.txt"],
    ["**/secret/*.txt", "x/y/secret/a.txt"],
    ["a/*.{csv,tsv}", "a/b.tsv"],
    ["{a,b{c,d}}/x", "bd/x"],
    ["a/[a-c]?.txt", "a/bz.txt"],
    ["a/[!a-c].txt", "a/d.txt"],
    ["a+b (1)/x.txt", "a+b (1)/x.txt"],
    ["é/**", "e\u0301/a"],
  ])("%s matches %s [A-062]", (glob, path) => {
    expect(matcherOf([glob])(path)).toBe(true);
  });

  test.each([
    ["finance/**", "financed/a.csv"],
    ["finance/**", "public/finance.csv"],
    ["finance/*.csv", "finance/deep/a.csv"],
    ["*.key", "a.keys"],
    ["a/?.txt", "a/bb.txt"],
    ["a/[!a-c].txt", "a/b.txt"],
    ["a.b", "axb"],
    ["finance/**", "finance/../public/a.csv"],
  ])("%s does not match %s", (glob, path) => {
    expect(matcherOf([glob])(path)).toBe(false);
  });

  test("of several globs matches what any does, of none nothing", () => {
    expect(matcherOf(["a/**", "*.key"])("b/x.key")).toBe(true);
    expect(matcherOf([])("a")).toBe(false);
  });
});

test.each([
  ["", "it is empty"],
  ["/etc/**", "it begins with /"],
  ["a/../b", "it holds .."],
  ["{a,b", "its braces do not match"],
  [`${"{a,b}".repeat(7)}`, "it has too many choices"],
  ["a\u0000", "it holds a control character"],
])("globProblem() says what is wrong with %j", (glob, problem) => {
  expect(globProblem(glob)).toBe(problem);
});

test("globProblem() finds nothing wrong with a glob that can be used", () => {
  for (const glob of ["finance/**", "*.key", "a/[b]", "a/[", "]", "a(b|c)$^.\\x"]) {
    expect(globProblem(glob), glob).toBeUndefined();
    expect(() => matcherOf([glob])).not.toThrow();
  }
});

test("plainPath() keeps a path inside its folder", () => {
  expect(plainPath("../../a//./b/")).toBe("a/b");
});
