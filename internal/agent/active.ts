/** What the loop works with while a session is held. */
import type { Clock, JsonValue, Redactor } from "#internal/core/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import type { Services } from "./capabilities/mod.ts";
import type { AgentLedger } from "./ledger.ts";
import type { Model } from "./models/mod.ts";
import type { PolicyStep, Question } from "./policy/mod.ts";
import type { Recorder } from "./recorder.ts";
import type { AgentTool } from "./tools/mod.ts";
import type { Workspace } from "./workspace.ts";

/** Somebody's commands around calls. They see a call after the policy let it run. */
export interface CallHooks {
  /** Says why the call is not to be made, or nothing. Throwing blocks it too. */
  before?(question: Question): Promise<string | undefined>;
  /** What is added to what the model is told of the call, or nothing. */
  after?(question: Question, result: ToolResult): Promise<string | undefined>;
}

/** A session at work. */
export interface ActiveSession {
  readonly recorder: Recorder;
  /** In order of preference. */
  readonly models: readonly Model[];
  /** What the model is told before all else. */
  readonly instructions: string;
  /** The offered tools by name. */
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly steps: readonly PolicyStep[];
  readonly hooks?: CallHooks;
  readonly ledger: AgentLedger;
  readonly workspace?: Workspace;
  readonly services: Services;
  /** Cuts secrets out of what tools give. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Aborted to stop before the next turn or call; a tool that runs is let finish. */
  readonly signal: AbortSignal;
  /** How long one call may take, ms. */
  readonly callLimitMs: number;
  /** How long a model may be silent, ms. */
  readonly silenceLimitMs: number;
  /** The JSON schemas of the tools' inputs, by name, made once. */
  readonly schemas: ReadonlyMap<string, JsonValue>;
}
