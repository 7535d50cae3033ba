/** One call of a tool: its input checked, its errors told as sentences, its bugs contained. */
import { closest, type JsonValue, messageOf, SionError } from "#internal/core/mod.ts";
import type * as z from "zod";
import { isObject, ProtocolError } from "./json_rpc.ts";
import { InputRequired } from "./peer.ts";
import { refused, type Tool, type ToolContext, type ToolFailure, type ToolResult } from "./tool.ts";

/** What a check of arguments gave. */
export type CheckedInput<Input = unknown> =
  | { readonly ok: true; readonly input: Input }
  | ToolFailure;

/**
 * Checks a call's arguments against the tool's schema. A failure (code `argument`) is one sentence
 * that names the argument and what to give.
 */
export async function checkInput<Input>(
  tool: Tool<never, Input>,
  given: JsonValue,
): Promise<CheckedInput<Input>> {
  const parsed = await tool.input.safeParseAsync(given);
  if (parsed.success) return { ok: true, input: parsed.data };
  const issue = parsed.error.issues[0];
  return refused(
    "argument",
    issue ? describe(tool, given, issue) : `${tool.name} cannot read this`,
  );
}

/**
 * Makes a call. An error with a code becomes a failure with its sentence, anything else that is
 * thrown a failure with the code `internal`. Rejects only with what the context's own `peer` throws.
 */
export async function callTool<Context extends ToolContext>(
  tool: Tool<Context>,
  context: Context,
  given: JsonValue,
): Promise<ToolResult> {
  try {
    const checked = await checkInput(tool, given);
    if (!checked.ok) return checked;
    if (context.signal.aborted) return refused("cancelled", `${tool.name} was cancelled`);
    return await tool.run(context, checked.input);
  } catch (thrown) {
    // These are not about the tool, but between the server and its client.
    if (thrown instanceof InputRequired || thrown instanceof ProtocolError) throw thrown;
    return failureOf(tool.name, thrown, context.signal);
  }
}

function failureOf(name: string, thrown: unknown, signal: AbortSignal): ToolFailure {
  if (thrown instanceof SionError) {
    // Who throws knows whether anything was sent; silence is no promise.
    const noEffect = thrown.data["noEffect"] === true;
    return { ok: false, code: thrown.code, message: thrown.message, noEffect };
  }
  if (signal.aborted) {
    return { ok: false, code: "cancelled", message: `${name} was cancelled`, noEffect: false };
  }
  const message = `${name} failed inside: ${messageOf(thrown)}`;
  return { ok: false, code: "internal", message, noEffect: false };
}

function describe(tool: Tool<never>, given: JsonValue, issue: z.core.$ZodIssue): string {
  const at = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const unknown = [...issue.path.map(String), issue.keys[0]].join(".");
    return unknownArgument(tool, unknown);
  }
  const value = valueAt(given, issue.path);
  if (issue.code === "invalid_type") {
    const wanted = TYPE_WORDS[issue.expected] ?? `of the type ${issue.expected}`;
    if (at === "") return `${tool.name} takes an object of arguments: this is ${shown(value)}`;
    if (value === undefined) return missingArgument(tool, at, wanted);
    if (typeof value === "bigint") return `${at} ${value} is too large: give a smaller number`;
    return `${at} must be ${wanted}: this is ${shown(value)}`;
  }
  return at === "" ? issue.message : `${at} ${issue.message}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  string: "a string",
};

function missingArgument(tool: Tool<never>, name: string, wanted: string): string {
  const meaning = argumentsOf(tool).get(name);
  return `${tool.name} needs ${name}, ${wanted}${meaning === undefined ? "" : `: ${meaning}`}`;
}

function unknownArgument(tool: Tool<never>, name: string): string {
  const known = [...argumentsOf(tool).keys()];
  const near = closest(name, known);
  if (near !== undefined) return `${tool.name} has no argument ${name}: did you mean ${near}`;
  const takes = known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`;
  return `${tool.name} has no argument ${name.slice(0, 64)}: ${takes}`;
}

/** The arguments of a tool with their descriptions. */
function argumentsOf(tool: Tool<never>): ReadonlyMap<string, string | undefined> {
  const shape = (tool.input as Partial<z.ZodObject>).shape ?? {};
  return new Map(
    Object.entries(shape).map(([name, type]) => [name, (type as z.ZodType).description]),
  );
}

function valueAt(given: JsonValue, path: readonly PropertyKey[]): JsonValue | undefined {
  let value: JsonValue | undefined = given;
  for (const key of path) {
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(key)];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

function shown(value: JsonValue | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") {
    const cut = value.length > 40 ? `${value.slice(0, 40)}…` : value;
    return `the string ${JSON.stringify(cut)}`;
  }
  return typeof value === "object" ? "an object" : String(value);
}
