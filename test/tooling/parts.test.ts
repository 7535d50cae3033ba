import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, expect, test } from "vitest";
import { PARTS, partsOfTests } from "../../scripts/_parts_table.ts";
import { ROOT, run } from "../../scripts/_project.ts";
import { needs, partPath } from "../parts.ts";

const before = { ...process.env };
afterEach(() => {
  process.env["PATH"] = before["PATH"];
  delete process.env["SION_MISSING_PARTS"];
});

test("needs() notes a missing part and what goes untested, and partPath() refuses it", () => {
  const folder = mkdtempSync(join(tmpdir(), "sion-parts-"));
  const file = join(folder, "missing");
  process.env["PATH"] = folder;
  process.env["SION_MISSING_PARTS"] = file;
  expect(needs("bubblewrap", "the sandbox")).toBe(false);
  expect(JSON.parse(readFileSync(file, "utf8")))
    .toEqual({ part: "bubblewrap", untested: "the sandbox" });
  expect(() => partPath("bubblewrap")).toThrow("Cannot use bubblewrap: it is not installed");
  rmSync(folder, { recursive: true });
});

test("partsOfTests() finds the parts that tests declare, in the table's order", () => {
  const names = partsOfTests().map((part) => part.name);
  expect(names).toContain("tmux");
  expect(names).toEqual(PARTS.map((part) => part.name).filter((name) => names.includes(name)));
});

test("scripts/parts --check tells of every part and installs none", async () => {
  const names = PARTS.map((part) => part.name);
  const { output } = await run([join(ROOT, "scripts/parts"), "--check", ...names]);
  const lines = output.trimEnd().split("\n");
  expect(lines.map((line) => line.split(" ")[0])).toEqual(names);
  for (const line of lines) expect(line).toMatch(/ {2,}(\/.+|missing \(Debian: .+; for .+\))$/);
});
