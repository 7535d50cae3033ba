/** What an agent's tool is besides a Tool. One file a tool; `mod.ts` lists them. */
import * as z from "zod";
import { messageOf } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type {
  Effect,
  Tool,
  ToolContext,
  ToolFailure,
  ToolResult,
  ToolSession,
} from "#internal/mcp/mod.ts";
import type { CapabilityName, Services } from "../capabilities/mod.ts";
import type { Charge } from "../charge.ts";
import type { AgentLedger } from "../ledger.ts";
import type { ProgramAccess } from "../program_access.ts";
import type { Reader } from "../quarantine.ts";
import type { Workspace } from "../workspace.ts";

/** A fact that is kept before a call acts. */
export type Note = { readonly [name: string]: JsonValue };

/** What an agent's tools are handed. */
export interface AgentToolContext extends ToolContext {
  /** The session's id, 16 hex digits. */
  readonly session: string;
  /** The call's id, unique in the session. */
  readonly call: string;
  /**
   * As `signal`, but not aborted by a person's stop: for what must not be left halfway.
   * @default `signal`
   */
  readonly deadline?: AbortSignal;
  /** What brought content from outside into the session so far; empty while nothing did. */
  readonly outside: readonly string[];
  readonly ledger: AgentLedger;
  /** The folder that file tools work in; missing when the session has none. */
  readonly workspace?: Workspace;
  /** What the session's capabilities give, by their names. */
  readonly services: Services;
  /** Asks about content held in quarantine; missing where none is. */
  readonly reader?: Reader;
  /** True when a program made this call: its text is for the program, not for the model. */
  readonly fromProgram?: true;
  /** Makes the calls of a program that the tool runs. */
  readonly programs?: ProgramAccess;
  /**
   * Counts a request of the tool's to a model in the session's budgets, as `costs.ts` does.
   * @default there are none
   */
  charge?(what: string, mostMicro: bigint | undefined): Promise<Charge>;
  /** Keeps a fact about this call; durable when it returns. */
  note(note: Note): void;
}

/** What a tool can need of a session. */
export type ToolNeed = "workspace" | CapabilityName;

/** What became of a call that was cut off. `not-made`: certainly nothing, it may be made. */
export type Recovery = ToolResult | "not-made" | "unknown";

/** A file as a call would leave it. */
export interface FileChange {
  /** Relative to the workspace. */
  readonly path: string;
  /** Its new path, where the call moves it. */
  readonly movedTo?: string;
  /** Its text as it is; missing when there is no such file. */
  readonly before?: string;
  /** Its text after the call; missing when the call removes it. */
  readonly after?: string;
}

/** What a tool may look at to foresee a call. */
export interface PreviewContext {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

/** What a tool goes by to foresee a fee. */
export interface FeeContext extends ToolSession {
  readonly ledger: AgentLedger;
  readonly call: string;
  readonly signal: AbortSignal;
}

/** Thrown by a preview: the call would fail for certain, with this failure. */
export class ForeseenFailure extends Error {
  readonly failure: ToolFailure;

  constructor(failure: ToolFailure) {
    super(failure.message);
    this.name = "ForeseenFailure";
    this.failure = failure;
  }
}

/** What the session has that a call would be made in. */
export interface ToolSituation extends ToolSession {
  readonly services: Services;
}

/** A tool of an agent's sessions, of whatever input. */
// deno-lint-ignore no-explicit-any
export type AgentTool<Input = any> = Omit<Tool<AgentToolContext, Input>, "effect"> & {
  /** What this very call can do, never above `highestEffect`, which holds when this is missing. */
  effect?(input: Input, situation: ToolSituation): Effect;
  /** How long one call may take, ms. @default the machine's limit for all calls */
  limitMs?(services: Services): number;
  /** What a session must have to be offered it. @default nothing */
  readonly needs?: readonly ToolNeed[];
  /** Whether a session that has all it needs is offered it. @default always */
  offered?(services: Services): boolean;
  /** True when placeholders of held content in its input stand for themselves. */
  readonly takesPlaceholders?: true;
  /** True when it looks after something that goes on, so that the same call may be made again. */
  readonly polls?: true;
  /** What a call does, one sentence for whoever decides it. @default the call itself says it */
  says?(input: Input): string;
  /** What a payment costs besides its amount, micro-USD, as things stand now. @default not said */
  fee?(context: FeeContext, input: Input): Promise<bigint>;
  /**
   * The files of the workspace as a call would leave them, to be shown before it is made. Changes
   * nothing. @throws {ForeseenFailure} when the call would fail for certain: nobody is asked about it
   */
  preview?(context: PreviewContext, input: Input): Promise<readonly FileChange[]>;
  /**
   * Finds out what became of a call that started and never ended, from what it had noted, and
   * completes it where it was on its way. @default nothing can be found out
   */
  recover?(context: AgentToolContext, input: Input, notes: readonly Note[]): Promise<Recovery>;
};

/**
 * Declares a tool; the input's type comes from its schema. Given as a function it is made when it is
 * first needed: most sessions are offered few of the tools.
 */
export function defineAgentTool<Input>(
  { input, ...tool }: Omit<AgentTool<Input>, "input"> & {
    readonly input: z.ZodType<Input> | (() => z.ZodType<Input>);
  },
): AgentTool<Input> {
  let schema: z.ZodType<Input> | undefined;
  return {
    ...tool,
    get input() {
      return schema ??= typeof input === "function" ? input() : input;
    },
  };
}

/** The JSON schema of a tool's input, as models are offered it. @throws {TypeError} when it has none */
export function inputSchemaOf(tool: AgentTool): JsonValue {
  if (tool.inputSchema !== undefined) return tool.inputSchema;
  try {
    return z.toJSONSchema(tool.input, { io: "input" }) as JsonValue;
  } catch (error) {
    throw new TypeError(`Cannot offer tool ${tool.name}: ${messageOf(error)}`, { cause: error });
  }
}
