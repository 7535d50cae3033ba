/** What the loop works with while a session is held. */
import type { Clock, JsonValue, Random, Redactor } from "#internal/core/mod.ts";
import type { Budgets } from "#internal/store/mod.ts";
import type { Services } from "./capabilities/mod.ts";
import type { SessionHooks } from "./hooks/mod.ts";
import type { AgentLedger } from "./ledger.ts";
import type { Model } from "./models/mod.ts";
import type { PolicyStep } from "./policy/mod.ts";
import type { Recorder } from "./recorder.ts";
import type { AgentTool } from "./tools/mod.ts";
import type { Workspace } from "./workspace.ts";

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
  readonly hooks: SessionHooks;
  readonly ledger: AgentLedger;
  /** What requests to models are counted in. @default nothing */
  readonly budgets?: Budgets;
  readonly workspace?: Workspace;
  /** Where it keeps what files were before its tools changed them. */
  readonly beforeFolder: string;
  /** Where it keeps results that are too long for answers. */
  readonly outputsFolder: string;
  readonly services: Services;
  /** Whether the listener is told how calls change files that nobody is asked about. */
  readonly showChanges: boolean;
  /** Cuts secrets out of what tools give. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Aborted to stop before the next turn or call; a tool that runs is let finish. */
  readonly signal: AbortSignal;
  /** How long one call may take, ms. */
  readonly callLimitMs: number;
  /** How long a model may be silent, ms. @default as the model says, else 120000 */
  readonly silenceLimitMs?: number;
  /** Waits so many ms; rejects when the signal aborts first. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: Random;
  /** The JSON schemas of the tools' inputs, by name, made once. */
  readonly schemas: ReadonlyMap<string, JsonValue>;
}
