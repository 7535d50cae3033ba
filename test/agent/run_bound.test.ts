/** `--max-usd`: what the models of one run may cost, kept before each request. */
import { describe, expect, onTestFinished, test } from "vitest";
import fc from "fast-check";
import { continueSession, exitCodeOf, ModelError, runAgent } from "#internal/agent/mod.ts";
import type { AgentMachine, ModelProvider } from "#internal/agent/mod.ts";
import { formatUsd, parseUsd } from "#internal/core/mod.ts";
import type { Budgets } from "#internal/store/mod.ts";
import { openBudgets } from "#internal/store/mod.ts";
import { eventKinds } from "../../internal/agent/events/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { openModel } from "../../internal/agent/models/mod.ts";
import type { ModelQuestion } from "../../internal/agent/models/mod.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

type Bounded = TestMachine & { readonly budgets: Budgets };

/** A machine that counts what its models cost, as every real one does. */
function bounded(replace: Partial<AgentMachine> = {}): Bounded {
  const plain = testMachine(replace);
  let counter = 0;
  const budgets = openBudgets(plain.home, {
    clock: plain.clock,
    random: (n) => Uint8Array.from({ length: n }, (_, i) => i === 0 ? ++counter & 0xff : counter),
  });
  onTestFinished(() => budgets.close());
  return { ...plain, budgets };
}

function calls(cost_usd: string): Turn {
  return { calls: [{ tool: "ledger_balance" }], usage: { input: 10, output: 10, cost_usd } };
}

function run(machine: TestMachine, models: readonly string[], maxUsd: string) {
  const { listener, lines, events } = hearing();
  const asked = { wallet: "coder", agent: AGENT, task: "Look.", who: "cli:root", models };
  return { lines, events, end: runAgent(machine, { ...asked, given: { maxUsd } }, listener) };
}

/** What a session's models cost in all, micro-USD. */
function costOf({ sessions }: TestMachine, session: string): bigint {
  return createFolder(eventKinds).fold(session, sessions.read(session)).usage.costMicro;
}

/** A model at 1 USD a thousand tokens out, whose answers are as long as they may be. */
function wordy(asked: ModelQuestion[], fails = 0): ModelProvider {
  let left = fails;
  const longest = ({ mostOutput = 50_000 }: ModelQuestion) => mostOutput;
  return {
    scheme: "wordy",
    usage: "<name>",
    open: () =>
      Promise.resolve({
        name: "wordy:a",
        cost: ({ output }) => BigInt(output) * 1_000n,
        mostCost: (question) => BigInt(longest(question)) * 1_000n,
        answerFor: (_question, micro) => micro < 2_000_000n ? undefined : Number(micro / 1_000n),
        async *respond(question) {
          asked.push(question);
          yield await Promise.resolve({
            type: "call" as const,
            tool: "ledger_balance",
            input: "{}",
          });
          yield { type: "usage" as const, input: 1, output: longest(question) / 2 };
          if (left-- > 0) throw new ModelError("unreachable", "the line broke", { again: {} });
          yield { type: "end" as const, stop: "end" as const };
        },
      }),
  };
}

describe("--max-usd", () => {
  test("stops a run before the request that could go past it, and gives it anew when the run goes on [A-592]", async () => {
    const machine = bounded();
    const script = scriptOf(machine, [calls("0.4"), calls("0.5"), calls("0.2"), { say: "Done." }]);
    const { lines, end } = run(machine, [script], "1");
    const { session } = await end;
    expect(exitCodeOf(await end)).toBe(7);
    expect(lines.at(-1)).toBe(
      `error: session ${session} stopped: the run has cost 0.9 of its 1 USD, and a request to ` +
        `script:${machine.folder}/s.json can cost 0.2 USD: give a larger --max-usd, or bound its ` +
        `answers with ?max-output=<tokens>: go on with \`sion agent continue ${session}\``,
    );
    const after = await continueSession(machine, { session, who: "cli:root" }, () => {});
    expect(after).toMatchObject({ how: "done", said: "Done." });
    expect(costOf(machine, session)).toBe(1_100_000n);
  });

  test("says of the first request that it can cost more than all of it", async () => {
    const machine = bounded();
    const { lines, end } = run(machine, [scriptOf(machine, [calls("0.4")])], "0.3");
    expect(await end).toMatchObject({ code: "cost" });
    expect(lines.at(-1)).toContain("can cost 0.4 USD, more than the run's 0.3 USD: give a larger");
  });

  test("bounds the next answer to what is left of it, says so, and stops where that is too short", async () => {
    const asked: ModelQuestion[] = [];
    const machine = bounded({ providers: [wordy(asked)] });
    const { events, end } = run(machine, ["wordy:a"], "10");
    expect(await end).toMatchObject({
      code: "cost",
      message: expect.stringMatching(/^the run has cost 8\.75 of its 10 USD/),
    });
    expect(asked.map(({ mostOutput }) => mostOutput)).toEqual([10_000, 5_000, 2_500]);
    const notices = events.flatMap((event) => event.type === "notice" ? [event.text] : []);
    expect(notices).toContain("what is left of its USD bounds the next answer to 2500 tokens");
  });

  test("counts requests that broke off", async () => {
    const asked: ModelQuestion[] = [];
    const machine = bounded({ providers: [wordy(asked, 2)] });
    expect(await run(machine, ["wordy:a"], "10").end).toMatchObject({ code: "cost" });
    expect(asked.map(({ mostOutput }) => mostOutput)).toEqual([10_000, 5_000, 2_500]);
  });

  test("holds whatever the turns cost", async () => {
    const amount = fc.bigInt({ min: 0n, max: 500_000n });
    const machine = bounded();
    await fc.assert(
      fc.asyncProperty(
        fc.array(amount, { minLength: 1, maxLength: 8 }),
        fc.bigInt({ min: 1n, max: 1_000_000n }),
        async (costs, most) => {
          const script = scriptOf(machine, costs.map((micro) => calls(formatUsd(micro))));
          const { session } = await run(machine, [script], formatUsd(most)).end;
          expect(costOf(machine, session)).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("holds beside a shared budget, and keeps nothing of a run that ended", async () => {
    const machine = bounded();
    machine.budgets.set({ name: "all", limitMicro: parseUsd("1"), per: "day", zone: "UTC" });
    const script = scriptOf(machine, [calls("0.3"), { say: "Done." }]);
    expect(await run(machine, [script], "0.5").end).toMatchObject({ how: "done" });
    expect(await run(machine, [script], "0.2").end).toMatchObject({ code: "cost" });
    expect(machine.budgets.list()).toMatchObject([{ name: "all", spentMicro: 300_000n }]);
  });
});

describe("an answer bounded to an amount", () => {
  const NAMES = [
    "anthropic:claude-haiku-4-5",
    "anthropic:claude-opus-4-5?max-output=20000",
    "openai:gpt-5",
    "openai:gpt-5.4",
    "openai:own?price=0.5/3&context=90000",
  ];

  test.each(NAMES)("of %s costs no more, and is as long as it may be", async (name) => {
    const model = await openModel(name, {
      readText: () => Promise.resolve(""),
      env: { ANTHROPIC_API_KEY: "key-of-a-test", OPENAI_API_KEY: "key-of-a-test" },
    });
    const question = {
      session: "5e55",
      instructions: "é".repeat(2_000),
      messages: [{ role: "person" as const, text: "hi", files: [] }],
      tools: [],
      turn: 1,
    };
    for (const micro of [60_000n, 150_000n, 290_000n]) {
      const mostOutput = model.answerFor?.(question, micro);
      const longest = model.mostCost?.(question) ?? 0n;
      if (mostOutput === undefined) {
        // Too little for an answer, or enough for any.
        if (longest > micro) {
          expect(model.mostCost?.({ ...question, mostOutput: 2_048 })).toBeGreaterThan(micro);
        }
        continue;
      }
      expect(model.mostCost?.({ ...question, mostOutput })).toBeLessThanOrEqual(micro);
      expect(model.mostCost?.({ ...question, mostOutput: mostOutput + 2 })).toBeGreaterThan(micro);
    }
    expect(model.answerFor?.(question, 1n)).toBeUndefined();
  });
});
