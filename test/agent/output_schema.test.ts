/** `--output-schema`: the answer is held to a JSON Schema, and asked for anew when it does not fit. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  continueSession,
  exitCodeOf,
  runAgent,
  traceLines,
  traceSession,
} from "#internal/agent/mod.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";

const SCHEMA = {
  type: "object",
  properties: { total: { type: "number", minimum: 0 }, who: { enum: ["bob", "carol"] } },
  required: ["total"],
  additionalProperties: false,
};

async function run(machine: TestMachine, turns: readonly Turn[], schema: unknown = SCHEMA) {
  const heard = hearing();
  writeFileSync(join(machine.folder, "form.json"), JSON.stringify(schema));
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "How much is it?",
    models: [scriptOf(machine, turns)],
    who: "cli:root",
    given: { outputSchema: "form.json" },
  }, heard.listener);
  return { ...heard, end, done: heard.events.filter(({ type }) => type === "done") };
}

describe("--output-schema", () => {
  test("gives the value of an answer that fits, bare or in a block of code", async () => {
    for (const say of ['{"total": 3}', "Words before.", '```json\n{"total": 3}\n```']) {
      const turns = say.startsWith("W")
        ? [{ say, calls: [{ tool: "ledger_balance" }] }, { say: ' {"total":3}\n' }]
        : [{ say }];
      const { done, end } = await run(testMachine(), turns);
      expect(done).toEqual([expect.objectContaining({ type: "done", value: { total: 3 } })]);
      expect(exitCodeOf(end)).toBe(0);
    }
  });

  test("tells the model what does not fit and asks again, in the run of the same message", async () => {
    const machine = testMachine();
    const { done, lines, end, json } = await run(machine, [
      { say: "It is 3." },
      { say: '{"total": -3, "who": "mallory", "x": 1}' },
      { say: '{"total": 3}' },
    ]);
    expect(lines.filter((line) => line.startsWith("the answer"))).toEqual([
      expect.stringMatching(
        /^the answer does not fit the schema \(it is no JSON \(.*\): asked again$/,
      ),
      'the answer does not fit the schema (the value must NOT have additional properties "x"; ' +
      '/total must be >= 0; /who must be equal to one of the allowed values ["bob","carol"]): ' +
      "asked again",
    ]);
    expect(done).toEqual([expect.objectContaining({ said: '{"total": 3}', value: { total: 3 } })]);
    expect(JSON.parse(json.at(-1) ?? "")).toMatchObject({ event: "done", value: { total: 3 } });
    expect(traceLines(traceSession(machine, end.session)).join("\n")).toContain("answer refused: ");
  });

  test("stops with exit 7 when three answers more do not fit, and tries again when continued", async () => {
    const machine = testMachine();
    const wrong = { say: "no" };
    const { end, done } = await run(machine, [wrong, wrong, wrong, wrong, { say: '{"total":1}' }]);
    expect(end).toMatchObject({
      how: "stopped",
      code: "output-schema",
      message: expect.stringMatching(
        /^the answer does not fit the schema, asked 3 times: it is no/,
      ),
    });
    expect([exitCodeOf(end), done]).toEqual([7, []]);
    const heard = hearing();
    const next = await continueSession(
      machine,
      { session: end.session, who: "cli:root" },
      heard.listener,
    );
    expect(exitCodeOf(next)).toBe(0);
    expect(heard.events.at(-1)).toMatchObject({ type: "done", value: { total: 1 } });
  });

  test("refuses before there is a session what is no schema, or has a slip in it", async () => {
    const machine = testMachine();
    for (
      const [schema, why] of [
        [{ type: "nothing" }, "--output-schema form.json is no JSON Schema ("],
        [{ type: "object", requierd: ["a"] }, 'unknown keyword: "requierd"'],
        [{ $ref: "https://example.com/a" }, "can't resolve reference"],
        [[], "it is no object"],
      ] as const
    ) {
      await expect(run(machine, [], schema)).rejects.toThrow(why);
    }
    expect(machine.sessions.list()).toEqual([]);
  });

  test("holds answers to patterns in linear time, and refuses one for which there is none", async () => {
    const schema = {
      type: "object",
      properties: { name: { pattern: "^(a+)+$" } },
      patternProperties: { "^(n+a?m?e?)+$": { type: "string" } },
      propertyNames: { pattern: "^(n?a?m?e?)*$" },
    };
    const wrong = JSON.stringify({ name: `${"a".repeat(5_000)}!` });
    const { done, lines } = await run(
      testMachine(),
      [{ say: wrong }, { say: '{"name":"aaa"}' }],
      schema,
    );
    expect(lines).toContain(
      'the answer does not fit the schema (/name must match pattern "^(a+)+$"): asked again',
    );
    expect(done).toEqual([expect.objectContaining({ value: { name: "aaa" } })]);
    await expect(run(testMachine(), [], { type: "string", pattern: "^(?!a)" })).rejects.toThrow(
      '--output-schema form.json has the pattern "^(?!a)", which is not taken (invalid or ' +
        "unsupported Perl syntax: `(?!`): say it without looking ahead, back, or at an earlier group",
    );
  });

  test("does not break off at a value that is nested deeper than the engine follows", async () => {
    const schema = { type: "array", items: { $ref: "#" } };
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const { done, lines } = await run(testMachine(), [{ say: deep }, { say: "[[]]" }], schema);
    expect(lines.filter((line) => line.startsWith("the answer"))).toEqual([
      expect.stringMatching(/^the answer does not fit the schema \(it is /),
    ]);
    expect(done).toEqual([expect.objectContaining({ value: [[]] })]);
  });

  test("takes draft-07 where the schema says so", async () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { n: { type: "integer" } },
      items: [{ $ref: "#/definitions/n" }],
      type: "array",
    };
    const { done } = await run(testMachine(), [{ say: '["x"]' }, { say: "[1]" }], schema);
    expect(done).toEqual([expect.objectContaining({ value: [1] })]);
  });
});
