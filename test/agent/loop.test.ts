import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  continueSession,
  defineAgentTool,
  ModelError,
  openSession,
  runAgent,
} from "#internal/agent/mod.ts";
import type { AgentMachine, ModelPart, ModelProvider, RunOptions } from "#internal/agent/mod.ts";
import type { ModelRequest } from "../../internal/agent/models/mod.ts";
import { parseScript } from "../../internal/agent/models/script.ts";
import type { SessionLease } from "#internal/store/mod.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

/** A provider whose models give these parts, turn by turn; a turn may be an error thrown midway. */
function fake(turns: readonly (readonly (ModelPart | Error)[])[]): {
  readonly provider: ModelProvider;
  readonly requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const provider: ModelProvider = {
    scheme: "fake",
    usage: "<name>",
    open: (rest) =>
      Promise.resolve({
        name: `fake:${rest}`,
        async *respond(request) {
          requests.push(request);
          await Promise.resolve();
          for (const part of turns[requests.length - 1] ?? []) {
            if (part instanceof Error) throw part;
            yield part;
          }
        },
      }),
  };
  return { provider, requests };
}

const END: ModelPart = { type: "end", stop: "end" };
const text = (words: string): ModelPart => ({ type: "text", text: words });
const call = (tool: string, input: string): ModelPart => ({ type: "call", tool, input });

async function run(
  turns: readonly (readonly (ModelPart | Error)[])[],
  options: Partial<RunOptions> = {},
  replace: Partial<AgentMachine> = {},
) {
  const { provider, requests } = fake(turns);
  const machine: TestMachine = testMachine({ providers: [provider], ...replace });
  const heard = hearing();
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "Go.",
    models: ["fake:one"],
    who: "cli:root",
    autonomy: "L6",
    ...options,
  }, heard.listener);
  return { ...heard, end, requests, machine };
}

describe("the loop", () => {
  test("waits for the disk before a call that changes something and at the end, and not for what reads", async () => {
    const machine = testMachine();
    const waited: string[] = [];
    const watched = (lease: SessionLease): SessionLease => ({
      ...lease,
      append(drafts, later) {
        waited.push(`${drafts.map(({ kind }) => kind).join("+")}${later === true ? " later" : ""}`);
        return lease.append(drafts, later);
      },
    });
    mkdirSync(join(machine.folder, "work"));
    const create = machine.sessions.create.bind(machine.sessions);
    machine.sessions.create = (first) => watched(create(first));
    const script = scriptOf(machine, [
      { calls: [{ tool: "ledger_balance", input: {} }, { tool: "none", input: {} }] },
      { calls: [{ tool: "write_file", input: { path: "a.txt", content: "a" } }] },
      { calls: [PAY_BOB] },
      { say: "Done." },
    ]);
    await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Go.",
      models: [script],
      who: "cli:root",
      autonomy: "L6",
      workspace: "work",
    }, () => {});
    expect(waited).toEqual([
      "model-said later",
      "call-judged+call-started later",
      "call-ended later",
      "call-judged+call-ended later",
      "model-said later",
      "call-judged+call-started",
      "files-changing",
      "call-ended later",
      "model-said later",
      "call-judged+call-started",
      "call-noted",
      "call-ended",
      "model-said later",
      "run-ended",
    ]);
  });

  test("streams words as they come and prints them as one answer [A-028]", async () => {
    const { events, lines } = await run([[text("To"), text("gether."), END]]);
    expect(events.filter(({ type }) => type === "delta")).toEqual([
      { type: "delta", text: "To" },
      { type: "delta", text: "gether." },
    ]);
    expect(lines).toContain("agent: Together.");
    expect(events.at(-1)).toMatchObject({ type: "done", said: "Together." });
  });

  test("shows the model the conversation, each call with its result [A-636]", async () => {
    const { requests } = await run([
      [text("Look."), call("ledger_balance", "{}"), call("none", "{}"), END],
      [text("Done."), END],
    ]);
    expect(requests[0]?.messages).toEqual([{ role: "person", text: "Go.", files: [] }]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual([
      "ledger_assess_claim",
      "ledger_balance",
      "ledger_events",
      "ledger_pay",
    ]);
    expect(requests[1]?.messages.slice(1)).toEqual([
      {
        role: "model",
        text: "Look.",
        calls: [
          { id: "1.1", tool: "ledger_balance", input: {} },
          { id: "1.2", tool: "none", input: {} },
        ],
      },
      {
        role: "results",
        results: [
          {
            call: "1.1",
            tool: "ledger_balance",
            ok: true,
            text: expect.stringContaining("budget_remaining_usd"),
          },
          { call: "1.2", tool: "none", ok: false, text: "there is no tool named none" },
        ],
      },
    ]);
  });

  test("offers tools with a strict JSON schema of their input", async () => {
    const { requests } = await run([[text("x"), END]]);
    const pay = requests[0]?.tools.find(({ name }) => name === "ledger_pay");
    expect(pay?.inputSchema).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["amount", "purpose", "to"],
    });
  });

  test.each([
    ['{"amount":"1","purpose":"x","to":"bo', "cut off in the middle"],
    ["[1]", "another kind of value"],
    ['"text"', "a text"],
  ])("never makes a call whose input did not parse: %s (%s)", async (input) => {
    const { lines, machine } = await run([[call("ledger_pay", input), END], [text("ok"), END]]);
    expect(lines[2]).toMatch(/^ ✗ the input of ledger_pay is not a JSON object/);
    expect(machine.ledger.paid).toEqual([]);
  });

  test.each([
    ["a value", '{"amount":"1","purpose":"x","to":"bob\\ud800"}'],
    ["a key", '{"amount":"1","purpose":"x","to":"bob","\\udc00":1}'],
    ["a value within", '{"amount":"1","purpose":"x","to":["bob",{"a":"\\ud800"}]}'],
  ])("refuses a call with half of a character in %s, and goes on", async (_where, input) => {
    const { lines, end, machine } = await run([[call("ledger_pay", input), END], [
      text("ok"),
      END,
    ]]);
    expect(lines[2]).toBe(
      " ✗ a text in the input of ledger_pay holds half of a character: give whole ones",
    );
    expect(end.how).toBe("done");
    expect(machine.ledger.paid).toEqual([]);
  });

  test("keeps words and names that hold half of a character", async () => {
    const { lines, end, machine } = await run([
      [text("ab\udc00"), call("no\ud800", "{}"), END],
      [text("ok"), END],
    ]);
    expect(end.how).toBe("done");
    expect(lines.join("\n")).toContain("there is no tool named no\ufffd");
    const texts = machine.sessions.read(end.session).map(({ body }) => JSON.stringify(body));
    expect(texts.join("")).toContain("ab\ufffd");
  });

  test("makes no call of an answer that was cut at the model's limit", async () => {
    const pay = call("ledger_pay", JSON.stringify(PAY_BOB.input));
    const { lines, machine } = await run([
      [pay, { type: "end", stop: "length" }],
      [text("Smaller then."), END],
    ]);
    expect(lines).toContain("the answer was cut off at the model's limit");
    expect(lines[3]).toMatch(/^ ✗ the answer was cut off before this call was certainly whole/);
    expect(machine.ledger.paid).toEqual([]);
  });

  test("takes an answer without its end for no answer, and makes none of its calls", async () => {
    const pay = call("ledger_pay", JSON.stringify(PAY_BOB.input));
    const { end, machine } = await run([[text("I p"), pay]]);
    expect(end).toMatchObject({ how: "stopped", code: "model-unreachable" });
    expect(machine.ledger.paid).toEqual([]);
  });

  test("asks the next model when one is overloaded in the middle of a word [A-591]", async () => {
    const { lines, end } = await run(
      [[text("Hal"), new ModelError("overloaded", "too busy")], [text("Whole."), END]],
      { models: ["fake:one", "fake:two"] },
    );
    expect(end).toMatchObject({ how: "done", said: "Whole." });
    expect(lines.slice(1, 4)).toEqual(["agent: Hal", "too busy; asking fake:two", "agent: Whole."]);
  });

  test("counts tokens against the run's budget", async () => {
    const balance = call("ledger_balance", "{}");
    const usage: ModelPart = { type: "usage", input: 60, output: 50 };
    const { end } = await run([[balance, usage, END], [balance, usage, END]], {
      limits: { tokens: 200 },
    });
    expect(end).toMatchObject({ how: "stopped", code: "tokens" });
  });

  test("stops a run that has cost its limit, and goes on when it is continued", async () => {
    const machine = testMachine();
    const usage = { input: 10, output: 10, cost_usd: "0.3" };
    const balance = { calls: [{ tool: "ledger_balance" }], usage };
    const models = [scriptOf(machine, [balance, balance, balance, { say: "Done." }])];
    const heard = hearing();
    const options = { wallet: "coder", agent: AGENT, task: "Go.", models, who: "cli:root" };
    const limits = { usdMicro: 500_000n };
    const end = await runAgent(machine, { ...options, limits }, heard.listener);
    expect(end).toMatchObject({ code: "cost", message: "the run has cost its 0.5 USD" });
    const { session } = end;
    const later = await continueSession(machine, { session, who: "cli:root" }, heard.listener);
    expect(later).toMatchObject({ how: "done", said: "Done." });
  });

  test("says that a limit in money does not bind a model without a price", async () => {
    const { lines } = await run([[text("x"), END]], { limits: { usdMicro: 1n } });
    expect(lines).toContain(
      "the price of fake:one is not known: what it costs is not limited " +
        "(name it as ?price=IN/OUT, USD a million tokens)",
    );
  });

  test("hands back to a provider what it wants back", async () => {
    const opaque = { signature: "abc" };
    const { requests } = await run([
      [{ type: "opaque", value: opaque }, call("ledger_balance", "{}"), END],
      [text("ok"), END],
    ]);
    expect(requests[1]?.messages[1]).toMatchObject({ role: "model", opaque });
  });

  test("lets a tool's input pollute nothing", async () => {
    const inputs = ['{"__proto__":{"autonomy":"L6"}}', '{"constructor":{"prototype":{"x":1}}}'];
    const { lines, machine } = await run([
      inputs.map((input) => call("ledger_pay", input)).concat(END),
      [text("ok"), END],
    ], { autonomy: "L5" });
    expect(lines.filter((line) => line.startsWith(" ✗ ledger_pay does not take"))).toHaveLength(2);
    expect(lines[1]).toBe(` → ledger_pay ${inputs[0]}`);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["autonomy"]).toBeUndefined();
    expect(machine.ledger.paid).toEqual([]);
  });

  test("has hooks after the policy: one that blocks or fails keeps a call from being made", async () => {
    const heard: string[] = [];
    const answers = [
      () => "not on Fridays",
      () => Promise.reject(new Error("exit 139")),
      undefined,
    ];
    const pays = [1, 2, 3].map((amount) =>
      call("ledger_pay", JSON.stringify({ ...PAY_BOB.input, amount }))
    );
    const { lines, machine } = await run(
      [[...pays, END], [text("ok"), END]],
      {},
      {
        openHooks: () =>
          Promise.resolve({
            aroundCalls: true,
            beforeTool: async ({ tool }) => {
              heard.push(tool.name);
              return await answers.shift()?.();
            },
            afterTool: () => Promise.resolve("seen"),
          }),
      },
    );
    expect(heard).toHaveLength(3);
    // Nothing of them ran that a hook could have seen.
    expect(lines[2]).toBe(" ✗ not on Fridays");
    expect(lines[4]).toBe(" ✗ a hook failed, so the call was not made: exit 139");
    expect(lines[6]).toMatch(/^ ← Pulse 14: Done.*\n\(hook: seen\)$/);
    expect(machine.ledger.paid).toHaveLength(1);
  });

  test("ends a call that takes too long as uncertain, and does not make it again [A-067]", async () => {
    let made = 0;
    const slow = defineAgentTool({
      name: "slow",
      description: "Never answers, but stops when it is told to.",
      input: z.strictObject({}),
      highestEffect: "external",
      repeatHarmless: false,
      openWorld: true,
      fromPrograms: false,
      run: ({ signal }) => {
        made++;
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason as Error))
        );
      },
    });
    const { lines, end } = await run(
      [[call("slow", "{}"), END], [call("slow", "{}"), END], [text("ok"), END]],
      {},
      { tools: [slow], callLimitMs: 1 },
    );
    expect(lines[2]).toMatch(/^ ✗ no answer within 0 s\n\(whether it took effect is not known/);
    expect(lines[4]).toMatch(/^ ✗ not made again: /);
    expect(made).toBe(1);
    expect(end.how).toBe("done");
  });

  test("does not wait for a model that falls silent, nor for one that does not stop", async () => {
    const deaf: ModelProvider = {
      scheme: "deaf",
      usage: "<name>",
      open: (name) =>
        Promise.resolve({
          name: `deaf:${name}`,
          async *respond() {
            yield text("I ");
            await new Promise(() => {});
          },
        }),
    };
    const machine = testMachine({ providers: [deaf], silenceLimitMs: 1 });
    const heard = hearing();
    const end = await runAgent(machine, {
      wallet: "coder",
      agent: AGENT,
      task: "Go.",
      models: ["deaf:one"],
      who: "cli:root",
    }, heard.listener);
    expect(end).toMatchObject({ how: "stopped", code: "model-unreachable" });
    expect(heard.lines.at(-1)).toContain("stopped: deaf:one was silent for 0 s: go on with");
  });

  test("keeps what a model wrote when it is stopped in the middle, and goes on from there", async () => {
    const stop = new AbortController();
    const requests: ModelRequest[] = [];
    const slow: ModelProvider = {
      scheme: "slow",
      usage: "<name>",
      open: () =>
        Promise.resolve({
          name: "slow:one",
          async *respond(request) {
            requests.push(request);
            yield text(requests.length === 1 ? "I was say" : "ing hello.");
            if (requests.length === 1) await new Promise(() => {});
            yield END;
          },
        }),
    };
    const machine = testMachine({ providers: [slow] });
    const options = {
      wallet: "coder",
      agent: AGENT,
      task: "Go.",
      models: ["slow:one"],
      who: "cli:root",
    };
    const end = await runAgent(machine, options, (event) => {
      if (event.type === "delta") stop.abort();
    }, stop.signal);
    expect(end).toMatchObject({ how: "stopped", code: "cancelled" });
    const heard = hearing();
    const later = await continueSession(
      machine,
      { session: end.session, who: "cli:root" },
      heard.listener,
    );
    expect(later.how).toBe("done");
    expect(requests[1]?.messages.slice(1)).toEqual([
      { role: "model", text: "I was say", calls: [] },
      { role: "person", text: "You were cut off: go on.", files: [] },
    ]);
  });

  test("keeps a session that is used from being used by another process", async () => {
    const machine = testMachine();
    const conversation = await openSession(machine, {
      wallet: "coder",
      agent: AGENT,
      models: [scriptOf(machine, [{ say: "One." }, { say: "Two." }])],
    }, () => {});
    const { session } = conversation;
    expect(() => machine.sessions.acquire(session)).toThrow(/is in use by process \d+/);
    const message = { text: "Go.", who: "cli:root", mayDecide: true };
    expect(await conversation.say(message)).toMatchObject({ how: "done", said: "One." });
    expect(await conversation.say(message)).toMatchObject({ how: "done", said: "Two." });
    await conversation[Symbol.asyncDispose]();
    machine.sessions.acquire(session).release();
  });
});

describe("parseScript()", () => {
  test.each([
    ["{", /^s\.json is no script: it is not JSON/],
    ["{}", /^s\.json is no script: it is not an array: give an array of turns like \[/],
    ['["hi"]', /turn 1: Invalid input/],
    ['[{"say":"a"},{"calls":[{"input":{}}]}]', /turn 2 at calls\.0\.tool: /],
    ['[{"says":"a"}]', /turn 1: Unrecognized key: "says"/],
    ['[{"calls":[{"tool":"x","input":[]}]}]', /turn 1 at calls\.0\.input: /],
  ])("says what is wrong with %s [A-637]", (source, message) => {
    expect(() => parseScript("s.json", source)).toThrow(message);
  });

  test("takes turns with words, calls, both or neither [A-597 A-637]", () => {
    const turns = [{ say: "a" }, { calls: [{ tool: "x" }] }, {}, {
      say: "b",
      calls: [{ tool: "y", input: { n: 1 } }],
    }];
    expect(parseScript("s.json", JSON.stringify(turns))).toEqual(turns);
  });
});
