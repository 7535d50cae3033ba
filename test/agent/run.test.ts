import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  continueSession,
  exitCodeOf,
  listSessions,
  openSession,
  runAgent,
  traceLines,
  traceSession,
} from "#internal/agent/mod.ts";
import type { ContinueOptions, RunEnd, RunOptions } from "#internal/agent/mod.ts";
import { AGENT, clientError, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

type Given = Partial<RunOptions>;

async function run(machine: TestMachine, turns: readonly Turn[], options: Given = {}) {
  const heard = hearing();
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "Pay bob 1 USD for invoice 7.",
    models: [scriptOf(machine, turns)],
    who: "cli:root",
    ...options,
  }, heard.listener);
  return { ...heard, end };
}

async function goOn(machine: TestMachine, options: Omit<ContinueOptions, "who">) {
  const heard = hearing();
  const end = await continueSession(machine, { who: "cli:root", ...options }, heard.listener);
  return { ...heard, end };
}

function code(end: RunEnd): number {
  return exitCodeOf(end);
}

describe("runAgent()", () => {
  test("prints session, call, result, words and done as the pages do [A-022 A-023 A-024 A-026 A-028 A-029 A-030]", async () => {
    const machine = testMachine();
    const { lines, end } = await run(machine, [
      { calls: [{ tool: "ledger_balance" }] },
      { say: "100 USD left in the budget." },
    ]);
    expect(end.session).toMatch(/^[0-9a-f]{16}$/);
    expect(lines).toEqual([
      `session ${end.session} for agent d85ed254`,
      " → ledger_balance {}",
      expect.stringMatching(/^ ← \{"budget_remaining_usd":"100",/),
      "agent: 100 USD left in the budget.",
      `session ${end.session}: done`,
    ]);
    expect(code(end)).toBe(0);
  });

  test("writes a file in the workspace and says how many bytes [A-149 A-019 A-025]", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const content = "primes = [n for n in range(2, 60) if all(n % d for d in range(2, n))]\n" +
      "print(len(primes), 'primes below 60:', primes)\n";
    const { lines } = await run(machine, [
      { calls: [{ tool: "write_file", input: { path: "primes.py", content } }] },
      { say: "Written." },
    ], { workspace: "work", autonomy: "L3" });
    expect(lines[1]).toBe(
      ' → write_file {"content":"primes = [n for n in range(2, 60) if all(n % d for d in ' +
        "range(2, n))]\\nprint(len(primes), 'primes below 60:', primes)\\n\"," +
        '"path":"primes.py"}',
    );
    expect(lines[2]).toBe(" ← wrote 117 bytes to primes.py");
    expect(readFileSync(join(machine.folder, "work", "primes.py"), "utf8")).toBe(content);
  });

  test("pays without asking at L6 and prints the receipt's sentence [A-045 A-564 A-565 A-614]", async () => {
    const machine = testMachine();
    const { lines } = await run(machine, [{ calls: [PAY_BOB] }, { say: "Paid." }], {
      autonomy: "L6",
    });
    expect(lines.slice(1, 3)).toEqual([
      ' → ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"}',
      " ← Pulse 14: Done: agent paid 1 USD to bob (receipt claim cee25b76); fee 0.0012 USD. " +
      `Transaction ${"1".padStart(64, "a")}.`,
    ]);
    expect(machine.ledger.paid).toMatchObject([{ to: "bob", amount: 1_000_000n, call: "1.1" }]);
  });

  test("shows what the ledger refuses as a failed call [A-027 A-566]", async () => {
    const machine = testMachine();
    const mallory = { tool: "ledger_pay", input: { amount: "1", purpose: "x", to: "mallory" } };
    const { lines } = await run(machine, [{ calls: [mallory] }, { say: "The ledger refused." }], {
      autonomy: "L6",
    });
    expect(lines[2]).toMatch(
      /^ ✗ Pulse 14: Failed \(charter caveat violated: payee not allowed\); nothing happened except the fee of 0\.0011 USD\. Transaction [0-9a-f]{64}\.$/,
    );
    expect(lines.at(-1)).toMatch(/: done$/);
  });

  test("prints all calls of a group that only reads, then all results in order [A-031]", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const read = (path: string) => ({ tool: "read_file", input: { path } });
    const write = (path: string) => ({ tool: "write_file", input: { path, content: path } });
    const { lines } = await run(machine, [
      { calls: [write("a"), write("b"), read("a"), read("b"), write("c")] },
      { say: "Done." },
    ], { workspace: "work", autonomy: "L3" });
    expect(lines.slice(1, -2).map((line) => line.slice(0, 13))).toEqual([
      " → write_file",
      " ← wrote 1 by",
      " → write_file",
      " ← wrote 1 by",
      " → read_file ",
      " → read_file ",
      " ← 1\ta",
      " ← 1\tb",
      " → write_file",
      " ← wrote 1 by",
    ]);
  });

  test("says that there is no tool of a name [A-027]", async () => {
    const machine = testMachine();
    const { lines } = await run(machine, [
      { calls: [{ tool: "notes_add_note", input: { name: "release" } }] },
      { say: "No such tool." },
    ]);
    expect(lines.slice(1, 3)).toEqual([
      ' → notes_add_note {"name":"release"}',
      " ✗ there is no tool named notes_add_note",
    ]);
  });

  test("says what a tool takes to whoever gave it something else", async () => {
    const { lines } = await run(testMachine(), [
      { calls: [{ tool: "ledger_events", input: { since: 3 } }] },
      { calls: [{ tool: "ledger_balance", input: { of: "bob" } }] },
      { say: "So." },
    ]);
    expect(lines.filter((line) => line.startsWith(" ✗"))).toEqual([
      ' ✗ ledger_events does not take this input: Unrecognized key: "since": it takes from, limit',
      ' ✗ ledger_balance does not take this input: Unrecognized key: "of": it takes none',
    ]);
  });

  test("offers file tools only with a workspace [A-148]", async () => {
    const machine = testMachine();
    const { lines } = await run(machine, [
      { calls: [{ tool: "read_file", input: { path: "a" } }] },
      { say: "None." },
    ]);
    expect(lines[2]).toBe(
      " ✗ there is no tool named read_file without a workspace: " +
        "run the agent with --workspace <folder>",
    );
  });

  test("refuses by default what L2 refuses, telling the level and what would allow it [A-050 A-617]", async () => {
    const machine = testMachine();
    const { lines } = await run(machine, [{ calls: [PAY_BOB] }, { say: "I may not." }]);
    expect(lines[2]).toBe(
      " ✗ spending is refused at autonomy L2: it waits for a person at L5 and runs from L6 on",
    );
    expect(machine.ledger.paid).toEqual([]);
  });

  test("stops with exit code 7 when the script has no turn left, and goes on later [A-638]", async () => {
    const machine = testMachine();
    const { lines, end, json } = await run(machine, [{ calls: [{ tool: "ledger_balance" }] }]);
    expect(code(end)).toBe(7);
    expect(lines.at(-1)).toBe(
      `error: session ${end.session} stopped: the script s.json has no turn 2 ` +
        `(its 1 turn was played): go on with \`sion agent continue ${end.session}\``,
    );
    expect(JSON.parse(json.at(-1) ?? "")).toMatchObject({ event: "error", code: "model-ended" });
    scriptOf(machine, [{}, { say: "Now I know." }]);
    const later = await goOn(machine, { session: end.session });
    expect(later.lines.slice(-2)).toEqual(["agent: Now I know.", `session ${end.session}: done`]);
  });

  test("asks the next model when one fails [A-641]", async () => {
    const machine = testMachine();
    const first = scriptOf(machine, [], "empty.json");
    const { lines } = await run(machine, [{ say: "Second here." }], {
      models: [first, scriptOf(machine, [{ say: "Second here." }])],
    });
    expect(lines).toContain("agent: Second here.");
  });

  test("keeps every limit of a run and has them anew when continued", async () => {
    const machine = testMachine();
    const balance = { calls: [{ tool: "ledger_balance" }] };
    const { end } = await run(machine, [balance, balance, balance, { say: "Enough." }], {
      limits: { steps: 2 },
    });
    expect(end).toMatchObject({ how: "stopped", code: "steps" });
    const later = await goOn(machine, { session: end.session });
    expect(later.end.how).toBe("done");
  });

  test("goes on with a new message in the same session, the script with its next turn [A-579 A-637]", async () => {
    const machine = testMachine();
    const { end } = await run(machine, [{ say: "First." }, { say: "Second." }]);
    const later = await goOn(machine, { session: end.session.slice(0, 6), say: "And now?" });
    expect(later.lines).toEqual([
      `session ${end.session} for agent d85ed254`,
      "agent: Second.",
      `session ${end.session}: done`,
    ]);
  });

  test("says of a finished session that it is done [A-635]", async () => {
    const machine = testMachine();
    const { end } = await run(machine, [{ say: "First." }]);
    expect((await goOn(machine, { session: end.session })).lines).toEqual([
      `session ${end.session}: done`,
    ]);
  });

  test("finds what is wrong before a session is made [A-033]", async () => {
    const machine = testMachine();
    await expect(run(machine, [], { models: ["gemini:pro"] })).rejects.toThrow(
      "gemini:pro names no model this sion can ask: give anthropic:<model>, openai:<model> or script:<file>",
    );
    await expect(run(machine, [], { autonomy: "L7" })).rejects.toThrow(
      "L7 is no autonomy level: give L0 to L6",
    );
    await expect(run(machine, [], { models: ["script:none.json"] })).rejects.toThrow(
      /^there is no script \/.*none\.json: give one as --model script:<file>$/,
    );
    await expect(run(machine, [], { workspace: "nowhere" })).rejects.toThrow(
      "there is no folder nowhere: make it, or give another --workspace",
    );
    expect(machine.sessions.list()).toEqual([]);
  });

  test("stops when it is told to, before the next turn", async () => {
    const machine = testMachine();
    const stop = new AbortController();
    const heard = hearing();
    const end = await runAgent(
      machine,
      {
        wallet: "coder",
        agent: AGENT,
        task: "x",
        models: [scriptOf(machine, [{ calls: [{ tool: "ledger_balance" }] }, { say: "Late." }])],
        who: "cli:root",
      },
      (event) => {
        heard.listener(event);
        if (event.type === "tool" && event.state === "ok") stop.abort();
      },
      stop.signal,
    );
    expect(end).toMatchObject({ how: "stopped", code: "cancelled" });
    expect(code(end)).toBe(130);
    expect(heard.lines).not.toContain("agent: Late.");
  });
});

describe("a session in which nothing was said", () => {
  test("is no session that is done: continue asks for --say [A-066]", async () => {
    const machine = testMachine();
    const options = {
      wallet: "coder",
      agent: AGENT,
      models: [scriptOf(machine, [{ say: "Hi." }])],
    };
    const conversation = await openSession(machine, options, () => {});
    await conversation[Symbol.asyncDispose]();
    const { session } = conversation;
    await expect(goOn(machine, { session })).rejects.toThrow(
      `nothing was said in session ${session} yet: give --say with what is to be done`,
    );
    expect((await goOn(machine, { session, say: "Greet." })).end.how).toBe("done");
  });

  test("is not made by an empty task, nor continued by an empty message", async () => {
    const machine = testMachine();
    await expect(run(machine, [{ say: "Hi." }], { task: " \n" })).rejects.toMatchObject({
      code: "nothing-said",
    });
    expect(listSessions(machine)).toEqual([]);
    const { end: { session } } = await run(machine, [{ say: "Hi." }]);
    await expect(goOn(machine, { session, say: "" })).rejects.toThrow("the message is empty");
  });
});

describe("approvals", () => {
  const turns: Turn[] = [{ calls: [PAY_BOB] }, { say: "Paid bob 1 USD for invoice 7." }];
  const called = 'ledger_pay {"amount":"1","purpose":"invoice 7","to":"bob"}';

  test("park the session with a request, word for word [A-036 A-044 A-049 A-567 A-569 A-570 A-571 A-574]", async () => {
    const machine = testMachine();
    const { lines, end } = await run(machine, turns, { autonomy: "L5" });
    if (end.how !== "waiting") throw new Error("it does not wait");
    expect(end.request).toMatch(/^[0-9a-f]{8}$/);
    expect(lines).toEqual([
      `session ${end.session} for agent d85ed254`,
      ` → ${called}`,
      " ← waiting for a person's approval",
      `session ${end.session}: waiting for you: ${called} (spending at autonomy L5; request ` +
      `${end.request}). Answer with \`sion agent continue ${end.session} --approve\` or ` +
      "`--decline <why>`.",
    ]);
    expect(code(end)).toBe(5);
    expect(machine.ledger.paid).toEqual([]);
  });

  test("given, show the call again with who approved it, and it runs [A-572 A-575 A-576 A-577]", async () => {
    const machine = testMachine();
    const { end } = await run(machine, turns, { autonomy: "L5" });
    const { lines } = await goOn(machine, { session: end.session, approve: true });
    expect(lines).toEqual([
      `session ${end.session} for agent d85ed254`,
      ` → ${called} (approved by cli:root)`,
      expect.stringMatching(/^ ← Pulse 14: Done: agent paid 1 USD to bob/),
      "agent: Paid bob 1 USD for invoice 7.",
      `session ${end.session}: done`,
    ]);
    expect(machine.ledger.paid).toHaveLength(1);
    const trace = traceSession(machine, end.session);
    expect(trace.payments).toMatchObject([{ approved_by: "cli:root", verdict: "ask" }]);
  });

  test("declined, tell the model why, and it goes on [A-573 A-578 A-636]", async () => {
    const machine = testMachine();
    const { end } = await run(machine, turns, { autonomy: "L5" });
    const { lines, end: last } = await goOn(machine, {
      session: end.session,
      decline: "too much",
    });
    expect(lines[2]).toBe(" ✗ declined by cli:root: too much");
    expect(last.how).toBe("done");
    expect(machine.ledger.paid).toEqual([]);
  });

  test("that are not there cannot be given, nor twice, nor for another request", async () => {
    const machine = testMachine();
    const { end } = await run(machine, turns, { autonomy: "L5" });
    if (end.how !== "waiting") throw new Error("it does not wait");
    await expect(goOn(machine, { session: end.session, approve: true, request: "00000000" }))
      .rejects.toThrow("request 00000000 no longer waits: nothing was done");
    await expect(goOn(machine, { session: end.session, say: "Well?" })).rejects.toThrow(
      `session ${end.session} waits for a decision on request ${end.request} first`,
    );
    const { request } = end;
    await goOn(machine, { session: end.session, approve: true, request });
    await expect(goOn(machine, { session: end.session, approve: true, request })).rejects.toThrow(
      /^request [0-9a-f]{8} no longer waits, cli:root approved it at \d\d:\d\d: nothing was done$/,
    );
    await expect(goOn(machine, { session: end.session, approve: true })).rejects.toThrow(
      `session ${end.session} waits for nothing: nothing was done`,
    );
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("left open, continue says what is waited for [A-635]", async () => {
    const machine = testMachine();
    const first = await run(machine, turns, { autonomy: "L5" });
    const again = await goOn(machine, { session: first.end.session });
    expect(again.lines).toEqual([first.lines.at(-1)]);
    expect(code(again.end)).toBe(5);
  });

  test("a call cannot bring its own approval along", async () => {
    const machine = testMachine();
    const sneaky = { tool: "ledger_pay", input: { ...PAY_BOB.input, approved: true } };
    const { lines } = await run(machine, [{ calls: [sneaky] }, { say: "Hm." }], {
      autonomy: "L5",
    });
    expect(lines[2]).toBe(
      ' ✗ ledger_pay does not take this input: Unrecognized key: "approved": ' +
        "it takes amount, purpose, to",
    );
    expect(machine.ledger.paid).toEqual([]);
  });

  test("one call, one approval: the next payment asks again [A-580]", async () => {
    const machine = testMachine();
    const carol = { tool: "ledger_pay", input: { amount: "2", purpose: "x", to: "carol" } };
    const { end } = await run(machine, [{ calls: [PAY_BOB, carol] }, { say: "Done." }], {
      autonomy: "L5",
    });
    const second = await goOn(machine, { session: end.session, approve: true });
    expect(second.end.how).toBe("waiting");
    expect(machine.ledger.paid).toMatchObject([{ to: "bob" }]);
    const third = await goOn(machine, { session: end.session, approve: true });
    expect(third.end.how).toBe("done");
    expect(machine.ledger.paid).toMatchObject([{ to: "bob" }, { to: "carol" }]);
  });
});

describe("the journal", () => {
  test("keeps the same call from being made twice in a run [A-066 A-068]", async () => {
    const machine = testMachine();
    const same = { tool: "ledger_pay", input: { amount: 1.0, purpose: " invoice 7", to: "bob" } };
    const { lines } = await run(machine, [{ calls: [PAY_BOB] }, { calls: [same] }, { say: "ok" }], {
      autonomy: "L6",
    });
    expect(lines[4]).toMatch(
      /^ ✗ not made again: this same call was made at \d{4}-.*Z, and its outcome was: Pulse 14: Done/,
    );
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("lets a call that certainly did nothing be made again", async () => {
    const machine = testMachine();
    machine.ledger.fail = { at: "before", error: clientError("node-unreachable") };
    const { lines } = await run(
      machine,
      [{ calls: [PAY_BOB] }, { calls: [PAY_BOB] }, { say: "ok" }],
      { autonomy: "L6" },
    );
    expect(lines[2]).toBe(" ✗ a test's node-unreachable");
    expect(lines[4]).toMatch(/^ ← Pulse 14: Done/);
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("does not repeat what is uncertain, and learns its outcome when it can [A-067]", async () => {
    const machine = testMachine();
    machine.ledger.fail = { at: "sent", error: clientError("answer-lost") };
    const { lines } = await run(
      machine,
      [{ calls: [PAY_BOB] }, { calls: [PAY_BOB] }, { say: "ok" }],
      { autonomy: "L6" },
    );
    expect(lines[2]).toContain("whether it took effect is not known");
    expect(lines[4]).toMatch(/^ ✗ not made again: .*its outcome was: Pulse 14: Done/);
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("stays uncertain while nobody can say", async () => {
    const machine = testMachine();
    machine.ledger.lost = "unknown";
    machine.ledger.fail = { at: "signed", error: clientError("answer-lost") };
    const { lines } = await run(
      machine,
      [{ calls: [PAY_BOB] }, { calls: [PAY_BOB] }, { say: "ok" }],
      { autonomy: "L6" },
    );
    expect(lines[4]).toMatch(/^ ✗ not made again: .* whether it took effect is not known$/);
    expect(machine.ledger.paid).toEqual([]);
  });

  test("stays uncertain while nobody can be asked, and a continued session says so [A-067]", async () => {
    const machine = testMachine();
    machine.ledger.fail = { at: "signed", error: clientError("answer-lost") };
    machine.ledger.outcome = () => Promise.reject(clientError("node-unreachable"));
    const { lines, end } = await run(
      machine,
      [{ calls: [PAY_BOB] }, { calls: [PAY_BOB] }, { say: "ok" }],
      { autonomy: "L6" },
    );
    expect(lines[4]).toMatch(/^ ✗ not made again: .* whether it took effect is not known$/);
    expect(end.how).toBe("done");
  });

  test("asks before the same call in a later run, whatever the level", async () => {
    const machine = testMachine();
    const turns = [{ calls: [PAY_BOB] }, { say: "Paid." }, { calls: [PAY_BOB] }, { say: "Again." }];
    const { end } = await run(machine, turns, { autonomy: "L6" });
    const later = await goOn(machine, { session: end.session, say: "Pay it again." });
    expect(later.end.how).toBe("waiting");
    expect(later.lines.at(-1)).toContain("(the same call was made before, at ");
    const approved = await goOn(machine, { session: end.session, approve: true });
    expect(approved.end.how).toBe("done");
    expect(machine.ledger.paid).toHaveLength(2);
  });

  test("does not hold for reading and for files [A-065]", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const write = { tool: "write_file", input: { path: "a", content: "x" } };
    const { lines } = await run(
      machine,
      [{ calls: [write] }, { calls: [write] }, { calls: [{ tool: "ledger_balance" }] }, {
        calls: [{ tool: "ledger_balance" }],
      }, { say: "ok" }],
      { autonomy: "L3", workspace: "work" },
    );
    expect(lines.filter((line) => line === " ← wrote 1 byte to a")).toHaveLength(2);
    expect(lines.some((line) => line.startsWith(" ✗"))).toBe(false);
  });

  test("tells a model that a call fails again and again", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const read = { calls: [{ tool: "read_file", input: { path: "none" } }] };
    const { lines } = await run(machine, [read, read, read, { say: "ok" }], { workspace: "work" });
    expect(lines[2]).toBe(" ✗ there is no none in the workspace");
    expect(lines[6]).toContain("this same call has given this same result 3 times in a row");
  });
});

describe("traceSession()", () => {
  test("explains a payment: message, turn, verdict, transaction [A-071 A-633]", async () => {
    const machine = testMachine();
    const { end } = await run(machine, [{ say: "I pay.", calls: [PAY_BOB] }, { say: "Paid." }], {
      autonomy: "L6",
    });
    const trace = traceSession(machine, end.session);
    expect(trace.payments).toEqual([{
      call: "1.1",
      tool: "ledger_pay",
      input: PAY_BOB.input,
      message: "Pay bob 1 USD for invoice 7.",
      said_by: "cli:root",
      turn: 1,
      model: expect.stringMatching(/^script:\/.*s\.json$/),
      verdict: "run",
      step: "level",
      why: "",
      approved_by: null,
      transaction: "1".padStart(64, "a"),
      outcome: expect.stringMatching(/^Pulse 14: Done/),
    }]);
    const lines = traceLines(trace);
    expect(lines.some((line) => line.includes("call 1.1 signed transaction aaaa"))).toBe(true);
    expect(lines.at(-1)).toMatch(
      /^payment 1\.1 ledger_pay \{"amount":"1",.*\}: asked for by cli:root .* run by level, tx/,
    );
  });

  test("lists sessions with how they stand [A-594]", async () => {
    const machine = testMachine();
    const done = await run(machine, [{ say: "x" }]);
    const waits = await run(machine, [{ calls: [PAY_BOB] }], { autonomy: "L5", task: "Pay." });
    expect(listSessions(machine)).toMatchObject([
      { session: waits.end.session, standing: "waiting", task: "Pay." },
      { session: done.end.session, standing: "done", agent: AGENT },
    ]);
  });
});
