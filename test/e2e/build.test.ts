/** What `scripts/build` makes, installed and run as its users do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../scripts/_project.ts";
import { REPOSITORY } from "../programs.ts";

const LIMIT_MS = 240_000;

const VERSION = (JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
  readonly version: string;
}).version;
const EXECUTABLE = join(REPOSITORY, "dist/standalone/sion-node");
const PACKAGE = join(REPOSITORY, "dist/npm");

let folder = "";
let built = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-build-"));
  // The base for Deno's executable is fetched; any program there is lets the embedding itself run.
  const env = { DENORT_BIN: denoProgram() };
  const { code, output } = await run([join(REPOSITORY, "scripts/build"), "all"], { env });
  expect(code, output).toBe(0);
  built = output;
}, LIMIT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function denoProgram(): string {
  const folder = join(REPOSITORY, "node_modules/@deno");
  return readdirSync(folder).map((name) => join(folder, name, "deno")).find(existsSync) ?? "";
}

const place = () => ({ SION_HOME: join(folder, "home") });

test("scripts/build makes the package and the executables, and says where", () => {
  expect(built).toMatch(/^npm package: .*\/dist\/sion-[\d.]+\.tgz \([\d.]+ MB\)$/m);
  for (const name of ["sion", "sion-gateway"]) {
    for (const runtime of ["Node", "Deno"]) {
      expect(built).toMatch(
        new RegExp(
          `^single executable by ${runtime}: .*/${name}-${runtime.toLowerCase()} \\(\\d+\\.\\d MB\\)$`,
          "m",
        ),
      );
    }
  }
});

test("the Node single executable says its version and where it is from, that of sion-gateway too", async () => {
  const { code, output } = await run([EXECUTABLE, "--version"], { env: place() });
  expect(output).toBe(`sion ${VERSION} (${process.platform}-${process.arch}, binary)\n`);
  expect(code).toBe(0);
  const gateway = await run([EXECUTABLE.replace(/-node$/, "-gateway-node"), "--version"]);
  expect(gateway.output).toMatch(/^sion-gateway .*, binary\)\n$/);
});

test(
  "the Node single executable runs a devnet, whose validators are threads of it, and pays",
  async () => {
    const dir = join(folder, "devnet");
    const devnet = spawn(
      EXECUTABLE,
      ["devnet", "--dir", dir, "--listen", "127.0.0.1:0", "--json"],
      {
        cwd: folder,
        env: { ...process.env, ...place() },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    try {
      const [line] = await once(createInterface({ input: devnet.stdout }), "line") as [string];
      const { node } = JSON.parse(line) as { readonly node: string };
      const paid = await run([EXECUTABLE, "pay", "alice", "bob", "1.5", "--node", node, "--json"], {
        cwd: folder,
        env: place(),
      });
      expect(paid.code, paid.output).toBe(0);
      expect(JSON.parse(paid.stdout)).toMatchObject({ status: "Success" });
    } finally {
      devnet.kill("SIGINT");
    }
    expect((await once(devnet, "exit"))[0]).toBe(0);
  },
  LIMIT_MS,
);

test("the npm package installs from its tarball without scripts and runs", async () => {
  const tarball = join(REPOSITORY, `dist/sion-${VERSION}.tgz`);
  const prefix = join(folder, "prefix");
  const npm = ["npm", "install", "--global", "--prefix", prefix, "--offline", "--ignore-scripts"];
  const installed = await run([...npm, tarball], { cwd: folder });
  expect(installed.code, installed.output).toBe(0);
  const { code, output } = await run([join(prefix, "bin/sion"), "--version"], { env: place() });
  const version = `sion ${VERSION} (${process.platform}-${process.arch}, npm)\n`;
  expect(output).toBe(version);
  expect(code).toBe(0);
  // What an AI client is given starts it as well: npm's link, by the Node that runs here.
  const words = ["mcp", "install", "cursor", "--dry-run", "--json"];
  const shown = await run([join(prefix, "bin/sion"), ...words], { env: place() });
  const { change } = JSON.parse(shown.stdout) as { readonly change: readonly string[] };
  const { mcpServers: { sion } } = JSON.parse(change.map((line) => line.slice(2)).join("")) as {
    readonly mcpServers: { readonly sion: { readonly command: string; readonly args: string[] } };
  };
  expect(sion.args).toEqual([join(prefix, "bin/sion"), "mcp"]);
  const started = await run([sion.command, ...sion.args.slice(0, -1), "--version"], {
    env: place(),
  });
  expect(started.output).toBe(version);
}, LIMIT_MS);

test("the npm package has no install scripts and no dependencies to fetch", () => {
  const manifest = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("scripts");
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).toMatchObject({ version: VERSION, engines: { node: ">=24" } });
  const example = "examples/mcp-notes/notes-server.py";
  for (const name of ["LICENSE", "README.md", "bin/sion.js", "bin/sion-gateway.js", example]) {
    expect(existsSync(join(PACKAGE, name)), name).toBe(true);
  }
});

test("the npm package's parts are read when they are used, by Deno too", () => {
  const parts = readdirSync(join(PACKAGE, "lib"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => readFileSync(join(PACKAGE, "lib", file), "utf8"));
  // What stands between the brackets as a text alone is read before the start.
  expect(parts.filter((text) => /\bimport\("\./.test(text))).toEqual([]);
  expect(parts.filter((text) => text.includes('import((0,"./')).length).toBeGreaterThan(5);
});

test("the npm package's programs say in one line that Node is too old", async () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
  const launcher = join(PACKAGE, "bin/sion.js");
  const { code, output } = await run([
    process.execPath,
    "--import",
    `data:text/javascript,${encodeURIComponent(older)}`,
    launcher,
    "--version",
  ]);
  expect(output).toBe(
    "error: sion needs Node 24, this is 20.20.2: install it, or use the single binary\n",
  );
  expect(code).toBe(1);
});

test("the npm package's `sion` chooses malloc's one arena before Node starts, for busy commands only", async () => {
  const path = mkdtempSync(join(folder, "path-"));
  const shown = '#!/bin/sh\necho "${MALLOC_ARENA_MAX-none} $*"\n';
  writeFileSync(join(path, "node"), shown, { mode: 0o755 });
  const launcher = join(PACKAGE, "bin/sion.js");
  const launched = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    (await run([launcher, ...words], {
      env: { ...env, PATH: `${path}:${process.env["PATH"] ?? ""}` },
    })).output;
  expect(await launched(["devnet", "--dir", "a b"])).toBe(`1 ${launcher} devnet --dir a b\n`);
  expect(await launched(["node"])).toBe(`1 ${launcher} node\n`);
  expect(await launched(["pay", "*"])).toBe(`none ${launcher} pay *\n`);
  expect(await launched([])).toBe(`none ${launcher}\n`);
  expect(await launched(["devnet"], { MALLOC_ARENA_MAX: "4" })).toBe(`4 ${launcher} devnet\n`);
});

test("the npm package reads a CommonJS module that it loads late by its whole, as a bundle has no names of it", () => {
  const parts = join(PACKAGE, "lib/parts");
  const texts = new Map(
    readdirSync(parts).map((name) => [name, readFileSync(join(parts, name), "utf8")]),
  );
  const late = [...texts].filter(([, text]) => /export default require_\w*\(\);\s*$/.test(text))
    .map(([name]) => name);
  expect(late).not.toEqual([]);
  for (const name of late) {
    const loads = [...texts.values()].flatMap((text) => text.split(`"./${name}"`).slice(1));
    expect(loads, name).not.toEqual([]);
    for (const after of loads) expect(after, name).toMatch(/^\)+\.default\b/);
  }
});
