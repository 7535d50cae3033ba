/**
 * What the npm package reads until it answers. Each file costs a start as much as thirty kilobytes
 * of it do; these bounds hold whatever the machine does meanwhile.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GENESIS_ACCOUNTS } from "../../internal/client/genesis_names.ts";
import { bundleModules } from "../../scripts/_bundle.ts";
import { Origins } from "../../scripts/_direct_imports.ts";
import { ROOT, run } from "../../scripts/_project.ts";

/** Notes each module that is loaded, and each of the runtime's that is taken, in a file. */
const RECORDER = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
const take = process.getBuiltinModule;
process.getBuiltinModule = (name) => {
  appendFileSync(process.env.LOADED, name + "\\n");
  return take(name);
};
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  },
});`;

/** What the node of these tests says of itself. */
const STATUS = {
  active: true,
  active_validators: 4,
  anchors: 342,
  beacon: "45".repeat(32),
  certified_pulse: 202,
  chain: "63".repeat(32),
  chain_id: "sion-devnet-1",
  claims: 6,
  commitment: {
    config: "2d".repeat(32),
    knowledge_root: "5d".repeat(32),
    knowledge_size: 6,
    pulse: 202,
    state_root: "8c".repeat(32),
  },
  epoch: 0,
  epoch_end: 1000,
  executed: [40, 4, 1],
  forced_overdue: 0,
  forced_pending: 0,
  genesis: "30".repeat(32),
  insecure_signatures: false,
  objects: 85,
  proven_pulse: 202,
  pulse: 202,
  round: 814,
  session: 0,
  shards: 2,
  validator: "cd".repeat(32),
  validators: 4,
};

/** An agent of the devnet's alice. */
const AGENT = {
  id: "7b".repeat(32),
  kind: "identity",
  object: {
    account: GENESIS_ACCOUNTS.get("alice"),
    depth: 1,
    keyless: false,
    kind: "identity",
    name: "starter",
    own_standing: "good",
    parent: null,
    principal: "43".repeat(32),
    registered: 5,
    revoked: null,
    suspensions: [],
  },
};

let folder = "";
/** A node, and a model that takes no request. */
let node: Server;
let modelAsked = (): void => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-start-"));
  await bundleModules(join(folder, "lib"), "npm");
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "recorder.js"), RECORDER);
  node = createServer((request, response) => {
    request.resume().on("end", () => {
      const isModel = request.url === "/v1/messages";
      if (isModel) modelAsked();
      const isObjects = request.url?.startsWith("/rpc/objects") === true;
      response.writeHead(isModel ? 400 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(isObjects ? { objects: [AGENT], pulse: 202 } : STATUS));
    });
  });
  await new Promise<void>((done) => node.listen(0, "127.0.0.1", done));
});

afterAll(() => {
  node.closeAllConnections();
  node.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Loaded {
  /** Names of modules of the runtime. */
  readonly builtins: readonly string[];
  readonly files: readonly string[];
  readonly bytes: number;
}

/**
 * Runs a program of the package until its work is done.
 * @param work resolves when what counts has happened; standard input is then closed
 */
async function loadedBy(
  words: readonly string[],
  work: (child: ReturnType<typeof spawn>) => Promise<void> = () => Promise.resolve(),
): Promise<Loaded> {
  const [program = "", ...args] = words;
  const notes = join(folder, `loaded-${words.slice(0, 3).join("-")}`);
  writeFileSync(notes, "");
  const { port } = node.address() as AddressInfo;
  const child = spawn(
    process.execPath,
    ["--import", join(folder, "recorder.js"), join(folder, "lib", `${program}.js`), ...args],
    {
      env: {
        PATH: process.env["PATH"],
        LOADED: notes,
        SION_HOME: join(folder, "home"),
        SION_NODE: `http://127.0.0.1:${port}`,
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const ended = new Promise((resolve) => child.once("close", resolve));
  // Read on, whoever else does.
  child.stdout.resume();
  await work(child);
  const atOnce = readFileSync(notes, "utf8");
  child.stdin.end();
  await ended;
  const all = (work.length === 0 ? readFileSync(notes, "utf8") : atOnce).trim().split("\n");
  const files = all.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  return {
    builtins: all.filter((url) => url.startsWith("node:")),
    files,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
  };
}

/** A client's first words: the handshake and a call of `sion_status`, up to its answer. */
async function firstCall({ stdin, stdout }: ReturnType<typeof spawn>): Promise<void> {
  if (stdin === null || stdout === null) throw new Error("There are no pipes");
  const send = (message: object): unknown =>
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  });
  for await (const line of createInterface({ input: stdout })) {
    const { id, result } = JSON.parse(line) as { id: number; result: { isError?: boolean } };
    if (id === 1) {
      send({ id: 2, method: "tools/call", params: { name: "sion_status", arguments: {} } });
    } else {
      expect(result.isError, line).toBeUndefined();
      return;
    }
  }
  throw new Error("The server ended without an answer");
}

test.each([
  { words: ["sion", "mcp"], mostFiles: 12, mostBytes: 240_000 },
  { words: ["sion-mcp"], mostFiles: 9, mostBytes: 210_000 },
])(
  "$words reads at most $mostFiles files, of $mostBytes bytes, until its first tool's answer",
  async ({ words, mostFiles, mostBytes }) => {
    const { builtins, files, bytes } = await loadedBy(words, firstCall);
    expect(files.length).toBeGreaterThan(3);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(mostFiles);
    expect(bytes, files.map((file) => `${statSync(file).size} ${file}`).join("\n"))
      .toBeLessThanOrEqual(mostBytes);
    // Each of these takes Deno as long as a third of all those files.
    expect(builtins).not.toContain("node:crypto");
    expect(builtins).not.toContain("node:fs");
    expect(builtins).not.toContain("node:fs/promises");
  },
);

test.each([
  { words: ["sion", "--version"], mostFiles: 5, mostBytes: 60_000 },
  { words: ["sion", "--help"], mostFiles: 8, mostBytes: 90_000 },
  { words: ["sion", "status"], mostFiles: 12, mostBytes: 140_000 },
])(
  "$words reads at most $mostFiles files, of $mostBytes bytes",
  async ({ words, mostFiles, mostBytes }) => {
    const { files, bytes } = await loadedBy(words);
    expect(files.length).toBeGreaterThan(1);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(mostFiles);
    expect(bytes, files.join("\n")).toBeLessThanOrEqual(mostBytes);
  },
);

test("sion agent run reads at most 59 files, of 980000 bytes, until its first request", async () => {
  const asked = new Promise<void>((done) => (modelAsked = done));
  const run = ["agent", "run", "alice", "starter", "--task", "Hi.", "--model", "anthropic:m"];
  const { builtins, files, bytes } = await loadedBy(["sion", ...run], (_child) => asked);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(59);
  expect(bytes, files.map((file) => `${statSync(file).size} ${file}`).join("\n"))
    .toBeLessThanOrEqual(980_000);
  // Their modules take Node as long as a third of all those files; so does `fetch`.
  expect(builtins).not.toContain("node:http");
  expect(builtins).not.toContain("node:tls");
});

test("parts take the runtime's modules without having each of their names looked at", async () => {
  const parts = join(folder, "lib/parts");
  const texts = readdirSync(parts).map((name) => readFileSync(join(parts, name), "utf8"));
  expect(texts.filter((text) => /\bfrom"node:/.test(text))).toEqual([]);
  expect(texts.some((text) => text.includes('getBuiltinModule("node:fs")'))).toBe(true);
  const { builtins } = await loadedBy(["sion", "--version"]);
  expect(builtins).toContain("node:path");
});

/** What `deno info --json` prints, as far as it matters here. */
interface DenoGraph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly { readonly code?: { readonly specifier?: string } }[];
  }[];
}

test("Deno reads no other command from source before it starts, and no node for an agent", async () => {
  const readFor = async (file: string): Promise<readonly string[]> => {
    const { output } = await run(["deno", "info", "--json", join(ROOT, file)]);
    const { roots, modules } = JSON.parse(output.slice(output.indexOf("{"))) as DenoGraph;
    const known = new Map(modules.map((module) => [module.specifier, module]));
    const read = new Set(roots);
    // What is only a type is read by no program.
    for (const file of read) {
      for (const { code } of known.get(file)?.dependencies ?? []) {
        if (code?.specifier !== undefined) read.add(code.specifier);
      }
    }
    const root = pathToFileURL(`${ROOT}/`).href;
    return [...read].map((file) => file.replace(root, ""));
  };
  const main = await readFor("cmd/sion/main.ts");
  expect(main).toContain("internal/cli/commands/mod.ts");
  expect(main.filter((file) => /^internal\/cli\/commands\/[a-ln-z]/.test(file))).toEqual([]);
  const agent = await readFor("internal/cli/commands/agent_run.ts");
  expect(agent).toContain("internal/agent/loop.ts");
  for (const unit of ["consensus", "explore", "gateway", "node", "proofs"]) {
    expect(agent.filter((file) => file.startsWith(`internal/${unit}/`))).toEqual([]);
  }
});

test("Origins.direct() imports what is needed later from its file, of units of many", () => {
  const store = (name: string): string => JSON.stringify(join(ROOT, "internal/store", name));
  const direct = (source: string): string =>
    new Origins().direct(source, join(ROOT, "internal/client/some.ts"));
  const importing = (names: string, from = "#internal/store/mod.ts"): string =>
    `const { ${names} } = await import(${JSON.stringify(from)});`;
  expect(direct(importing("openWallets"))).toBe(
    `const { openWallets: openWallets } = await import(${store("wallets.ts")});`,
  );
  // Names of two files, a name that there is not, and a unit whose files belong together.
  for (
    const whole of [
      importing("openWallets, openClientState"),
      importing("nothingOfThisName"),
      importing("accountId", "#internal/ledger/mod.ts"),
    ]
  ) expect(direct(whole)).toBe(whole);
});

test("Origins.direct() imports each name from the file that makes it, on the lines it had", () => {
  const core = (name: string): string => JSON.stringify(join(ROOT, "internal/core", name));
  const source = [
    "import {",
    "  formatUsd as shown,",
    "  type JsonValue,",
    "  SionError,",
    '} from "#internal/core/mod.ts";',
    'import type { Client } from "#internal/client/mod.ts";',
    'import { nothingOfThisName } from "#internal/core/mod.ts";',
    "after();",
  ].join("\n");
  const direct = new Origins().direct(source, join(ROOT, "internal/cli/some.ts"));
  expect(direct.split("\n")).toEqual([
    `import { formatUsd as shown } from ${core("amounts.ts")}; ` +
    `import { SionError as SionError } from ${core("errors.ts")};`,
    "",
    "",
    "",
    "",
    ...source.split("\n").slice(5),
  ]);
});
