/**
 * Every cell of the policy: level × effect × tainted × confidential × quarantined × rule, and after
 * taint × named. What is expected is written down by hand from docs/agent-rules.md.
 */
import { describe, expect, test } from "vitest";
import { EFFECTS } from "#internal/mcp/mod.ts";
import type { Effect } from "#internal/mcp/mod.ts";
import { defineAgentTool } from "#internal/agent/mod.ts";
import type { Question } from "#internal/agent/mod.ts";
import * as z from "zod";
import { judge } from "../../internal/agent/policy/mod.ts";
import { bringIn } from "../../internal/agent/outside.ts";
import { parseRule } from "../../internal/agent/standing.ts";
import { DEFAULT_LIMITS, emptyState } from "../../internal/agent/state.ts";
import type { Autonomy } from "../../internal/agent/state.ts";
import { AGENT } from "./_machine.ts";

/**
 * A row a level and effect: `.` runs, `?` asks, `x` is refused. The columns, in groups of four
 * (nothing, confidential, quarantined, both): clean; tainted. First without a rule for the call, then
 * with one.
 */
const CELLS = `
        no rule            a rule for the call
        clean    tainted   clean    tainted
        -cqb     -cqb      -cqb     -cqb
L0 read     xxxx xxxx xxxx xxxx
L0 write    xxxx xxxx xxxx xxxx
L0 external xxxx xxxx xxxx xxxx
L0 spend    xxxx xxxx xxxx xxxx
L1 read     ..?? ..?? ..?? ..??
L1 write    xxxx xxxx xxxx xxxx
L1 external xxxx xxxx xxxx xxxx
L1 spend    xxxx xxxx xxxx xxxx
L2 read     ..?? ..?? ..?? ..??
L2 write    ???? ???? ..?? ????
L2 external xxxx xxxx xxxx xxxx
L2 spend    xxxx xxxx xxxx xxxx
L3 read     ..?? ..?? ..?? ..??
L3 write    ..?? ..?? ..?? ..??
L3 external xxxx xxxx xxxx xxxx
L3 spend    xxxx xxxx xxxx xxxx
L4 read     ..?? ..?? ..?? ..??
L4 write    ..?? ..?? ..?? ..??
L4 external ???? ???? .??? ????
L4 spend    xxxx xxxx xxxx xxxx
L5 read     ..?? ..?? ..?? ..??
L5 write    ..?? ..?? ..?? ..??
L5 external .??? ???? .??? ????
L5 spend    ???? ???? ???? ????
L6 read     ..?? ..?? ..?? ..??
L6 write    ..?? ..?? ..?? ..??
L6 external .??? ???? .??? ????
L6 spend    .??? ???? .??? ????
`;

/** The same after taint for a call whose every target the person named: no rule is needed. */
const NAMED = `
        -cqb
L4 external ????
L4 spend    xxxx
L5 external .???
L5 spend    ????
L6 external .???
L6 spend    .???
`;

const MARKS = { run: ".", ask: "?", refuse: "x" } as const;

interface Cell {
  readonly level: Autonomy;
  readonly effect: Effect;
  readonly tainted?: boolean;
  readonly confidential?: boolean;
  readonly quarantined?: boolean;
  readonly rule?: "standing" | "pre-approved" | undefined;
  readonly named?: boolean;
}

function question(cell: Cell): Question {
  const { level, effect } = cell;
  const state = emptyState("5".repeat(16));
  state.settings = {
    agent: AGENT,
    wallet: "coder",
    autonomy: level,
    models: [],
    limits: DEFAULT_LIMITS,
  };
  const text = cell.named === true ? "send it to bob, 1 USD" : "go";
  state.said.push({ seq: 1, atMs: 0, text, files: [], who: "cli:root", mayDecide: true });
  if (cell.tainted === true) bringIn(state, { from: "page a", atMs: 0, seq: 2, text: "words" });
  if (cell.confidential === true) state.confidential.push({ what: "a.csv", atMs: 0, call: "1.1" });
  const rule = parseRule("act(bob)");
  if (cell.rule === "standing") state.standing.push({ rule, who: "cli:root", atMs: 0 });
  if (cell.rule === "pre-approved") state.preApproved.push({ rule, from: "skill x" });
  const tool = defineAgentTool({
    name: "act",
    description: "Acts.",
    input: z.strictObject({ to: z.string() }),
    highestEffect: effect,
    mainArgument: "to",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: false,
    run: () => Promise.resolve({ ok: true, text: "" }),
  });
  const target = { kind: "account", to: "bob", ...(effect === "spend" ? { amount: "1" } : {}) };
  return {
    state,
    session: { id: state.session, outside: state.outside, services: {} },
    call: { id: "2.1", turn: 2, run: 1, tool: "act", input: { to: "bob" }, notes: [] },
    tool,
    input: { to: "bob" },
    effect,
    targets: [target],
    paths: [],
    key: undefined,
    held: cell.quarantined === true
      ? [{ argument: "to", id: "3.1", from: "page a", text: "bob" }]
      : [],
    ...(effect === "spend" && cell.named === true ? { grants: ["1 account bob 1"] } : {}),
  };
}

/** Levels and effects with their marks. */
function rowsOf(table: string): readonly (readonly [Autonomy, Effect, string])[] {
  return table.split("\n").filter((line) => /^L\d/.test(line)).map((line) => {
    const [level = "", effect = "", ...marks] = line.split(/\s+/);
    return [Number(level.slice(1)) as Autonomy, effect as Effect, marks.join("")] as const;
  });
}

const BOTH = [false, true];
/** Nothing, confidential, quarantined, both. */
const HELD = BOTH.flatMap((quarantined) =>
  BOTH.map((confidential) => ({ confidential, quarantined }))
);

describe("judge() gives for each cell what the rules say", () => {
  const rows = rowsOf(CELLS);

  test("the table has every level and effect", () => {
    expect(rows).toHaveLength(7 * EFFECTS.length);
    for (const [, , marks] of rows) expect(marks).toHaveLength(16);
  });

  test.each(rows)(
    "L%i %s %s [A-046 A-055 A-060 A-064 A-580..A-584 A-616 A-618 A-619]",
    (level, effect, marks) => {
      for (const rule of ["standing", "pre-approved"] as const) {
        const found = BOTH.flatMap((withRule) =>
          BOTH.flatMap((tainted) =>
            HELD.map((held) => {
              const cell = { level, effect, tainted, ...held, rule: withRule ? rule : undefined };
              return MARKS[judge(question(cell)).verdict];
            })
          )
        ).join("");
        expect(found, rule).toBe(marks);
      }
    },
  );

  test.each(rowsOf(NAMED))("named after taint: L%i %s %s [A-055]", (level, effect, marks) => {
    const found = HELD.map((held) =>
      MARKS[judge(question({ level, effect, tainted: true, named: true, ...held })).verdict]
    ).join("");
    expect(found).toBe(marks);
  });

  test("an approval of the call answers every question and no refusal [A-048 A-584]", () => {
    for (const [level, effect, marks] of rows) {
      const cells = BOTH.flatMap((tainted) => HELD.map((held) => ({ tainted, ...held })));
      for (const [index, cell] of cells.entries()) {
        const asked = question({ level, effect, ...cell });
        const decided = { atMs: 0, approve: true, who: "cli:root" };
        const { verdict } = judge({ ...asked, call: { ...asked.call, decided } });
        expect(verdict, `L${level} ${effect}`).toBe(marks[index] === "x" ? "refuse" : "run");
      }
    }
  });
});

test("judge() shows what a quarantined value is and where it comes from [A-627]", () => {
  const { why } = judge(question({ level: 6, effect: "write", quarantined: true }));
  expect(why).toBe('to comes from quarantine (outside 3.1, page a): "bob"');
  const long = question({ level: 6, effect: "write" });
  const held = [{ argument: "to", id: "4.1", from: "page b", text: "y".repeat(1_200) }];
  expect(judge({ ...long, held }).why).toMatch(/y{1000}… \(200 more characters\)"$/);
});
