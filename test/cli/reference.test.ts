/** Generated pages are those that the program makes now; every code of errors is in their table. */
import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "#internal/cli/mod.ts";
import { RPC_ERROR_STATUS } from "#internal/rpc/mod.ts";
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

/** Codes that a program handles or that only a fault of sion's can show, so no person meets them. */
const INSIDE = new Set(
  `
  codec wire file-exists worker-failed spawn-failed keyring-failed backend-unavailable
  unreachable lost timeout sequence supply registry state
  outside missing not-a-file path denied exists changed ended overloaded credential context declined
  empty too-large answer-too-large no-text search web-redirects web-unreadable
`.trim().split(/\s+/),
);

/** The members of every declared union of codes in these units. */
function declaredCodes(): string[] {
  const units = "internal/{core,crypto,ledger,runtime,store,client,node,agent,cli}/**/*.ts";
  const texts = globSync(units, { cwd: root.pathname })
    .map((file) => readFileSync(new URL(file, root), "utf8"));
  const unions = texts.flatMap((text) =>
    [...text.matchAll(/export type \w+ErrorCode =([^;]*);/g)].map(([, union = ""]) => union)
  );
  return unions.flatMap((union) =>
    [...union.matchAll(/"([a-z-]+)"/g)].map(([, code = ""]) => code)
  );
}

describe("ERRORS", () => {
  it("has every code that a person can meet", () => {
    const codes = [...declaredCodes(), ...Object.keys(RPC_ERROR_STATUS)];
    expect(codes.length).toBeGreaterThan(40);
    expect(codes.filter((code) => !INSIDE.has(code) && !Object.hasOwn(ERRORS, code))).toEqual([]);
  });

  it("is in alphabetical order, each with a sentence of the form of errors", () => {
    const codes = Object.keys(ERRORS);
    expect(codes).toEqual([...codes].sort());
    for (const [code, { example, when }] of Object.entries(ERRORS)) {
      // Those have the words of the reference, which say what to do by what they name.
      if (code !== "too-dear" && code !== "sandbox-option") {
        expect(example).toMatch(/^([^A-Z]|L\d).*: \S/s);
      }
      expect(example).not.toMatch(/\.$/);
      expect(when).toMatch(/^[a-z]/);
    }
  });
});
