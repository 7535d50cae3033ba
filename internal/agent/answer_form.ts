/** The form that a session's answers have to have: a JSON Schema, and how a text is held to it. */
import type { Ajv as OldAjv, ErrorObject } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { messageOf } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { SchemaPattern } from "#internal/search/mod.ts";
import { schemaPatterns } from "#internal/search/mod.ts";
import { AgentError } from "./errors.ts";
import type { SessionState } from "./state.ts";

/** So often an answer is refused before the run stops. */
export const MOST_REFUSALS = 3;
/** What is wrong with an answer is said for so many places of it. */
const MOST_ISSUES = 5;
/** The name under which a session keeps its schema. */
export const OUTPUT_SCHEMA = "output-schema";

/** Holds answers to a schema. */
export interface AnswerForm {
  /** What does not fit, one sentence; nothing when the answer fits. */
  misfit(answer: string): string | undefined;
}

/**
 * Reads a schema: of JSON Schema 2020-12, or draft-07 when its `$schema` says so. `format` is not
 * checked, as the standard has it. Patterns are looked for in time linear in the answer.
 * @throws {AgentError} `option` when it is none, or has a pattern for which there is no such time
 */
export async function answerForm(schema: JsonValue, named: string): Promise<AnswerForm> {
  const bad = (why: string, cause?: unknown): AgentError =>
    new AgentError(
      "option",
      `${named} is no JSON Schema (${why}): give one of draft 2020-12 or draft-07`,
      { cause },
    );
  if (schema === null || typeof schema !== "object" || Array.isArray(schema)) {
    throw bad("it is no object");
  }
  const { $schema } = schema as { readonly $schema?: JsonValue };
  const isOld = typeof $schema === "string" && $schema.includes("draft-07");
  const Ajv = isOld ? await older() : await newer();
  // What it does not know is a slip of whoever wrote it, not something to pass over.
  const ajv = new Ajv({
    allErrors: true,
    // Else names of the schema are held to its own patterns, by the engine that goes back.
    allowMatchingProperties: true,
    code: { regExp: await patternEngine(named) },
    strictRequired: false,
    strictTypes: false,
    strictTuples: false,
    validateFormats: false,
    logger: false,
  });
  let validate: ReturnType<typeof ajv.compile>;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw error instanceof AgentError ? error : bad(messageOf(error), error);
  }
  return {
    misfit(answer) {
      const read = readAnswer(answer);
      if ("why" in read) return read.why;
      try {
        if (validate(read.value)) return undefined;
      } catch (error) {
        // The engine's stack; the value is of a model, and no reason to break off.
        if (error instanceof RangeError) return "it is nested too deep";
        throw error;
      }
      return (validate.errors ?? []).slice(0, MOST_ISSUES).map(issueOf).join("; ");
    },
  };
}

/** What ajv makes patterns with. */
async function patternEngine(named: string) {
  const read = await schemaPatterns();
  const engine = (source: string): SchemaPattern => {
    try {
      return read(source);
    } catch (cause) {
      throw new AgentError(
        "option",
        `${named} has the pattern ${JSON.stringify(source)}, which is not taken ` +
          `(${messageOf(cause)}): say it without looking ahead, back, or at an earlier group`,
        { cause },
      );
    }
  };
  return Object.assign(engine, { code: "linear" });
}

/** The value of the last answer, when the session's answers are values. */
export function answerValue(state: SessionState): JsonValue | undefined {
  const { capabilities = {} } = state.settings ?? {};
  if (!Object.hasOwn(capabilities, OUTPUT_SCHEMA)) return undefined;
  const read = readAnswer(lastAnswer(state));
  return "value" in read ? read.value : undefined;
}

/** What the model said last, without what it said before its calls. */
export function lastAnswer(state: SessionState): string {
  const entry = state.entries.at(-1);
  return entry !== undefined && "turn" in entry ? state.turns[entry.turn]?.text ?? "" : "";
}

/** How often an answer was refused since the person's message, or since the run was gone on with. */
export function refusals({ entries, said, budget }: SessionState): number {
  const from = entries.findLastIndex((entry) =>
    "turn" in entry
      ? entry.turn < budget.turns
      : "said" in entry && said[entry.said]?.check !== true
  );
  return entries.slice(from + 1).filter((entry) => "said" in entry).length;
}

/** A JSON value, or one in a block of code, as models like to write it. */
function readAnswer(answer: string): { readonly value: JsonValue } | { readonly why: string } {
  const text = /^\s*```(?:json)?\s*\n([\s\S]*?)\n```\s*$/.exec(answer)?.[1] ?? answer;
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { why: `it is no JSON (${messageOf(error)})` };
  }
}

// A bundle has no names of what these CommonJS modules export, only the whole of it.

async function older(): Promise<typeof OldAjv> {
  return (await import("ajv")).default.Ajv;
}

async function newer(): Promise<typeof Ajv2020> {
  return (await import("ajv/dist/2020.js")).default.Ajv2020;
}

function issueOf({ instancePath, message = "does not fit", params }: ErrorObject): string {
  const at = instancePath === "" ? "the value" : instancePath;
  const named = ["additionalProperty", "allowedValues", "allowedValue"]
    .flatMap((name) => name in params ? [JSON.stringify(params[name])] : []);
  return [`${at} ${message}`, ...named].join(" ");
}
