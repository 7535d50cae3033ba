/** What is wrong with a call's arguments, in one sentence. Loaded when something is. */
import { closest, type JsonValue } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { isObject } from "./json_rpc.ts";
import { refused, type Tool, type ToolFailure } from "./tool.ts";

/** The failure of a call whose arguments the tool's schema does not take. */
export function argumentFailure(
  tool: Tool<never>,
  given: JsonValue,
  [issue]: readonly z.core.$ZodIssue[],
): ToolFailure {
  return refused(
    "argument",
    issue ? describe(tool, given, issue) : `${tool.name} cannot read this`,
  );
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
  const { shape = {} } = tool.input as {
    readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  };
  return new Map(
    Object.entries(shape).map((
      [name, type],
    ) => [name, z.globalRegistry.get(type)?.description]),
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
