/** Generated pages are those that the program makes now; every code of errors is in their table. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "#internal/cli/mod.ts";
import { generatedPages } from "../../scripts/record_docs/pages.ts";

const root = new URL("../../", import.meta.url);

describe("scripts/record-docs", () => {
  it.each(generatedPages.map((page) => [page.path, page] as const))(
    "%s is fresh [L-012]",
    async (path, page) => {
      expect(readFileSync(new URL(path, root), "utf8")).toBe(await page.text());
    },
  );
});

describe("ERRORS", () => {
  it("is in alphabetical order, each with a sentence of the form of errors", () => {
    const codes = Object.keys(ERRORS);
    expect(codes).toEqual([...codes].sort());
    for (const { example, when } of Object.values(ERRORS)) {
      expect(example).toMatch(/^[^A-Z].*: \S/s);
      expect(example).not.toMatch(/\.$/);
      expect(when).toMatch(/^[a-z]/);
    }
  });
});
