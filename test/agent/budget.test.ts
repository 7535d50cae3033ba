import { describe, expect, test } from "vitest";
import { continueSession, exitCodeOf, runAgent } from "#internal/agent/mod.ts";
import type { GivenOptions, ModelProvider } from "#internal/agent/mod.ts";
import { timeIsOver } from "../../internal/agent/asking.ts";
import { askedModels, chatOn } from "./_chat.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

const READ = { calls: [{ tool: "ledger_balance" }] };

function run(machine: TestMachine, given: GivenOptions, models: readonly string[]) {
  const { listener, lines } = hearing();
  const options = { wallet: "coder", agent: AGENT, task: "Look.", who: "cli:root", models, given };
  return { lines, end: runAgent(machine, options, listener) };
}

describe("a run's budget", () => {
  test("ends it after --max-steps turns with code 7, and continue goes on with as many again [A-592 A-635]", async () => {
    const machine = testMachine();
    const models = [scriptOf(machine, [READ, READ, READ, READ, { say: "Done." }])];
    const { lines, end } = run(machine, { maxSteps: "2" }, models);
    const { session } = await end;
    expect(await end).toMatchObject({ how: "stopped", code: "steps" });
    expect(exitCodeOf(await end)).toBe(7);
    expect(lines.at(-1)).toBe(
      `error: session ${session} stopped: the run has had its 2 turns: go on with ` +
        `\`sion agent continue ${session}\``,
    );
    const goOn = () => continueSession(machine, { session, who: "cli:root" }, () => {});
    expect(await goOn()).toMatchObject({ how: "stopped", code: "steps" });
    expect(await goOn()).toMatchObject({ how: "done", said: "Done." });
  });

  test("ends it when it has used --max-tokens, before the next turn [A-592]", async () => {
    const machine = testMachine({
      providers: [
        askedModels([], async function* () {
          yield await Promise.resolve({
            type: "call" as const,
            tool: "ledger_balance",
            input: "{}",
          });
          yield { type: "usage" as const, input: 60, output: 10 };
          yield { type: "end" as const, stop: "end" as const };
        }),
      ],
    });
    const { end } = run(machine, { maxTokens: "100" }, ["asked:a"]);
    expect(await end).toMatchObject({
      code: "tokens",
      message: "the run has used its 100 tokens",
    });
    const { turns } = testState(machine, (await end).session);
    expect(turns).toBe(2);
  });

  test("ends it when the models have cost --max-usd, and /usage tells what they cost [A-592 C-030]", async () => {
    const provider: ModelProvider = {
      scheme: "priced",
      usage: "<name>",
      open: () =>
        Promise.resolve({
          name: "priced:a",
          cost: ({ output }) => BigInt(output) * 1_000n,
          async *respond() {
            yield await Promise.resolve({
              type: "call" as const,
              tool: "ledger_balance",
              input: "{}",
            });
            yield { type: "usage" as const, input: 1_234, output: 10 };
            yield { type: "end" as const, stop: "end" as const };
          },
        }),
    };
    const machine = testMachine({ providers: [provider] });
    const profile = {
      wallet: "coder",
      agent: AGENT,
      models: ["priced:a"],
      given: { maxUsd: "0.015" },
    };
    const { say } = chatOn(machine, [], { profile });
    const { said, end } = await say("Look.");
    expect(said).toBe("stopped: the run has cost its 0.015 USD");
    expect(end).toMatchObject({ code: "cost" });
    expect((await say("/usage")).said).toBe(
      "1 message, 2 turns, 2,488 tokens (2,468 in, 20 out), 0.02 USD\n" +
        "a run may have 100 turns, 0.015 USD",
    );
  });

  test.each([
    [300, "1 s"],
    [30_000, "30 s"],
    [60_000, "minute"],
    [90_000, "1.5 minutes"],
    [3_600_000, "60 minutes"],
  ])("says of %i ms that it has had its %s", (wallMs, had) => {
    expect(timeIsOver(wallMs).message).toBe(`the run has had its ${had}`);
  });

  test("ends it when --max-minutes are over", async () => {
    let nowMs = 0;
    const machine = testMachine({ clock: { nowMs: () => nowMs += 20_000 } });
    const models = [scriptOf(machine, [READ, READ, READ, { say: "Done." }])];
    const { end } = run(machine, { maxMinutes: "1" }, models);
    expect(await end).toMatchObject({ how: "stopped", code: "time" });
  });

  test("is shown by /usage [C-030 A-592]", async () => {
    const machine = testMachine();
    const profile = {
      wallet: "coder",
      agent: AGENT,
      autonomy: "L5",
      models: [scriptOf(machine, [{ say: "Yes." }, { calls: [PAY_BOB] }])],
      given: { maxSteps: "5", maxTokens: "1500" },
    };
    const { say } = chatOn(machine, [], { profile });
    await say("Hello.");
    expect((await say("/usage")).said).toMatch(/\na run may have 5 turns, 1,500 tokens$/);
    await say("Pay bob.");
    expect((await say("/usage")).said).toMatch(/\nthis run: 1 of 5 turns, 0 of 1,500 tokens$/);
  });

  test.each([
    [{ maxSteps: "0" }, "--max-steps 0: give a whole number from 1 to 10000"],
    [{ maxSteps: "1e3" }, "--max-steps 1e3: give a whole number from 1 to 10000"],
    [{ maxTokens: "-5" }, "--max-tokens -5: give a whole number from 1 to 1000000000000"],
    [{ maxMinutes: "10081" }, "--max-minutes 10081: give minutes up to 10080, like 10 or 0.5"],
    [{ maxMinutes: "0" }, "--max-minutes 0: give minutes up to 10080, like 10 or 0.5"],
    [{ maxUsd: "0" }, "--max-usd: "],
    [{ maxUsd: "1e3" }, "--max-usd: "],
    [{ maxUsd: "99999999999999999999" }, "is more than 1000000000: give at most that"],
    [{ maxMinutes: "1h" }, "--max-minutes 1h: give minutes up to 10080, like 10 or 0.5"],
  ])("%j is refused before there is a session [A-033]", async (given, message) => {
    const machine = testMachine();
    const { end } = run(machine, given, [scriptOf(machine, [])]);
    await expect(end).rejects.toThrow(message);
    expect(machine.sessions.list()).toEqual([]);
  });
});

function testState(machine: TestMachine, session: string): { readonly turns: number } {
  const said = machine.sessions.read(session).filter(({ kind }) => kind === "model-said");
  return { turns: said.length };
}
