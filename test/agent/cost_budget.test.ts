/** Budgets of what models cost, as runs and conversations draw on them. */
import { onTestFinished } from "vitest";
import { describe, expect, test } from "vitest";
import {
  continueSession,
  exitCodeOf,
  ModelError,
  runAgent,
  sessionOf,
} from "#internal/agent/mod.ts";
import type {
  AgentMachine,
  ModelPart,
  ModelProvider,
  SessionOptions,
} from "#internal/agent/mod.ts";
import type { Budget, Budgets } from "#internal/store/mod.ts";
import { openBudgets } from "#internal/store/mod.ts";
import { parseUsd } from "#internal/core/mod.ts";
import { modelProviders, openModel } from "../../internal/agent/models/mod.ts";
import type { ModelUsage } from "../../internal/agent/models/mod.ts";
import { chatOn } from "./_chat.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const CALL = { tool: "ledger_balance" };

/** What a turn is to have taken. */
function costing(cost_usd: string): NonNullable<Turn["usage"]> {
  return { input: 10, output: 10, cost_usd };
}

/** A turn that calls, for so much. */
function calls(cost_usd: string): Turn {
  return { calls: [CALL], usage: costing(cost_usd) };
}

interface Budgeted {
  readonly machine: TestMachine & { readonly budgets: Budgets };
  readonly spent: (name?: string) => bigint | undefined;
}

/** A machine with a budget of 1 USD a day for lead. */
function budgeted(replace: Partial<AgentMachine> = {}, more: readonly Budget[] = []): Budgeted {
  const plain = testMachine(replace);
  let counter = 0;
  const budgets = openBudgets(plain.home, {
    clock: plain.clock,
    random: (n) => Uint8Array.from({ length: n }, (_, i) => i === 0 ? ++counter : 0),
  });
  onTestFinished(() => budgets.close());
  budgets.set({ name: "lead", limitMicro: parseUsd("1"), per: "day", zone: "UTC" });
  for (const one of more) budgets.set(one);
  return {
    machine: { ...plain, budgets },
    spent: (name = "lead") => budgets.list().find((one) => one.name === name)?.spentMicro,
  };
}

function run(
  machine: TestMachine,
  models: readonly string[],
  options: Partial<SessionOptions> = { budgets: ["lead"] },
) {
  const { listener, lines, events } = hearing();
  const whole = { wallet: "coder", agent: AGENT, task: "Look.", who: "cli:root", models };
  return { lines, events, end: runAgent(machine, { ...whole, ...options }, listener) };
}

/** Models `priced:<n>` that say so many words and can cost 0.6 USD a request. */
function priced(
  respond: (signal: AbortSignal) => AsyncIterable<ModelPart>,
  most: bigint | undefined = 600_000n,
): ModelProvider {
  return {
    scheme: "priced",
    usage: "<n>",
    open: (rest) =>
      Promise.resolve({
        name: `priced:${rest}`,
        cost: ({ input, output }) => BigInt(input) * 10n + BigInt(output) * 100n,
        ...(most === undefined ? {} : { mostCost: () => most }),
        respond: ({ signal }) => respond(signal),
      }),
  };
}

describe("a shared budget", () => {
  test("stops a run before the request that could go past it, keeps the session, and lets it go on when it is raised", async () => {
    const { machine, spent } = budgeted();
    const script = [calls("0.4"), calls("0.5"), calls("0.2"), { say: "Done." }];
    const { lines, end } = run(machine, [scriptOf(machine, script)]);
    const { session } = await end;
    expect(exitCodeOf(await end)).toBe(7);
    expect(lines.at(-1)).toBe(
      `error: session ${session} stopped: budget lead has 0.1 of 1 USD a day left, until ` +
        `2026-10-31 00:00Z, and a request to script:${machine.folder}/s.json can cost 0.2 USD: ` +
        "raise it with `sion agent budget set lead <usd>`, or bound its answers with " +
        `?max-output=<tokens>: go on with \`sion agent continue ${session}\``,
    );
    expect(spent()).toBe(900_000n);
    machine.budgets.set({ name: "lead", limitMicro: 1_100_000n, per: "day", zone: "UTC" });
    const { listener, lines: after } = hearing();
    const went = await continueSession(machine, { session, who: "cli:root" }, listener);
    expect(went).toMatchObject({ how: "done", said: "Done." });
    expect(after.slice(-2)).toEqual([
      "budget lead: 1.1 of 1.1 USD a day used, until 2026-10-31 00:00Z",
      `session ${session}: done`,
    ]);
  });

  test("is drawn on by every run of its profile, whatever else a run is given, and by those given --budget", async () => {
    const more = { name: "team", limitMicro: 300_000n, per: "total", zone: "UTC" } as const;
    const { machine, spent } = budgeted({}, [more]);
    const profile = sessionOf({
      name: "lead",
      wallet: "coder",
      agent: AGENT,
      options: { model: [scriptOf(machine, [{ say: "Hi.", usage: costing("0.3") }])] },
    });
    const options = { ...profile, given: { budget: ["team"] } };
    expect(await run(machine, profile.models, options).end).toMatchObject({ how: "done" });
    expect([spent("lead"), spent("team")]).toEqual([300_000n, 300_000n]);
    const { end, lines } = run(machine, profile.models, options);
    expect(await end).toMatchObject({ code: "budget" });
    expect(lines.at(-1)).toContain("budget team of 0.3 USD is used up: raise it");
    // All or nothing: what team refused is not counted for lead.
    expect(spent("lead")).toBe(300_000n);
    await expect(run(machine, profile.models, { given: { budget: ["taem"] } }).end).rejects
      .toMatchObject({ code: "budget", message: expect.stringContaining("no budget taem") });
  });

  test("goes down to the work that a session has others do, by the session above them", async () => {
    const { machine, spent } = budgeted();
    const script = scriptOf(machine, [{ say: "Part.", usage: costing("0.3") }]);
    const above = await run(machine, [script]).end;
    const below = await run(machine, [script], { under: above.session }).end;
    const deeper = await run(machine, [script], { under: below.session }).end;
    expect(deeper.how).toBe("done");
    expect(spent()).toBe(900_000n);
    expect(await run(machine, [script], { under: deeper.session }).end)
      .toMatchObject({ how: "stopped", code: "budget" });
    await expect(run(machine, [script], { under: "0".repeat(16) }).end).rejects
      .toMatchObject({ code: "session-unknown" });
  });

  test("of all is drawn on by runs without a profile", async () => {
    const all = { name: "all", limitMicro: 100_000n, per: "month", zone: "UTC" } as const;
    const { machine, spent } = budgeted({}, [all]);
    expect(await run(machine, [scriptOf(machine, [calls("0.2")])], {}).end)
      .toMatchObject({ code: "budget" });
    expect(spent()).toBe(0n);
  });

  test("refuses a model whose price is not known and says how to name it, as others see", async () => {
    async function* hello(): AsyncGenerator<ModelPart> {
      yield await Promise.resolve({ type: "text" as const, text: "hi" });
      yield { type: "end" as const, stop: "end" as const };
    }
    const { machine } = budgeted({
      providers: [...modelProviders, {
        ...priced(hello),
        open: () => Promise.resolve({ name: "priced:own", respond: hello }),
      }],
    });
    const { end, lines } = run(machine, ["priced:own"]);
    expect(await end).toMatchObject({ code: "budget" });
    expect(lines.at(-1)).toContain(
      "the price of priced:own is not known, and budget lead holds here: name it with " +
        "?price=<in>/<out>, USD a million tokens (0/0 if it costs nothing), one of pictures with " +
        "?price=<usd> a picture",
    );
    expect(await run(machine, ["priced:own"], {}).end).toMatchObject({ how: "done" });
  });

  test("waits for requests of others that are under way, and goes on with what they left", async () => {
    const going: (() => void)[] = [];
    async function* later(): AsyncGenerator<ModelPart> {
      await new Promise<void>((resolve) => going.push(resolve));
      yield { type: "usage" as const, input: 0, output: 1_000 };
      yield { type: "text" as const, text: "hi" };
      yield { type: "end" as const, stop: "end" as const };
    }
    let looked = 0;
    const { machine, spent } = budgeted({
      providers: [priced(later)],
      pause: async () => {
        await Promise.resolve();
        // The first answer comes while the second request waits.
        if (++looked === 3) going.shift()?.();
        await new Promise(setImmediate);
      },
    });
    const first = run(machine, ["priced:a"]);
    const second = run(machine, ["priced:a"]);
    await expect.poll(() => looked).toBeGreaterThan(2);
    await expect.poll(() => going.length).toBe(1);
    going.shift()?.();
    expect([(await first.end).how, (await second.end).how]).toEqual(["done", "done"]);
    expect(looked).toBeGreaterThanOrEqual(3);
    expect([...first.lines, ...second.lines].filter((line) => line.includes("waiting until")))
      .toHaveLength(1);
    expect(spent()).toBe(200_000n);
  });

  test("counts what broke off by its question and its words, and nothing that a provider refused", async () => {
    let how: "refuses" | "breaks" = "refuses";
    async function* broken(): AsyncGenerator<ModelPart> {
      await Promise.resolve();
      if (how === "refuses") throw new ModelError("credential", "no key");
      yield { type: "text" as const, text: "x".repeat(350) };
      throw new ModelError("unreachable", "the line broke");
    }
    const { machine, spent } = budgeted({ providers: [priced(broken)] });
    expect(await run(machine, ["priced:a"]).end).toMatchObject({ code: "model-credential" });
    expect(spent()).toBe(0n);
    how = "breaks";
    expect(await run(machine, ["priced:a"]).end).toMatchObject({ code: "model-unreachable" });
    // 100 tokens written, and the question.
    expect(spent()).toBeGreaterThan(10_000n);
    expect(spent()).toBeLessThan(600_000n);
  });

  test("counts a request that is stopped before a word came, by its question", async () => {
    const stop = new AbortController();
    async function* silent(signal: AbortSignal): AsyncGenerator<ModelPart> {
      stop.abort(new Error("stopped"));
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
      yield { type: "end" as const, stop: "end" as const };
    }
    const { machine, spent } = budgeted({ providers: [priced(silent)] });
    const options = { wallet: "coder", agent: AGENT, task: "x".repeat(700), who: "cli:root" };
    const asked = { ...options, models: ["priced:a"], budgets: ["lead"] };
    expect(await runAgent(machine, asked, () => {}, stop.signal))
      .toMatchObject({ code: "cancelled" });
    expect(spent()).toBeGreaterThan(2_000n);
  });

  test("is among what /usage shows", async () => {
    const { machine } = budgeted();
    const { say } = chatOn(machine, [{ say: "Hi.", usage: costing("0.3") }], {
      profile: {
        wallet: "coder",
        agent: AGENT,
        models: [scriptOf(machine, [{ say: "Hi.", usage: costing("0.3") }])],
        budgets: ["lead"],
      },
    });
    await say("hello");
    expect(await say("/usage")).toMatchObject({
      said: expect.stringContaining(
        "budget lead: 0.3 of 1 USD a day used, until 2026-10-31 00:00Z",
      ),
    });
  });
});

describe("the most that a request can cost", () => {
  const CASES: readonly [model: string, usage: ModelUsage][] = [
    ["anthropic:claude-haiku-4-5", { input: 400, output: 64_000, cacheWritten: 400 }],
    ["anthropic:claude-opus-4-5?max-output=2000", { input: 400, output: 2_000, cacheWritten: 400 }],
    ["anthropic:unknown?price=1/2/0.1/9", { input: 400, output: 32_000, cacheWritten: 400 }],
    ["openai:gpt-5", { input: 400, output: 128_000 }],
    ["openai:gpt-5.4", { input: 400, output: 128_000, cached: 400 }],
    ["openai:own?price=0/3&context=9000", { input: 400, output: 9_000 }],
  ];

  test.each(CASES)("of %s is no less than what any answer does", async (name, usage) => {
    const model = await openModel(name, {
      readText: () => Promise.resolve(""),
      env: { ANTHROPIC_API_KEY: "key-of-a-test", OPENAI_API_KEY: "key-of-a-test" },
    });
    const question = {
      session: "5e55",
      instructions: "é".repeat(200),
      messages: [{ role: "person" as const, text: "hi", files: [] }],
      tools: [],
      turn: 1,
    };
    const most = model.mostCost?.(question) ?? 0n;
    const cost = model.cost?.(usage) ?? 0n;
    expect(most).toBeGreaterThanOrEqual(cost);
    // Not ten times as much either.
    expect(most).toBeLessThan(cost * 10n);
    expect(model.mostCost?.({ ...question, mostInput: 1 })).toBeLessThanOrEqual(most);
  });
});
