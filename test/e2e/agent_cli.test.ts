/** `sion agent run`, `continue` and `trace` as programs, on a devnet that is a program too. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programCommand } from "../programs.ts";
import { runWith, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

const PAY_BOB = 'ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"}';

let folder = "";
let home = "";
let devnet: Child;
let node = "";
let agent = "";

/** A command line of this test's home and node. */
function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", home, "--node", node];
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", command(...words));
}

function script(name: string, turns: readonly object[]): string {
  writeFileSync(join(folder, name), JSON.stringify(turns));
  return `script:${join(folder, name)}`;
}

async function bobHas(): Promise<number> {
  const { stdout } = await sion("balance", "bob", "--json");
  const value = JSON.parse(stdout) as { balances: { amount: string }[] };
  return Number(value.balances[0]?.amount);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-agent-cli-"));
  home = join(folder, "home");
  mkdirSync(join(folder, "work"));
  devnet = start([
    ...programCommand("sion"),
    "devnet",
    "--dir",
    join(folder, "devnet"),
    "--listen",
    "127.0.0.1:0",
    "--insecure-signatures",
    "--json",
  ]);
  await devnet.until(() => devnet.stdout().includes("\n"));
  node = (JSON.parse(devnet.stdout()) as { node: string }).node;
  const words = ["agent", "create", "alice", "coder", "--budget", "10", "--payee", "bob"];
  const created = await sion(...words, "--json");
  expect(created.code).toBe(0);
  agent = (JSON.parse(created.stdout) as { agent: string }).agent;
});

afterAll(async () => {
  devnet.process.kill("SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion agent run", () => {
  test("takes its options in any order and prints the transcript [A-014 A-017 A-018 A-020 A-021 A-022 A-024 A-029]", async () => {
    const turns = [
      { calls: [{ tool: "write_file", input: { path: "note.txt", content: "Hello.\n" } }] },
      { calls: [{ tool: "read_file", input: { path: "note.txt" } }] },
      { say: "The note says hello." },
    ];
    const model = script("files.json", turns);
    const options = [
      ["--autonomy", "L3", "--workspace", join(folder, "work"), "--model", model, "--task", "Go."],
      ["--task", "Go.", "--model", model, "--workspace", join(folder, "work"), "--autonomy", "L3"],
    ];
    for (const words of options) {
      const ran = await sion("agent", "run", "coder", agent, ...words);
      const session = /^session ([0-9a-f]{16}) for agent/.exec(ran.stdout)?.[1];
      expect(ran.code).toBe(0);
      expect(ran.stdout).toBe(
        `session ${session} for agent ${agent.slice(0, 8)}\n` +
          ' → write_file {"content":"Hello.\\n","path":"note.txt"}\n' +
          " ← wrote 7 bytes to note.txt\n" +
          ' → read_file {"path":"note.txt"}\n' +
          " ← 1\tHello.\n" +
          "agent: The note says hello.\n" +
          `session ${session}: done\n`,
      );
    }
  });

  test("prints a start-up error on stderr and exits with 1, with no session [A-032 A-033 A-136]", async () => {
    const model = script("say.json", [{ say: "Hi." }]);
    const run = (...words: string[]) =>
      sion("agent", "run", "coder", agent, "--task", "x", ...words);
    expect(await run("--model", model, "--workspace", home)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `error: the workspace ${home} and ${home} (wallets, sessions, skills) overlap: ` +
        "give a workspace apart from it\n",
    });
    writeFileSync(join(folder, "bad.json"), '[{"says": "Hi."}]');
    const bad = await run("--model", `script:${join(folder, "bad.json")}`);
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(bad.stderr).toMatch(
      /^error: .*bad\.json is no script: turn 1: Unrecognized key: "says"/,
    );
  });

  test("exits with 7 when its script has no turn left [A-638]", async () => {
    const model = script("short.json", [{ calls: [{ tool: "ledger_balance" }] }]);
    const ran = await sion("agent", "run", "coder", agent, "--task", "x", "--model", model);
    expect(ran.code).toBe(7);
    expect(ran.stderr).toMatch(
      /error: session [0-9a-f]{16} stopped: the script short\.json has no turn 2 \(its 1 turn was played\): go on with `sion agent continue [0-9a-f]{16}`\n$/,
    );
  });

  test("prints one object a line with --json", async () => {
    const model = script("json.json", [{ calls: [{ tool: "ledger_balance" }] }, { say: "Ten." }]);
    const words = ["--task", "x", "--model", model, "--json"];
    const ran = await sion("agent", "run", "coder", agent, ...words);
    const events = ran.stdout.trimEnd().split("\n").map((line) =>
      JSON.parse(line) as Record<string, unknown>
    );
    expect(events.map(({ event, state }) => [event, state])).toEqual([
      ["session", undefined],
      ["tool", "calling"],
      ["tool", "running"],
      ["tool", "ok"],
      ["delta", undefined],
      ["done", undefined],
    ]);
    expect(events.at(-1)).toMatchObject({ said: "Ten.", files: [] });
  });
});

describe("sion agent continue", () => {
  const turns = [
    { calls: [{ tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } }] },
    { say: "Paid bob 1 USD for invoice 7." },
  ];

  test.each([
    "",
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
  ])(
    "answers by --output-schema, of %j too",
    async ($schema) => {
      const schema = join(folder, "schema.json");
      const form = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
      writeFileSync(schema, JSON.stringify($schema === "" ? form : { $schema, ...form }));
      const model = script("form.json", [{ say: "three" }, { say: '{"n":3}' }]);
      const words = ["--task", "Count.", "--model", model, "--output-schema", schema, "--json"];
      const ran = await sion("agent", "run", "coder", agent, ...words);
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(ran.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
        event: "done",
        value: { n: 3 },
      });
    },
  );

  test("approves what waits, and the trace tells how the payment came about [A-036 A-570 A-571 A-572 A-576 A-577 A-633]", async () => {
    const model = script("pay.json", turns);
    const words = ["--task", "Pay bob.", "--model", model, "--autonomy", "L5"];
    const ran = await sion("agent", "run", "coder", agent, ...words);
    expect(ran.code).toBe(5);
    const [, session = "", request = ""] =
      /^session ([0-9a-f]{16}): .*request ([0-9a-f]{8})\)/m.exec(ran.stdout) ?? [];
    expect(ran.stdout).toBe(
      `session ${session} for agent ${agent.slice(0, 8)}\n → ${PAY_BOB}\n` +
        " ← waiting for a person's approval\n" +
        `session ${session}: waiting for you: ${PAY_BOB} (spending at autonomy L5; request ` +
        `${request}). Answer with \`sion agent continue ${session} --approve\` or ` +
        "`--decline <why>`.\n",
    );
    const approved = await sion("agent", "continue", session, "--approve");
    expect(approved.code).toBe(0);
    expect(approved.stdout).toMatch(
      new RegExp(
        `^session ${session} for agent ${agent.slice(0, 8)}\n` +
          " → ledger_pay \\{[^\n]*\\} \\(approved by cli:[^\n)]+\\)\n" +
          " ← Pulse \\d+: Done: agent paid 1 USD to bob \\(receipt claim [0-9a-f]{8}\\); " +
          "fee 0\\.0012 USD\\. Transaction [0-9a-f]{64}\\.\n" +
          "agent: Paid bob 1 USD for invoice 7\\.\n" +
          `session ${session}: done\n$`,
      ),
    );
    const looking = ["agent", "trace", session, "--json", "--home", home];
    const trace = await runWith("", [...programCommand("sion"), ...looking]);
    expect(JSON.parse(trace.stdout)).toMatchObject({
      agent,
      session,
      payments: [{
        approved_by: expect.stringMatching(/^cli:/),
        message: "Pay bob.",
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
        turn: 1,
      }],
    });
  });

  test("lists the sessions and finds one by its words [A-594]", async () => {
    const model = script("listed.json", [{ say: "The swallow is unladen." }]);
    const ran = await sion("agent", "run", "coder", agent, "--task", "How fast?", "--model", model);
    const session = /^session ([0-9a-f]{16})/.exec(ran.stdout)?.[1] ?? "";
    const looking = (...words: string[]) =>
      runWith("", [...programCommand("sion"), "agent", "sessions", ...words, "--home", home]);
    expect((await looking("--limit", "1")).stdout).toMatch(
      new RegExp(`^${session} \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\dZ done ${agent} How fast\\?\n$`),
    );
    const found = await looking("--search", "SWALLOW", "--json");
    expect(JSON.parse(found.stdout)).toMatchObject([
      { session, standing: "done", excerpt: "The swallow is unladen." },
    ]);
    expect(await looking("--search", " ")).toMatchObject({
      code: 1,
      stderr: "error: there is nothing to search for: give a word that was said\n",
    });
  });

  test("declines with a reason [A-573 A-578]", async () => {
    const model = script("decline.json", turns);
    const words = ["--task", "Pay bob.", "--model", model, "--autonomy", "L5"];
    const ran = await sion("agent", "run", "coder", agent, ...words);
    const session = /^session ([0-9a-f]{16})/.exec(ran.stdout)?.[1] ?? "";
    const before = await bobHas();
    const declined = await sion("agent", "continue", session, "--decline", "not now");
    expect(declined.code).toBe(0);
    expect(declined.stdout).toMatch(/ ✗ declined by cli:[^\n]+: not now\n/);
    expect(await bobHas()).toBe(before);
  });

  test("pays once when the run was killed while it paid [A-067 A-068 A-635]", async () => {
    const model = script("killed.json", turns);
    const words = ["--task", "Pay bob.", "--model", model, "--autonomy", "L6", "--json"];
    const before = await bobHas();
    const running = start(command("agent", "run", "coder", agent, ...words));
    await running.until(() => running.stdout().includes('"state":"running"'));
    running.process.kill("SIGKILL");
    expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
    const session = /"session":"([0-9a-f]{16})"/.exec(running.stdout())?.[1] ?? "";
    const continued = await sion("agent", "continue", session);
    expect(continued.code).toBe(0);
    expect(continued.stdout).toMatch(new RegExp(`session ${session}: done\n$`));
    expect(await bobHas()).toBe(before + 1);
    const again = await sion("agent", "continue", session);
    expect(again).toMatchObject({ code: 0, stdout: `session ${session}: done\n` });
    expect(await bobHas()).toBe(before + 1);
  });
});
