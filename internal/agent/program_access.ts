/** What a tool that runs a program of the model's is handed for it. */
import type { ProgramCaller } from "#internal/sandbox/mod.ts";

/** The calls that the program may make, and what came of them besides. */
export interface ProgramAccess {
  /** Names of the tools that programs call. */
  readonly tools: readonly string[];
  readonly call: ProgramCaller;
  /** What hooks added to its calls, for the model. */
  added(): readonly string[];
}
