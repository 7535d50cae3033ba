/** `sion agent run` with vendors' models, as a program on a devnet; the models are the stand-in. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StandIn } from "../agent/_stand_in.ts";
import { standInOf } from "../agent/_stand_in.ts";
import { programCommand } from "../programs.ts";
import type { Child, Ended } from "./_child.ts";
import { runWith, signalTo, start } from "./_child.ts";

const KEPT_KEY = "sk-kept-0123456789abcdef";
const TASK = ["agent", "run", "coder", "coder", "--task", "How much is left?"];
const BALANCE = { tool: "ledger_balance", json: "{}" };

let folder = "";
let home = "";
let devnet: Child;
let node = "";

/** A command line of this test's home and node, with the stand-in for every vendor and no key. */
function command(
  server: StandIn,
  env: readonly string[],
  ...words: string[]
): [string, ...string[]] {
  const without = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_API"].flatMap((n) => ["-u", n]);
  const urls = [`ANTHROPIC_BASE_URL=${server.url}`, `OPENAI_BASE_URL=${server.url}/v1`];
  const program = [...programCommand("sion"), ...words, "--home", home, "--node", node];
  return ["env", ...without, ...urls, ...env, ...program];
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", [...programCommand("sion"), ...words, "--home", home, "--node", node]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-agent-models-"));
  home = join(folder, "home");
  const words = ["devnet", "--dir", join(folder, "devnet"), "--listen", "127.0.0.1:0"];
  devnet = start([...programCommand("sion"), ...words, "--insecure-signatures", "--json"]);
  await devnet.until(() => devnet.stdout().includes("\n"));
  node = (JSON.parse(devnet.stdout()) as { node: string }).node;
  expect((await sion("agent", "create", "alice", "coder", "--budget", "10")).code).toBe(0);
});

afterAll(async () => {
  devnet.process.kill("SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion agent run --model anthropic:<model>", () => {
  test("says which key is missing and how to keep it, before a session is made [A-640 A-033]", async () => {
    const server = await standInOf([{ say: "x" }]);
    const words = [...TASK, "--model", "anthropic:claude-sonnet-5"];
    const ran = await runWith(
      "",
      [
        "env",
        "-u",
        "ANTHROPIC_API_KEY",
        "-u",
        "ANTHROPIC_BASE_URL",
        ...programCommand("sion"),
        ...words,
        "--home",
        home,
        "--node",
        node,
      ],
    );
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toBe(
      "error: model anthropic:claude-sonnet-5 needs ANTHROPIC_API_KEY: keep it with " +
        "`sion agent credential add ANTHROPIC_API_KEY`\n",
    );
    expect(server.taken).toEqual([]);
  });

  test("runs with a kept key, which nothing shows, and a first request of 10 kB at most [A-275 A-595 A-640]", async () => {
    const kept = await runWith(
      `${KEPT_KEY}\n`,
      [
        ...programCommand("sion"),
        "agent",
        "credential",
        "add",
        "ANTHROPIC_API_KEY",
        "--home",
        home,
      ],
    );
    expect(kept.code).toBe(0);
    const server = await standInOf([
      { think: "Let me see.", say: "I look.", calls: [BALANCE] },
      { say: `10 USD. Your key is ${KEPT_KEY}.` },
    ]);
    const ran = await runWith(
      "",
      command(server, [], ...TASK, "--model", "anthropic:claude-sonnet-5?effort=high"),
    );
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^session [0-9a-f]{16} for agent/);
    expect(ran.stdout).toContain("\nagent: I look.\n → ledger_balance {}\n ← ");
    expect(ran.stdout).toMatch(/\nsession [0-9a-f]{16}: done\n$/);
    expect(ran.stdout).not.toContain(KEPT_KEY);
    expect(server.taken[0]?.headers.authorization).toBe(`Bearer ${KEPT_KEY}`);
    expect(server.taken[0]?.bytes).toBeLessThanOrEqual(10_000);
  });

  test("closes the connection at Ctrl-C, keeps the session, and goes on with it [A-640]", async () => {
    const much = "I will say much. ".repeat(100);
    const server = await standInOf([
      { say: much, cut: { after: 6_000, how: "hang" } },
      { say: "That was all." },
    ]);
    const env = ["ANTHROPIC_API_KEY=sk-env"];
    const child = start(
      command(server, env, ...TASK, "--model", "anthropic:claude-sonnet-5", "--json"),
    );
    await child.until(() => child.stdout().includes("I will"));
    signalTo(child, "SIGINT");
    await server.taken[0]?.hungUp;
    const { code, stdout } = await child.ended;
    expect(code).toBe(130);
    const session = /"session":"([0-9a-f]{16})"/.exec(stdout)?.[1] ?? "";
    const later = await runWith("", command(server, env, "agent", "continue", session));
    expect(later).toMatchObject({ code: 0 });
    expect(later.stdout).toContain("agent: That was all.");
  });
});

describe("sion agent run --model openai:<model>", () => {
  test.each([
    ["responses", "/v1/responses"],
    ["chat", "/v1/chat/completions"],
  ])(
    "runs by %s, and by the next model when one takes no key [A-591 A-640 A-641]",
    async (api, path) => {
      const server = await standInOf([
        { status: 401 },
        { say: "I look.", calls: [BALANCE] },
        { say: "10 USD." },
      ]);
      const models = ["openai:gpt-5.5", "openai:gpt-5.4"].flatMap((name) => ["--model", name]);
      const env = [`OPENAI_API=${api}`, "OPENAI_API_KEY=sk-env"];
      const ran = await runWith("", command(server, env, ...TASK, ...models));
      expect(ran.code).toBe(0);
      expect(ran.stdout).toContain(
        "openai:gpt-5.5 does not take the key (401): as planned; asking openai:gpt-5.4\n",
      );
      expect(ran.stdout).toContain("\nagent: 10 USD.\n");
      expect(server.taken.map((taken) => [taken.path, taken.body.model])).toEqual([
        [path, "gpt-5.5"],
        [path, "gpt-5.4"],
        [path, "gpt-5.4"],
      ]);
    },
  );
});
