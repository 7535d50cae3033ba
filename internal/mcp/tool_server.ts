/** What a server of ours is, whatever its tools: who it is, and its tools as the wire shows them. */
import type { JsonValue } from "#internal/core/mod.ts";
import { callTool } from "./call_tool.ts";
import { invalidParams, isObject, type JsonObject } from "./json_rpc.ts";
import type { Offers } from "./offers.ts";
import { type LazyTool, loadTool, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

/** A server to be run: everything but its streams. */
export interface ServerDefinition<Context extends ToolContext = ToolContext> {
  /** How it names itself to clients. */
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  /** What the model is told about the tools as a whole. */
  readonly instructions: string;
  /** The tools in the order clients see. Asked for at the first request that needs them. */
  readonly tools: () => Promise<readonly (Tool<Context> | LazyTool<Context>)[]>;
  /** What it offers besides tools. @default nothing */
  readonly offers?: Offers;
  /** Adds what the tools need to what every call has. */
  readonly context: (base: ToolContext) => Context;
  /** Gives back what the calls opened. Called once, when no call runs any more. */
  close?(): Promise<void>;
}

/** A definition with its tools loaded when first needed, once. */
export interface ToolServer {
  readonly info: ServerDefinition["info"];
  readonly instructions: string;
  readonly offers: Offers;
  /** The tools as `tools/list` shows them. */
  list(): Promise<readonly JsonObject[]>;
  /** The tools are others now: they are asked for again. */
  toolsChanged(): void;
  /** Makes a call; an unknown name is a failure that says so. */
  call(name: string, given: JsonValue, base: ToolContext): Promise<ToolResult>;
}

/** Makes a server of its definition. Loads nothing yet. */
export function toolServer<Context extends ToolContext>(
  definition: ServerDefinition<Context>,
): ToolServer {
  type Listed = Tool<Context> | LazyTool<Context>;
  let loading: Promise<ReadonlyMap<string, Listed>> | undefined;
  let listing: Promise<readonly JsonObject[]> | undefined;
  const tools = (): Promise<ReadonlyMap<string, Listed>> =>
    loading ??= definition.tools().then((list) => new Map(list.map((tool) => [tool.name, tool])));
  return {
    info: definition.info,
    instructions: definition.instructions,
    offers: definition.offers ?? {},
    list: () =>
      listing ??= tools().then(async (map) =>
        describeTools(await Promise.all([...map.values()].map((tool) => loadTool(tool))))
      ),
    toolsChanged() {
      loading = undefined;
      listing = undefined;
    },
    async call(name, given, base) {
      const listed = (await tools()).get(name);
      if (listed === undefined) {
        return { ok: false, code: "unknown-tool", message: `unknown tool ${name}`, noEffect: true };
      }
      const tool = await loadTool(listed);
      const result = await callTool(tool, definition.context(base), given);
      return tool.highestEffect === "read" ? bounded(name, result) : result;
    },
  };
}

/** The longest text that reading gives: more fills a model's context and is of no use there. */
const MAX_RESULT_LENGTH = 1 << 20;

/** Asks for less where reading gave too much; what a call did is always told. */
function bounded(name: string, result: ToolResult): ToolResult {
  if (!result.ok || result.text.length <= MAX_RESULT_LENGTH) return result;
  const why = `${name} found ${result.text.length} characters, more than ${MAX_RESULT_LENGTH}`;
  return { ok: false, code: "too-long", message: `${why}: ask for less of it`, noEffect: true };
}

/** What a server declares of its tools. */
export function toolsCapability({ offers }: ToolServer): JsonObject {
  return offers.watch === undefined ? {} : { listChanged: true };
}

/** Tools as `tools/list` shows them. */
export async function describeTools(tools: readonly Tool<never>[]): Promise<JsonObject[]> {
  const { wireSchema } = await import("./wire_schema.ts");
  return tools.map((tool) => ({
    annotations: annotationsOf(tool),
    description: tool.description,
    inputSchema: wireSchema(tool),
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: tool.title }),
  }));
}

/** What a tool says of itself to clients, from what the runtime holds it to. */
function annotationsOf(tool: Tool<never>): JsonObject {
  const readOnlyHint = tool.highestEffect === "read";
  return {
    // Money that is gone does not come back; other writes of ours only add, unless they say so.
    destructiveHint: tool.highestEffect === "spend" || tool.irreversible === true,
    idempotentHint: readOnlyHint || tool.repeatHarmless,
    openWorldHint: tool.openWorld,
    readOnlyHint,
  };
}

/** The parameters of `tools/list`. All tools are on the one page, so no cursor is ever known. */
export function checkListParams(params: JsonObject): void {
  if (params["cursor"] !== undefined) {
    throw invalidParams("unknown cursor");
  }
}

/** The parameters of `tools/call`. */
export function readCallParams(params: JsonObject): { name: string; given: JsonObject } {
  const name = params["name"];
  if (typeof name !== "string") {
    throw invalidParams("tools/call needs the tool's name");
  }
  const given = params["arguments"] ?? {};
  if (!isObject(given)) {
    throw invalidParams("arguments must be an object");
  }
  return { name, given };
}

/** A call's result as the wire shows it. */
export function wireResult(result: ToolResult): JsonObject {
  if (!result.ok) return { content: [{ text: result.message, type: "text" }], isError: true };
  return {
    content: (result.content ?? [{ text: result.text, type: "text" }]) as JsonValue,
    ...(result.value === undefined ? {} : { structuredContent: result.value }),
  };
}
