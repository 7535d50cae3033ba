/** `sion agent talk` in plain lines, against the real ledger behind a fake node. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it, onTestFinished } from "vitest";
import { useBench } from "./bench.ts";
import type { Ran } from "./bench.ts";

const PAY_BOB = {
  calls: [{ tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } }],
};

describe("sion agent talk", () => {
  const bench = useBench();
  let agent = "";

  /** Talks in a home in which the agent is made when it is first talked to. */
  async function talk(turns: object[], lines: string, ...words: string[]): Promise<Ran> {
    if (!(await bench.sion("agent", "list", "--json")).stdout.includes('"coder"')) {
      const made = await bench.sion(
        "agent",
        "create",
        "alice",
        "coder",
        "--budget",
        "10",
        "--json",
      );
      agent = (made.json() as { agent: string }).agent;
    }
    writeFileSync(join(bench.home, "s.json"), JSON.stringify(turns));
    const model = `script:${join(bench.home, "s.json")}`;
    const given = ["coder", agent.slice(0, 8), "--model", model, "--autonomy", "L5", ...words];
    return await bench.sionIn({ stdin: lines }, "agent", "talk", ...given);
  }

  const sessionIn = (stderr: string) => /session ([0-9a-f]{16}): kept/.exec(stderr)?.[1] ?? "";

  it("answers each line of a pipe, and says how to go on [A-599 A-634]", async () => {
    const turns = [{ say: "One." }, { say: "Two." }, { say: "Three." }];
    const first = await talk(turns, "Hello.\n\nAnd then?\r\n");
    const session = sessionIn(first.stderr);
    expect(first.stdout).toBe(
      `session ${session} for agent ${agent.slice(0, 8)}\nagent: One.\nagent: Two.\n`,
    );
    expect(first.stderr).toBe(
      `session ${session}: kept. Go on with \`sion agent talk coder ${agent.slice(0, 8)}\`\n`,
    );
    expect(first.code).toBe(0);
    const second = await talk(turns, "Go on.");
    expect(second.stdout).toBe(
      `session ${session} for agent ${agent.slice(0, 8)}\nagent: Three.\n`,
    );
  });

  it("is left by /quit or /exit, and what follows is not taken [A-634]", async () => {
    const turns = [{ say: "One." }, { say: "Two." }];
    for (const leave of ["/quit", "/EXIT "]) {
      const { stdout, stderr, code } = await talk(turns, `Hello.\n${leave}\nAnd then?\n`, "--new");
      expect(stdout).toMatch(/agent: One\.\n$/);
      expect(stderr).toContain(": kept. Go on with `sion agent talk coder ");
      expect(code).toBe(0);
    }
  });

  it("takes approvals and commands as words [A-600 A-576 C-013 C-056]", async () => {
    const { stdout, stderr, code } = await talk(
      [PAY_BOB, { say: "Paid." }],
      "Pay bob.\n/status\n/approve 00000000\n/approve\n/usage\n",
    );
    const lines = stdout.split("\n");
    const request = /request ([0-9a-f]{8})/.exec(stdout)?.[1];
    expect(lines.slice(1, 7)).toEqual([
      ' → ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"}',
      " ← waiting for a person's approval",
      'waiting for you: ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"} ' +
      `(spending at autonomy L5; request ${request})`,
      "  Pay 1 USD to bob for invoice 7. Fee 0.0012 USD.",
      "  nobody named bob and 1 USD here; the charter allows anyone; 10 USD left",
      "  /approve   /decline <why>",
    ]);
    expect(lines[7]).toMatch(/^waiting for your approval: ledger_pay/);
    expect(stdout).toMatch(/\n → ledger_pay .* \(approved by cli:[^)]+\)\n ← Pulse \d+: Done: /);
    expect(stdout).toMatch(/\nagent: Paid\.\n1 message, 2 turns, /);
    expect(stderr).toContain("error: request 00000000 no longer waits: nothing was done\n");
    // What was said before is what was paid.
    expect(stdout).toContain("; fee 0.0012 USD. Transaction ");
    expect(code).toBe(0);
  });

  it("shows at a terminal, in plain lines, what waits, and takes a number for an answer [A-600]", async () => {
    expect((await talk([PAY_BOB, { say: "Paid." }], "Pay bob.\n")).code).toBe(5);
    const plain = (stdin: string) =>
      bench.sionIn({ stdin, tty: true }, "agent", "talk", "coder", agent.slice(0, 8), "--plain");
    const declined = await plain("2 not yet\n");
    expect(declined.stderr).toContain(" goes on; /new starts another\n");
    expect(declined.stdout).toContain(
      "\n  1        make this call, once\n  2 <why>  do not make it; the agent is told why\n",
    );
    expect(declined.stdout).toMatch(/^waiting for you: ledger_pay .*\n {2}Pay 1 USD to bob for /);
    expect(declined.stdout).toMatch(
      /\n.{0,5}calls ledger_pay .*\n.{0,5}failed declined by \S+ not/,
    );
    expect(declined.stdout).not.toMatch(/[→←✗]/);
    // Without a question a number is what it is.
    expect((await plain("1\n")).stderr).not.toContain("no longer waits");
  });

  it("ends with 5 when a call still waits, and with 7 when the run stopped", async () => {
    expect((await talk([PAY_BOB], "Pay bob.\n")).code).toBe(5);
    expect((await talk([PAY_BOB], "/decline no\n")).code).toBe(7);
  });

  it("ends with 1 when the last line was refused, so that a pipe is not told all went well", async () => {
    expect(await talk([{ say: "One." }], "Hello.\n/undoo\n")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error: there is no command /undoo, did you mean /undo"),
    });
    expect((await talk([], "/undoo\n/help\n")).code).toBe(0);
  });

  it("sends files with a message: --file with the first, /file with the next [A-599]", async () => {
    writeFileSync(join(bench.home, "a.txt"), "one");
    writeFileSync(join(bench.home, "b c.txt"), "two");
    const work = join(bench.home, "..", "work");
    mkdirSync(work, { recursive: true });
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const given = ["--workspace", work, "--file", "a.txt"];
    const turns = [{ say: "One." }, { say: "Two." }];
    const lines = "See.\n/file b c.txt\n/status\nAnd this.\n/file none.txt\n";
    const { stdout, stderr, code } = await talk(turns, lines, ...given);
    expect(stdout).toContain("agent: Two.\n");
    expect(readdirSync(join(work, "inbox")).sort()).toEqual(["a.txt", "b c.txt"]);
    expect(stderr).toContain("b c.txt goes with the next message\n");
    expect(stderr).toContain("error: there is no file none.txt: give another\n");
    expect(code).toBe(1);
    const none = await talk(turns, "Go.\n", "--new", "--file", "none.txt");
    expect([none.code, none.stderr]).toEqual([
      1,
      "error: there is no file none.txt: give another\n",
    ]);
    expect((await talk([], "/\n")).stdout).toMatch(/\n\/file <path> {2}sends a file/);
  });

  it("starts anew with --new, and goes back with --resume, chosen or named", async () => {
    const turns = [{ say: "One." }, { say: "Two." }];
    const first = sessionIn((await talk(turns, "Hello.\n")).stderr);
    const second = sessionIn((await talk(turns, "Good day.\n", "--new")).stderr);
    expect(second).not.toBe(first);
    const chosen = await talk(turns, "9\n2\nMore.\n", "--resume");
    expect(chosen.stderr).toMatch(
      new RegExp(
        `^1 ${second} done Good day\\.\n2 ${first} done Hello\\.\n` +
          "which one\\? A number, or nothing for a new session\ngive a number from 1 to 2\n",
      ),
    );
    expect(sessionIn(chosen.stderr)).toBe(first);
    expect(chosen.stdout).toContain("agent: Two.\n");
    const named = await talk(turns, "/status\n", "--resume", second.slice(0, 12));
    expect(named.stdout).toMatch(new RegExp(`^One\\.\nsession ${second} for agent `));
    const nowhere = await talk(turns, "", "--resume", "0000000000000000");
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("no session 0000") });
    expect(await talk(turns, "", "--new", "--resume")).toMatchObject({
      code: 1,
      stderr: "error: --new and --resume exclude each other: give one\n",
    });
  });

  it("takes lines that go on, and refuses what is no text or too long", async () => {
    const turns = [{ say: "One." }];
    const { stdout } = await talk(turns, "One\\\ntwo\\\nthree\n/sessions\n");
    expect(stdout).toMatch(/\* [0-9a-f]{16} \S+ \S+ done One\n$/);
    expect((await talk(turns, `${"x".repeat(1_000_001)}\n`)).stderr)
      .toMatch(/^error: a line of standard input has more than 1000000 bytes/);
    const bytes = Uint8Array.of(0xff, 0x0a);
    const bad = await bench.sionIn(
      { stdin: bytes },
      ...["agent", "talk", "coder", agent, "--model", `script:${join(bench.home, "s.json")}`],
    );
    expect(bad.stderr).toMatch(/^error: a line of standard input is no UTF-8 text/);
  });

  it("prints an object a line with --json, replies among them", async () => {
    const { stdout } = await talk([{ say: "One." }], "Hello.\n/help\n", "--json");
    const events = stdout.trimEnd().split("\n").map((line) =>
      JSON.parse(line) as { event: string }
    );
    expect(events.map(({ event }) => event)).toEqual([
      "session",
      "delta",
      "done",
      "reply",
      "reply",
    ]);
    expect(events[3]).toMatchObject({ said: "One.", session: expect.any(String) });
  });

  it("says at once that there is no such agent", async () => {
    await talk([], "");
    const model = `script:${join(bench.home, "s.json")}`;
    const ran = await bench.sion("agent", "talk", "coder", "ffffffff", "--model", model);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: .*ffffffff/);
  });
});

describe("sion agent talk at a terminal", () => {
  const bench = useBench();

  it("stops the step at Ctrl-C and leaves at the next, the session kept [C-012]", async () => {
    const made = await bench.sion("agent", "create", "alice", "coder", "--budget", "10", "--json");
    const { agent } = made.json() as { agent: string };
    const calls = Array.from({ length: 300 }, () => ({
      calls: [{ tool: "ledger_balance", input: {} }],
    }));
    writeFileSync(join(bench.home, "s.json"), JSON.stringify(calls));
    const called = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // Somebody types a message, and then nothing any more.
    async function* typing(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(new TextEncoder().encode("Look at it again and again.\n"));
      await ended.promise;
    }
    const model = `script:${join(bench.home, "s.json")}`;
    const ran = bench.sionIn(
      { stdin: typing, tty: true, onStdout: (text) => text.includes("calls ") && called.resolve() },
      ...["agent", "talk", "coder", agent, "--model", model, "--plain"],
    );
    await called.promise;
    process.emit("SIGINT");
    for (;;) {
      const listed = await bench.sion("agent", "sessions", "--json");
      if ((listed.json() as { standing: string }[])[0]?.standing === "stopped") break;
    }
    process.emit("SIGINT");
    const { code, stderr } = await ran;
    ended.resolve();
    expect(code).toBe(130);
    expect(stderr).toMatch(/stopping; Ctrl-C again leaves\n/);
    expect(stderr).toMatch(/ stopped: go on with /);
    expect(stderr).toMatch(
      /stopped: session [0-9a-f]{16}: kept\. Go on with `sion agent talk coder [0-9a-f]{64}`\n$/,
    );
  });
});
