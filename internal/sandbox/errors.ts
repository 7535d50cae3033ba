/** Errors of the sandbox that its callers handle. */
import { SionError } from "#internal/core/mod.ts";

/**
 * `sandbox-option`: an option is wrong. `sandbox-missing`: this machine has not what the sandbox
 * needs. Nothing was started; the message is the sentence a person is shown.
 */
export type SandboxErrorCode = "sandbox-option" | "sandbox-missing";

/** An error of the sandbox. */
export class SandboxError extends SionError<SandboxErrorCode> {}
