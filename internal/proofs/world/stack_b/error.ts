/** Why a Pulse cannot be executed from what was given. */
import { SionError } from "#internal/core/mod.ts";

/**
 * - `witness`: what is read or written is not in the witness, or the witness is not the state before.
 * - `unit`: bytes that are no unit, or one of another chain.
 * - `authorization`: an account's owner did not sign for what is done in its name.
 * - `order`: a slot that is not its account's next.
 */
export type WorldErrorCode = "witness" | "unit" | "authorization" | "order";

/** @throws {SionError} always. */
export function fail(code: WorldErrorCode, message: string): never {
  throw new SionError<WorldErrorCode>(code, `Cannot execute the Pulse: ${message}`);
}
