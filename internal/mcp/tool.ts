/**
 * The one type of every tool: what `sion mcp` serves, what an agent's session offers to its model,
 * what first-party servers serve, and what a remote MCP server offers. The adapters differ, the type
 * does not. zod appears here as a type only, so that a server can answer before it is loaded.
 */
import { type JsonValue, stringifyJson } from "#internal/core/mod.ts";
import type * as z from "zod";
import type { Peer } from "./peer.ts";

/**
 * A schema of zod, in either of its forms: of `zod`, or of `zod/mini`, of which a server reads a
 * third before its first answer.
 */
export interface Schema<Value = unknown> extends z.core.$ZodType<Value> {
  parse(given: unknown): Value;
  safeParse(given: unknown): z.core.util.SafeParseResult<Value>;
  safeParseAsync(given: unknown): Promise<z.core.util.SafeParseResult<Value>>;
}

/** What a call can do, from least to most. Levels of autonomy are tables over these. */
export type Effect = "read" | "write" | "external" | "spend";

/** The effects in rising order: a later one includes the harm of those before it. */
export const EFFECTS: readonly Effect[] = ["read", "write", "external", "spend"];

/** Where a call goes, in the words that a person would have used to name it. */
export type Target = {
  /** What kind of place it is, for sentences: `account`, `url`, `address`, `channel`, … */
  readonly kind: string;
  /** The place itself: a wallet name, an account, an address, a URL. */
  readonly to: string;
  /** How much goes there, decimal USD, when money does. */
  readonly amount?: string;
};

/** A file that a call uses; relative to the workspace, as the model wrote it. */
export type PathUse = { readonly path: string; readonly use: "read" | "write" };

/** What a tool may ask of the session it is called in, to tell how far this one call reaches. */
export interface ToolSession {
  readonly id: string;
  /** What brought content from outside into the session so far; empty while nothing did. */
  readonly outside: readonly string[];
}

/** A piece of a result that is not plain text; shapes as in MCP. `data` is base64. */
export type ToolContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
    readonly type: "resource_link";
    readonly uri: string;
    readonly name: string;
    readonly mimeType?: string;
  }
  | {
    readonly type: "resource";
    readonly resource:
      & { readonly uri: string; readonly mimeType?: string }
      & (
        | { readonly text: string }
        | { readonly blob: string }
      );
  };

/** The call was carried out. */
export type ToolSuccess = {
  readonly ok: true;
  /** What the model reads. */
  readonly text: string;
  /** The same as a value, for programs; a tool with an `output` schema always has it. */
  readonly value?: JsonValue;
  /** The same with images and links, where the text alone does not say it all. */
  readonly content?: readonly ToolContent[];
  /**
   * Files of the workspace of which the result shows something, links followed, relative to it: where
   * a call's `paths` cannot say it before, as of a search, and where a link leads to another file.
   */
  readonly shown?: readonly string[];
  /**
   * Addresses that the result offers to be read, as a search's results and a page's links are. To
   * read one of them, unchanged, carries nothing out, so it counts as named.
   */
  readonly offers?: readonly string[];
  /** Files of the workspace that go to the person after the answer, relative to it. */
  readonly sends?: readonly string[];
};

/** The call was not carried out, or what it asked for was refused. Only bugs throw. */
export type ToolFailure = {
  readonly ok: false;
  /** Stable, for programs: `node-unreachable`, `argument`, `cancelled`, … */
  readonly code: string;
  /** One sentence for the model: what is wrong, a colon, what to do. */
  readonly message: string;
  /** True when it is certain that nothing was done, so that the call may be made again. */
  readonly noEffect: boolean;
};

/** What a call gave. */
export type ToolResult = ToolSuccess | ToolFailure;

/** How far a call got; `total` is missing when unknown. */
export type ToolProgress = {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
};

/** What every call is handed; an adapter's own context adds its services to it. */
export interface ToolContext {
  /** Aborted when nobody waits for the answer any more. A tool then stops as soon as it can. */
  readonly signal: AbortSignal;
  /** Says how far the call got. Missing when nobody listens. */
  readonly progress?: (progress: ToolProgress) => void;
  /** Who called, to be asked and told things. Missing where nobody can be. */
  readonly peer?: Peer;
}

/**
 * A tool. `Context` is what its `run` needs besides; `Input` is what its schema yields. Tools of
 * different inputs stand in one list as `Tool<Context>`.
 */
export interface Tool<Context extends ToolContext = ToolContext, Input = unknown> {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, unique in its list. */
  readonly name: string;
  /** A name for people, where a client shows one. */
  readonly title?: string;
  /** What it does, for the model. Sent as it stands. */
  readonly description: string;
  /** A strict object schema; `toJSONSchema` of it is what clients see. */
  readonly input: Schema<Input>;
  /** What `value` is, where it is fixed. */
  readonly output?: Schema;
  /** The wire form of the input where it does not come from `input`: a remote tool's own schema. */
  readonly inputSchema?: JsonValue;

  /** The most that a call can do. */
  readonly highestEffect: Effect;
  /** What this very call can do, never above `highestEffect`, which holds when this is missing. */
  effect?(input: Input, session: ToolSession): Effect;
  /** Where the call goes and how much; empty or missing when it goes nowhere. */
  targets?(input: Input): readonly Target[];
  /**
   * What a result brought in from outside (a host, a server, a sender), to be named as the cause of
   * taint; `undefined` when it holds nothing that strangers wrote.
   */
  outside?(result: ToolResult, input: Input): string | undefined;
  /** The files that the call reads or writes. */
  paths?(input: Input): readonly PathUse[];
  /** True when making the same call twice does no more than making it once. */
  readonly repeatHarmless: boolean;
  /** True when a call can do what nothing takes back, though it spends nothing. @default false */
  readonly irreversible?: boolean;
  /** True when a call can read files of the workspace that its `paths` do not name, as a command can. */
  readonly readsWorkspace?: boolean;
  /** True when results hold what is for the person alone: numbers of papers, of accounts, keys. */
  readonly personal?: boolean;
  /** True when the tool deals with parties that this system does not know or control. */
  readonly openWorld: boolean;
  /** The argument that rules like `tool(prefix:*)` are about. */
  readonly mainArgument?: string;
  /** Whether a program that the model wrote may call it, with no eye of the model on each call. */
  readonly fromPrograms: boolean;
  /** Bytes of result text that are kept, head and tail. @default 65536 */
  readonly outputLimitBytes?: number;

  /** Carries the call out. `input` has passed the schema. */
  run(context: Context, input: Input): Promise<ToolResult>;
}

/** A tool that is loaded when it is first needed. */
export interface LazyTool<Context extends ToolContext = ToolContext> {
  /** The tool's own. */
  readonly name: string;
  load(): Promise<Tool<Context>>;
}

/** The tool itself. */
export async function loadTool<Context extends ToolContext>(
  tool: Tool<Context> | LazyTool<Context>,
): Promise<Tool<Context>> {
  return "load" in tool ? await tool.load() : tool;
}

/**
 * Declares a tool; the input's type comes from its schema and the context's from `run`.
 *
 * @example
 * ```ts
 * const echo = defineTool({
 *   name: "echo",
 *   description: "Says it again.",
 *   input: z.strictObject({ text: z.string() }),
 *   highestEffect: "read",
 *   repeatHarmless: true,
 *   openWorld: false,
 *   fromPrograms: true,
 *   run: (_context: ToolContext, { text }) => Promise.resolve({ ok: true, text }),
 * });
 * ```
 */
export function defineTool<Context extends ToolContext, Input>(
  tool: Tool<Context, Input>,
): Tool<Context, Input> {
  return tool;
}

/** A failure that happened before anything was done. */
export function refused(code: string, message: string): ToolFailure {
  return { ok: false, code, message, noEffect: true };
}

/** A success whose value is JSON; the text is the same value, pretty-printed. */
export function jsonResult(value: JsonValue): ToolSuccess {
  return { ok: true, text: stringifyJson(value, 2), value };
}
