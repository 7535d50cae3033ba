/** Every assumption that a text of the program or a page cites has its entry, and each says all of it. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Assumption } from "#internal/core/mod.ts";
import { ASSUMPTIONS } from "#internal/core/mod.ts";

const root = new URL("../../", import.meta.url);

function citedIn(patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root.pathname }))
    .filter((file) => !/assumptions\.ts$|threat-model\.md$/.test(file))
    .flatMap((
      file,
    ) => [...readFileSync(new URL(file, root), "utf8").matchAll(/\bagent:[a-z]+(?:-[a-z]+)*\b/g)])
    .map(([name]) => name);
}

describe("ASSUMPTIONS", () => {
  it("has every name that the program's texts and the pages cite [A-602 A-603]", () => {
    const cited = citedIn(["internal/**/*.ts", "cmd/**/*.ts", "README.md", "docs/**/*.md"]);
    expect(new Set(cited).size).toBeGreaterThan(3);
    expect(cited.filter((name) => !Object.hasOwn(ASSUMPTIONS, name))).toEqual([]);
    for (const name of ["agent:mcp-unsandboxed", "agent:mcp-remote", "agent:mcp-oauth"]) {
      expect(ASSUMPTIONS).toHaveProperty([name]);
    }
  });

  it("has no name that nothing cites, but those of what is not there yet [A-602 A-603]", () => {
    const pages = ["README.md", "docs/*.md", "docs/guides/*.md", "docs/decisions/*.md"];
    const cited = new Set(citedIn(["internal/**/*.ts", "cmd/**/*.ts", ...pages]));
    const entries = Object.entries<Assumption>(ASSUMPTIONS);
    for (const [name, { notYet }] of entries) {
      expect(cited.has(name), `${name} is cited`).toBe(notYet === undefined);
    }
    // Agents' tools are the product's own until one file says otherwise.
    const hasServers = globSync("internal/agent/**/*mcp*", { cwd: root.pathname }).length > 0;
    expect(entries.some(([, { notYet }]) => notYet !== undefined)).toBe(!hasServers);
  });

  it("says of each what has to hold, what that is worth, what breaks it and what to do [A-603]", () => {
    expect(Object.keys(ASSUMPTIONS)).toEqual(Object.keys(ASSUMPTIONS).toSorted());
    for (const [name, entry] of Object.entries(ASSUMPTIONS)) {
      expect(name).toMatch(/^agent:[a-z]+(-[a-z]+)*$/);
      for (const text of Object.values(entry)) expect(text).toMatch(/^[^\s].{10,}[^.\s]$/);
    }
  });
});
