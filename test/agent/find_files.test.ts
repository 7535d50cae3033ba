import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findFiles } from "../../internal/agent/tools/find_files.ts";
import { isMatch, readPathGlob, step } from "#internal/search/mod.ts";
import { workspaceWith } from "./_files.ts";

const names = (...list: readonly string[]) => Object.fromEntries(list.map((name) => [name, "x\n"]));

const matches = (glob: string, path: string): boolean =>
  isMatch(path.split("/").reduce((state, name) => step(state, name), readPathGlob(glob).start));

describe("find_files", () => {
  test("finds files by a glob, a path a line, sorted [A-166 A-168 A-169]", async () => {
    const { call } = await workspaceWith(
      names("src/a.rs", "src/deep/er/b.rs", "src/b.txt", "c.rs", "web/x.ts", "web/y.tsx", "z.js"),
    );
    const find = (pattern: string) => call(findFiles, { pattern });
    expect(await find("src/**/*.rs")).toBe("src/a.rs\nsrc/deep/er/b.rs");
    expect(await find("web/*.{ts,tsx}")).toBe("web/x.ts\nweb/y.tsx");
    expect(await find("**")).toBe(
      "c.rs\nsrc/a.rs\nsrc/b.txt\nsrc/deep/er/b.rs\nweb/x.ts\nweb/y.tsx\nz.js",
    );
    expect(await find("src/*")).toBe("src/a.rs\nsrc/b.txt");
    expect(await find("./src/[ab].{rs,txt}")).toBe("src/a.rs\nsrc/b.txt");
    expect((await find("*.rs")).split(/\s/)).toHaveLength(3);
  });

  test("shows a line's end in a name, so that no name looks like two", async () => {
    const { call } = await workspaceWith(names("a\nb.ts"));
    expect(await call(findFiles, { pattern: "*.ts" })).toBe("a\\nb.ts");
  });

  test("a pattern without / matches a name at any depth [A-167]", async () => {
    const { call } = await workspaceWith(
      names("a.ts", "d/a.ts", "d/e/a.ts", "d/e/b.ts", ".github/a.ts"),
    );
    expect(await call(findFiles, { pattern: "a.ts" })).toBe(".github/a.ts\na.ts\nd/a.ts\nd/e/a.ts");
    expect(await call(findFiles, { pattern: "*.{ts,tsx}" })).toContain("d/e/b.ts");
  });

  test("passes over version control, dependencies and builds, unless they are named [A-174]", async () => {
    const { call } = await workspaceWith(
      names(
        "a.js",
        ".git/a.js",
        "node_modules/p/a.js",
        "target/a.js",
        "d/node_modules/p/a.js",
        ".venv/a.js",
        "targets/a.js",
        ".sion-00ff-0.tmp",
      ),
    );
    expect(await call(findFiles, { pattern: "*.js" })).toBe("a.js\ntargets/a.js");
    expect(await call(findFiles, { pattern: "**" })).toBe("a.js\ntargets/a.js");
    expect(await call(findFiles, { pattern: "node_modules/**/*.js" })).toBe("node_modules/p/a.js");
  });

  test("follows no link, and gives no folder, pipe or device", async () => {
    const { call, folder } = await workspaceWith(names("d/a"));
    symlinkSync("/etc", join(folder, "etc"));
    symlinkSync("d", join(folder, "l"));
    symlinkSync("..", join(folder, "d", "up"));
    execFileSync("/usr/bin/env", ["mkfifo", join(folder, "pipe")]);
    expect(await call(findFiles, { pattern: "**" })).toBe("d/a");
  });

  test("is bounded, says so, and gives programs no words but paths", async () => {
    const { call, context } = await workspaceWith(names("a", "b", "c"));
    expect(await call(findFiles, { pattern: "*", limit: 2 })).toBe(
      "a\nb\n(more than 2 files match: narrow the pattern or raise limit)",
    );
    expect(await findFiles.run(context, { pattern: "none" })).toEqual({
      ok: true,
      text: "no file matches none",
      value: "",
    });
    for (
      const [pattern, why] of [["../*", "it holds .."], ["{a", "do not match"], ["/", "empty"]]
    ) {
      expect(await call(findFiles, { pattern })).toMatch(
        `✗ argument: pattern ${pattern} is no glob`,
      );
      expect(await call(findFiles, { pattern })).toContain(why);
    }
    const signal = AbortSignal.abort();
    const many = await workspaceWith();
    for (let i = 0; i < 2_100; i++) writeFileSync(join(many.folder, `f${i}`), "");
    expect(await findFiles.run({ ...many.context, signal }, { pattern: "*", limit: 10_000 }))
      .toMatchObject({
        code: "cancelled",
      });
  });

  test("says how many folders it could not read, as those that are too deep", async () => {
    const { call, folder } = await workspaceWith(names("a"));
    mkdirSync(join(folder, "d/".repeat(210)), { recursive: true });
    expect(await call(findFiles, { pattern: "none" })).toBe(
      "no file matches none (1 folder could not be read)",
    );
  });
});

describe("a glob", () => {
  test.each([
    ["src/**", "src/a/b", true],
    ["src/**", "srcs/a", false],
    ["**/a", "a", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a*c", "abbc", true],
    ["a*c", "abcd", false],
    ["a?c", "a😀c", true],
    ["[!a-c]x", "dx", true],
    ["[!a-c]x", "bx", false],
    ["[^a]", "b", true],
    ["[]a]", "]", true],
    ["*.{js,{ts,tsx}}", "d/a.tsx", true],
    ["A.ts", "a.ts", false],
    ["ü*", "über", true],
  ])("%s on %s is %s", (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  test("says what a plain reading of it says, for any glob and path", () => {
    const plainly = (glob: readonly string[], path: readonly string[]): boolean => {
      const [part, ...rest] = glob;
      if (part === undefined) return path.length === 0;
      if (part === "**") {
        return plainly(rest, path) || (path.length > 0 && plainly(glob, path.slice(1)));
      }
      const [name, ...below] = path;
      return name !== undefined && inName(part.split(""), name.split("")) && plainly(rest, below);
    };
    const inName = (glob: readonly string[], name: readonly string[]): boolean => {
      const [piece, ...rest] = glob;
      if (piece === undefined) return name.length === 0;
      if (piece === "*") {
        return inName(rest, name) || (name.length > 0 && inName(glob, name.slice(1)));
      }
      return name.length > 0 && (piece === "?" || piece === name[0]) && inName(rest, name.slice(1));
    };
    const part = fc.oneof(
      fc.constant("**"),
      fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 5 })
        .filter((text) => !text.includes("**")),
    );
    const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 5 }),
        fc.array(name, { minLength: 1, maxLength: 5 }),
        (glob, path) => {
          expect(matches(glob.join("/"), path.join("/"))).toBe(plainly(glob, path));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("of many stars is matched in bounded work", () => {
    expect(matches(`${"*a".repeat(100)}b`, "a".repeat(250))).toBe(false);
    expect(matches(`${"**/a/".repeat(100)}b`, "a/".repeat(150) + "c")).toBe(false);
    expect(() => readPathGlob("{a,b}".repeat(20))).toThrow("too many choices");
    expect(() => readPathGlob("a".repeat(2_000))).toThrow("more than 1000 characters");
  });
});
