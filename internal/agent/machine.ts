/** What agents run on: this machine's sessions, clock and registries, handed to everything here. */
import type { Clock, Random } from "#internal/core/mod.ts";
import type { Budgets, Sessions } from "#internal/store/mod.ts";
import type { AnyCapability } from "./capabilities/mod.ts";
import type { AnyEventKind } from "./events/mod.ts";
import type { SessionHooks, SessionHooksOptions } from "./hooks/mod.ts";
import type { AgentLedger } from "./ledger.ts";
import type { ModelProvider } from "./models/mod.ts";
import type { PolicyStep } from "./policy/mod.ts";
import type { Secrets } from "./secrets.ts";
import type { AgentTool } from "./tools/mod.ts";

/** Which agent, acting through which wallet and node. */
export interface AgentName {
  /** The identity's id, or a unique beginning of it. */
  readonly agent: string;
  readonly wallet: string;
  readonly node?: string;
  readonly chain?: string;
}

/** An agent that the ledger knows. */
export interface FoundAgent {
  /** The whole id. */
  readonly agent: string;
  readonly ledger: AgentLedger;
}

/** The machine. The registries default to the product's. */
export interface AgentMachine {
  readonly sessions: Sessions;
  /** What requests to models are counted in. @default nothing */
  readonly budgets?: Budgets;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `$SION_HOME`. */
  readonly home: string;
  /** Where relative paths are meant from. */
  readonly cwd: string;
  readonly readText: (path: string) => Promise<string>;
  /** Keys and settings by name. @default those of `env` */
  readonly secrets?: Secrets;
  /** Finds an agent on the ledger. @throws {SionError} the client's errors, `agent-unknown` */
  readonly findAgent: (name: AgentName) => Promise<FoundAgent>;
  /** URL of the program's one file, where threads run it too. @default the source's own files */
  readonly workerEntry?: string;
  readonly kinds?: readonly AnyEventKind[];
  readonly capabilities?: readonly AnyCapability[];
  readonly tools?: readonly AgentTool[];
  readonly steps?: readonly PolicyStep[];
  readonly providers?: readonly ModelProvider[];
  /** The operator's hooks for a session. @default those of `$SION_HOME/agents/hooks.json` */
  readonly openHooks?: (options: SessionHooksOptions) => Promise<SessionHooks>;
  /** Whether a front end is told how calls change files that nobody is asked about. @default no */
  readonly showChanges?: boolean;
  /** How long one call may take, ms. @default 120000 */
  readonly callLimitMs?: number;
  /** How long a model may be silent, ms. @default as the model says, else 120000 */
  readonly silenceLimitMs?: number;
  /** Waits so many ms; rejects when the signal aborts first. @default really waits */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}
