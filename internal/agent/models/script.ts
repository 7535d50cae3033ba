/**
 * Scripted models, for tests, demos and recordings: a JSON file with an array of turns,
 * `{"say": text, "calls": [{"tool": name, "input": {…}}]}`, either key may be missing. `"say"` may be
 * an array of texts, which come one after the other, and `"usage"` says what a turn is to have taken:
 * `{"input": tokens, "output": tokens, "cost_usd": "0.01"}`. The turns are taken in order whatever
 * comes back; a run ends with a turn without calls, and a continued session goes on with the next turn.
 */
import { basename, resolve } from "node:path";
import * as z from "zod";
import {
  messageOf,
  OUTSIDE_DEPTH,
  parseJson,
  parseUsd,
  stringifyJson,
} from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { AgentError } from "../errors.ts";
import type { Model, ModelPart, ModelProvider } from "./_model.ts";
import { ModelError } from "./_model.ts";

const turnSchema = z.strictObject({
  say: z.union([z.string(), z.array(z.string())]).exactOptional(),
  calls: z.array(z.strictObject({
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()).exactOptional(),
  })).exactOptional(),
  usage: z.strictObject({
    input: z.number().int().min(0),
    output: z.number().int().min(0),
    cost_usd: z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, "give USD, at most six decimals")
      .exactOptional(),
  }).exactOptional(),
});
type ScriptTurn = z.infer<typeof turnSchema>;

/** `script:<file>`. */
export const script: ModelProvider = {
  scheme: "script",
  usage: "<file>",
  canonical: (path, cwd) => resolve(cwd, path),
  async open(path, { readText }): Promise<Model> {
    let text: string;
    try {
      text = await readText(path);
    } catch (cause) {
      const message = (cause as { code?: unknown }).code === "ENOENT"
        ? `there is no script ${path}: give one as --model script:<file>`
        : `the script ${path} cannot be read: ${messageOf(cause)}`;
      throw new AgentError("script", message, { cause });
    }
    const turns = parseScript(path, text);
    return {
      name: `script:${path}`,
      // It reads nothing.
      contextTokens: Infinity,
      summarizes: false,
      cost: () => 0n,
      mostCost: ({ turn }) => costOfTurn(turns[turn - 1]),
      respond: ({ turn }) => play(path, turns, turn),
    };
  },
};

/** The turns of a script's text. @throws {AgentError} `script`, naming the turn and its fault. */
export function parseScript(path: string, text: string): readonly ScriptTurn[] {
  const wrong = (why: string) =>
    new AgentError(
      "script",
      `${path} is no script: ${why}: give an array of turns like ` +
        `[{"say": "Hello."}] or [{"calls": [{"tool": "ledger_balance", "input": {}}]}]`,
    );
  let parsed: JsonValue;
  try {
    parsed = parseJson(text, { maxDepth: OUTSIDE_DEPTH });
  } catch (error) {
    throw wrong(`it is not JSON (${messageOf(error)})`);
  }
  if (!Array.isArray(parsed)) throw wrong("it is not an array");
  return parsed.map((turn: JsonValue, index) => {
    const read = turnSchema.safeParse(turn);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const where = issue === undefined || issue.path.length === 0
      ? ""
      : ` at ${issue.path.join(".")}`;
    throw wrong(`turn ${index + 1}${where}: ${issue?.message ?? "not as described"}`);
  });
}

async function* play(
  path: string,
  turns: readonly ScriptTurn[],
  number: number,
): AsyncGenerator<ModelPart> {
  const turn = turns[number - 1];
  if (turn === undefined) {
    const played = turns.length === 1 ? "its 1 turn was" : `its ${turns.length} turns were`;
    throw new ModelError(
      "ended",
      `the script ${basename(path)} has no turn ${number} (${played} played)`,
    );
  }
  for (const text of [turn.say ?? []].flat()) {
    if (text !== "") yield { type: "text", text };
  }
  for (const { tool, input } of turn.calls ?? []) {
    yield { type: "call", tool, input: stringifyJson(input ?? {}) };
  }
  const { input, output } = turn.usage ?? { input: 0, output: 0 };
  yield { type: "usage", input, output, costMicro: costOfTurn(turn) };
  yield { type: "end", stop: "end" };
}

function costOfTurn(turn: ScriptTurn | undefined): bigint {
  return parseUsd(turn?.usage?.cost_usd ?? "0", { allowZero: true });
}
