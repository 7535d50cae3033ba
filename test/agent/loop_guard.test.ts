/** An agent that goes round in circles is told, then stopped. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { continueSession, defineAgentTool, runAgent } from "#internal/agent/mod.ts";
import type { AgentTool } from "#internal/agent/mod.ts";
import { AGENT, hearing, PAY_BOB, scriptOf, testMachine } from "./_machine.ts";
import type { Turn } from "./_machine.ts";

/** A tool that gives what it is told to, one after another, then the last for ever. */
function giving(results: readonly string[], polls: boolean): AgentTool {
  let at = 0;
  return defineAgentTool({
    name: "look",
    description: "Looks, and says what is there.",
    input: z.strictObject({ at: z.string() }),
    highestEffect: "read",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: true,
    ...(polls ? { polls } : {}),
    run: () =>
      Promise.resolve({ ok: true, text: results[Math.min(at++, results.length - 1)] ?? "" }),
  });
}

const look = (at = "x"): Turn => ({ calls: [{ tool: "look", input: { at } }] });

async function run(turns: readonly Turn[], results: readonly string[] = ["same"], polls = false) {
  const machine = testMachine({ tools: [giving(results, polls)] });
  const heard = hearing();
  const models = [scriptOf(machine, turns)];
  const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", models };
  const end = await runAgent(machine, given, heard.listener);
  const remarks = heard.lines.filter((line) => line.includes("in a row: do something else"));
  return { machine, end, remarks, heard };
}

const times = (n: number, turn: Turn): Turn[] => Array.from({ length: n }, () => turn);

describe("the loop guard", () => {
  test("tells at the third same call with the same result in a row, and stops the run at the fifth", async () => {
    const { end, remarks } = await run([...times(9, look()), { say: "never" }]);
    expect(end).toMatchObject({
      how: "stopped",
      code: "loop",
      message: "the agent made the same call of look with the same result 5 times in a row",
    });
    expect(remarks.map((line) => /(\d) times in a row/.exec(line)?.[1])).toEqual(["3", "4", "5"]);
    expect(remarks[1]).toContain("at the next time the run is stopped");
  });

  test("lets a run that was stopped for it go on, and stops it again", async () => {
    const { machine, end } = await run([...times(10, look()), { say: "never" }]);
    const on = { session: end.session, who: "cli:test" };
    expect(await continueSession(machine, on, hearing().listener)).toMatchObject({ code: "loop" });
  });

  test.each([
    ["another result in between", times(8, look()), ["a", "a", "b", "b", "a", "a", "b", "b", "a"]],
    ["another call in between", [0, 1, 2, 3].flatMap(() => [look("x"), look("y")]), ["same"]],
    ["fewer of them", times(2, look()), ["same"]],
  ])("says nothing of %s", async (_what, turns, results) => {
    const { end, remarks } = await run([...turns, { say: "ok" }], results);
    expect(end.how).toBe("done");
    expect(remarks).toEqual([]);
  });

  test("does not count what looks after something that goes on", async () => {
    const { end, remarks } = await run([...times(9, look()), { say: "ok" }], ["same"], true);
    expect(end.how).toBe("done");
    expect(remarks).toEqual([]);
  });

  test("counts calls that are refused", async () => {
    const machine = testMachine();
    const models = [scriptOf(machine, [...times(9, { calls: [PAY_BOB] }), { say: "never" }])];
    const given = { agent: AGENT, wallet: "coder", task: "go", who: "cli:test", models };
    const end = await runAgent(machine, { ...given, autonomy: "L3" }, hearing().listener);
    expect(end).toMatchObject({ how: "stopped", code: "loop" });
    expect(machine.ledger.paid).toEqual([]);
  });
});
