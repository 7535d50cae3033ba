import { describe, expect, test } from "vitest";
import { EFFECTS } from "#internal/mcp/mod.ts";
import type { Effect } from "#internal/mcp/mod.ts";
import { agentTools, policySteps } from "#internal/agent/mod.ts";
import type { PolicyStep, Question } from "#internal/agent/mod.ts";
import { judge } from "../../internal/agent/policy/mod.ts";
import { DEFAULT_LIMITS, emptyState } from "../../internal/agent/state.ts";
import type { Autonomy, CallState } from "../../internal/agent/state.ts";
import { AGENT } from "./_machine.ts";

function question(effect: Effect, autonomy: Autonomy, call: Partial<CallState> = {}): Question {
  const state = emptyState("5".repeat(16));
  state.settings = { agent: AGENT, wallet: "coder", autonomy, models: [], limits: DEFAULT_LIMITS };
  const tool = agentTools[0];
  if (tool === undefined) throw new Error("there is no tool");
  return {
    state,
    session: { id: state.session, outside: [], services: {} },
    call: { id: "1.1", turn: 1, run: 1, tool: tool.name, notes: [], ...call },
    tool,
    input: {},
    effect,
    targets: [],
    paths: [],
    held: [],
    key: undefined,
  };
}

/** What each level does with read, write, external, spend; the table of docs and design. */
const TABLE: readonly (readonly [Autonomy, string, string])[] = [
  [0, "refuse refuse refuse refuse", "[A-608]"],
  [1, "run refuse refuse refuse", "[A-609]"],
  [2, "run ask refuse refuse", "[A-610]"],
  [3, "run run refuse refuse", "[A-040 A-611]"],
  [4, "run run ask refuse", "[A-042 A-612]"],
  [5, "run run run ask", "[A-042 A-613]"],
  [6, "run run run run", "[A-614]"],
];

describe("level", () => {
  test.each(TABLE)("judge() at L%i gives %s %s [A-010 A-038 A-046 A-047]", (level, verdicts) => {
    expect(EFFECTS.map((effect) => judge(question(effect, level)).verdict).join(" "))
      .toBe(verdicts);
  });

  test("judge() says why it asks in the words of the level [A-615]", () => {
    expect(judge(question("spend", 5)).why).toBe("spending at autonomy L5");
    expect(judge(question("write", 2)).why).toBe("writing at autonomy L2");
    expect(judge(question("external", 4)).why).toBe("reaching outside at autonomy L4");
  });

  test("judge() tells what would allow what it refuses [A-617]", () => {
    expect(judge(question("read", 0)).why).toBe(
      "reading is refused at autonomy L0: it runs from L1 on",
    );
    expect(judge(question("external", 1)).why).toBe(
      "reaching outside is refused at autonomy L1: it waits for a person at L4 and runs from L5 on",
    );
  });
});

describe("judge()", () => {
  const step = (name: string, answer: "ask" | "refuse", standing = true): PolicyStep => ({
    name,
    judge: () => ({ answer, why: name, standing }),
  });

  test("takes the strictest answer, whatever the order [A-618]", () => {
    const ask = step("asks", "ask");
    const refuse = step("refuses", "refuse");
    for (const steps of [[ask, refuse], [refuse, ask]]) {
      expect(judge(question("read", 6), steps)).toMatchObject({
        verdict: "refuse",
        step: "refuses",
      });
    }
    expect(judge(question("read", 6), [ask, step("too", "ask")])).toMatchObject({
      verdict: "ask",
      why: "asks; too",
    });
  });

  test("lets an approval of the call answer what asks, never what refuses [A-048 A-584]", () => {
    const approved = { decided: { atMs: 0, approve: true, who: "cli:root" } };
    expect(judge(question("spend", 5, approved))).toMatchObject({
      verdict: "run",
      step: "approval",
    });
    expect(judge(question("spend", 4, approved)).verdict).toBe("refuse");
    const declined = { decided: { atMs: 0, approve: false, who: "cli:root" } };
    expect(judge(question("spend", 5, declined)).verdict).toBe("ask");
  });

  test("has its steps in a fixed order, each with a name of its own [A-618]", () => {
    expect(policySteps.map(({ name }) => name).join(" ")).toBe(
      "level taint confidential quarantine journal pre-approved standing approval",
    );
  });

  test("judges every tool alike, whatever its kind [A-008 A-009 A-608]", () => {
    for (const tool of agentTools) {
      const { highestEffect: effect } = tool;
      expect(EFFECTS, tool.name).toContain(effect);
      for (const [level, verdicts] of TABLE) {
        const asked = { ...question(effect, level), tool };
        const wanted = verdicts.split(" ")[EFFECTS.indexOf(effect)];
        expect(judge(asked).verdict, `${tool.name} at L${level}`).toBe(wanted);
      }
    }
  });

  test("never lets a standing approval stand for money [A-580]", () => {
    const answers = policySteps.map((one) => one.judge?.(question("spend", 5)));
    for (const answer of answers) {
      if (answer?.answer === "ask") expect(answer.standing).toBe(false);
    }
  });
});
