import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { searchFolder } from "#internal/search/mod.ts";
import { searchFiles } from "../../internal/agent/tools/search_files.ts";
import { readLinePattern, requiredWords } from "../../internal/search/line_pattern.ts";
import { workspaceWith } from "./_files.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

describe("search_files", () => {
  test("shows the lines that match with the lines around each [A-170]", async () => {
    const { call } = await workspaceWith({
      "a.txt": TEXT,
      "d/b.txt": "fifty\n",
      "c.txt": "none\n",
    });
    expect(await call(searchFiles, { pattern: "^fi\\w+", context: 1 })).toBe(
      "a.txt\n4-four\n5:five\n6-six\n\nd/b.txt\n1:fifty\n\n(2 matches in 2 files)",
    );
    expect(await call(searchFiles, { pattern: "(?i)T(WO|HREE)|EIGHT", context: 1 })).toBe(
      "a.txt\n1-one\n2:two\n3:three\n4-four\n--\n7-seven\n8:eight\n\n(3 matches in 1 file)",
    );
    expect(await call(searchFiles, { pattern: "seven", context: 0, glob: "**/*.{txt,md}" })).toBe(
      "a.txt\n7:seven\n\n(1 match in 1 file)",
    );
    expect(await call(searchFiles, { pattern: "fif", glob: "d/*" })).toContain("d/b.txt\n1:fifty");
    expect(await call(searchFiles, { pattern: "missing" })).toBe("(no match in 3 files)");
  });

  test("says which files it shows lines of, for what is kept confidential [A-063]", async () => {
    const { context } = await workspaceWith({
      "a": "key\n",
      "finance/b": "key\n",
      "c": "other\n",
    });
    expect(await searchFiles.run(context, { pattern: "key" })).toMatchObject({
      shown: ["a", "finance/b"],
    });
  });

  test("passes over .git, node_modules and builds, binary files, links and pipes [A-174]", async () => {
    const { call, folder } = await workspaceWith({
      "a": "needle\n",
      ".git/a": "needle\n",
      "node_modules/p/a": "needle\n",
      "target/a": "needle\n",
      "bin": "needle\0\n",
      "large": `needle${"x".repeat(9 * 1024 * 1024)}`,
    });
    symlinkSync("a", join(folder, "link"));
    symlinkSync("/etc", join(folder, "etc"));
    execFileSync("/usr/bin/env", ["mkfifo", join(folder, "pipe")]);
    expect(await call(searchFiles, { pattern: "needle|root" })).toBe(
      "a\n1:needle\n\n(1 match in 1 file; 1 file too large to be searched)",
    );
    expect(await call(searchFiles, { pattern: "needle", glob: "node_modules/**" })).toContain(
      "node_modules/p/a",
    );
  });

  test("takes an expression that makes others go back for ever, in linear time", async () => {
    const { call } = await workspaceWith({ "a": `${"a".repeat(2 * 1024 * 1024)}!\n` });
    for (const pattern of ["(a+)+$", "(.*a){30}b", "(a|aa)+[b-d]"]) {
      expect(await call(searchFiles, { pattern })).toBe("(no match in 1 file)");
    }
    expect(await call(searchFiles, { pattern: "a".repeat(100_000) })).toBe(
      "✗ argument: pattern cannot be searched for (it has more than 1000 characters): give another",
    );
    expect(await call(searchFiles, { pattern: "(?=a)b" })).toMatch(/^✗ argument: .*Perl syntax/);
    expect(await call(searchFiles, { pattern: "a\\nb" })).toMatch(/a match stays in one line/);
    expect(await call(searchFiles, { pattern: "a", glob: "../*" })).toMatch(/^✗ argument: glob/);
  });

  test("is bounded in matches and in the length of lines, and says so", async () => {
    const { call } = await workspaceWith({
      "a": "x\n".repeat(50),
      "b": `${"é".repeat(5_000)}needle${"y".repeat(5_000)}\n`,
    });
    const many = await call(searchFiles, { pattern: "x", limit: 3, context: 0 });
    expect(many).toBe(
      "a\n1:x\n2:x\n3:x\n\n(3 matches in 1 file; there may be more: narrow the pattern or the glob)",
    );
    const long = await call(searchFiles, { pattern: "need[l]e" });
    expect(long).toContain(`1:…${"é".repeat(100)}needley`);
    expect(long.length).toBeLessThan(500);
    const aborted = await workspaceWith(
      Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`f${i}`, "x"])),
    );
    const context = { ...aborted.context, signal: AbortSignal.abort() };
    expect(await searchFiles.run(context, { pattern: "none" })).toMatchObject({
      code: "cancelled",
    });
  });

  test("tells lines apart that end in CRLF, and lines from texts", async () => {
    const { call } = await workspaceWith({ "a": "one\r\ntwo\r\nthree" });
    const lines = async (pattern: string) =>
      (await call(searchFiles, { pattern, context: 0 })).split("\n").filter((line) =>
        /^\d/.test(line)
      );
    expect(await lines("o$")).toEqual(["2:two"]);
    expect(await lines("\\Ath")).toEqual(["3:three"]);
    expect(await lines("[^a]t")).toEqual([]);
    expect(await lines("(?s)e.t")).toEqual([]);
    expect(await lines("^$")).toEqual([]);
  });
});

describe("searchFolder()", () => {
  const files = Object.fromEntries(
    Array.from({ length: 120 }, (_, i) => {
      const name = i % 3 === 0 ? `d${i % 7}/e/f${i}` : i % 3 === 1 ? `d${i % 7}.x/f${i}` : `f${i}`;
      return [name, `line\n${i % 4 === 0 ? "needle\n" : ""}last ${i}\n`];
    }),
  );
  const search = (root: string) => ({
    root,
    glob: "**",
    pattern: "need\\w+",
    most: 1_000,
    around: 1,
    signal: new AbortController().signal,
  });

  test("finds by threads what it finds alone, in the same order", async () => {
    const { folder } = await workspaceWith(files);
    const alone = await searchFolder({ ...search(folder), aloneFiles: 1_000 });
    expect(alone.files).toHaveLength(30);
    for (const aloneFiles of [1, 17, 119]) {
      expect(await searchFolder({ ...search(folder), aloneFiles })).toEqual(alone);
      const few = await searchFolder({ ...search(folder), aloneFiles, most: 9 });
      expect(few.files).toEqual(alone.files.slice(0, 9));
      expect(few.cut).toBe(true);
    }
  });

  test("stops its threads when nobody waits any more", async () => {
    const { folder } = await workspaceWith(files);
    const stopped = new AbortController();
    const found = searchFolder({ ...search(folder), aloneFiles: 5, signal: stopped.signal });
    stopped.abort();
    await expect(found).rejects.toThrow("abort");
  });
});

describe("a line pattern", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    "ab",
    "ba",
    "é",
    ".",
    "\\.",
    "\\w",
    "\\d",
    "[ab]",
    "[^a]",
    "[]b]",
    "[[:alpha:]]",
    "(a|b)",
    "(?:ab)",
    "(?P<n>a)",
    "(",
    ")",
    "|",
    "*",
    "+",
    "?",
    "{2}",
    "{0,1}",
    "^",
    "$",
    "\\b",
    "\\141",
    "\\x61",
    "\\x{62}",
    "\\pL",
    "(?i)",
    "-",
    "{",
  );
  const source = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
  const line = fc.string({
    unit: fc.constantFrom("a", "b", "A", "é", ".", "-", "1", "{", " "),
    maxLength: 12,
  });

  test("finds every line that RE2 finds, though it looks for words first", async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(source, fc.array(line, { maxLength: 6 }), async (text, lines) => {
        let pattern: Awaited<ReturnType<typeof readLinePattern>>;
        try {
          pattern = await readLinePattern(text);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          return;
        }
        read++;
        const expression = RE2JS.compile(text, RE2JS.MULTILINE);
        const whole = lines.join("\n");
        const found = lines.filter((each) => expression.test(each));
        if (found.length > 0) expect(pattern.mayMatch(whole)).toBe(true);
        for (const each of lines) expect(pattern.matches(each)).toBe(found.includes(each));
        const words = requiredWords(text);
        if (words === undefined) return;
        for (const each of found) {
          expect(words.some((word) => each.includes(word)), text).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(1_000);
  });

  test.each<[string, readonly string[] | undefined]>([
    ["needle", ["needle"]],
    ["fn \\w+\\(", ["fn "]],
    ["foo|barr", ["foo", "barr"]],
    ["foo|.", undefined],
    ["colou?r", ["colo"]],
    ["(foo|bar)baz", ["baz"]],
    ["(?:x)needle", ["needle"]],
    ["(?i)needle", undefined],
    ["\\141bc", ["bc"]],
    ["a{2}bc", ["bc"]],
  ])("%s needs %j", (text, words) => {
    expect(requiredWords(text)).toEqual(words);
  });
});
