/** What the npm package keeps of what Node compiles, where, and that it does without. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { launcher } from "../../scripts/_build_npm.ts";
import { bundleModules } from "../../scripts/_bundle.ts";
import { run } from "../../scripts/_project.ts";

let folder = "";
let program = "";
let home = "";
let compiled = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-compiled-"));
  await bundleModules(join(folder, "lib"), "npm");
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  mkdirSync(join(folder, "bin"));
  program = join(folder, "bin/sion.js");
  writeFileSync(program, launcher("sion"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  home = mkdtempSync(join(folder, "home-"));
  compiled = join(home, "compiled");
});

/** Runs `sion --version`, which answers whatever is kept. */
async function version(...words: readonly string[]): Promise<void> {
  const { code, output } = await run([process.execPath, program, "--version", ...words], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: join(folder, "nobody"),
      SION_HOME: home,
      // That of a test run goes first.
      NODE_COMPILE_CACHE: "",
    },
  });
  expect(output).toMatch(/^sion \S+ \(\S+, npm\)\n$/);
  expect(code).toBe(0);
}

/** The files below a folder. */
function filesOf(at: string): string[] {
  if (!existsSync(at)) return [];
  const entries = readdirSync(at, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) =>
    join(entry.parentPath, entry.name)
  );
}

test("the npm package keeps what Node compiled in the home, and reads it", async () => {
  await version();
  const files = filesOf(compiled);
  expect(files.length).toBeGreaterThan(3);
  await version();
  expect(filesOf(compiled)).toEqual(files);
});

test("the npm package makes no home to keep it in, and none but the one that is named", async () => {
  rmSync(home, { recursive: true });
  await version();
  expect(existsSync(home)).toBe(false);
  mkdirSync(home);
  await version(`--home=${join(folder, "elsewhere")}`);
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ["a home that others may write", () => chmodSync(home, 0o777)],
  ["a folder that others may write", () => {
    mkdirSync(compiled);
    chmodSync(compiled, 0o775);
  }],
  ["a link in the folder's place", () => {
    mkdirSync(join(home, "behind"));
    symlinkSync(join(home, "behind"), compiled);
  }],
  ["a file in the folder's place", () => writeFileSync(compiled, "")],
])("the npm package keeps nothing in %s, and says nothing", async (_what, prepare) => {
  prepare();
  const before = filesOf(home);
  await version();
  expect(filesOf(home)).toEqual(before);
});

test("the npm package compiles again what is kept and is not whole, or of another bundle", async () => {
  await version();
  const [first = "", ...rest] = filesOf(compiled);
  writeFileSync(first, "");
  for (const file of rest) writeFileSync(file, "no code");
  await version();
  const [one = "", other = ""] = filesOf(compiled);
  cpSync(one, other);
  await version();
});

test("several programs of the npm package may keep the same at once", async () => {
  await Promise.all(Array.from({ length: 4 }, () => version()));
  await version();
});
