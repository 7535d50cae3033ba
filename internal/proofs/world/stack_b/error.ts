/** Why a Pulse cannot be executed from what was given. */
import { SionError } from "#internal/core/mod.ts";
import type { WorldErrorCode } from "../world_input.ts";

/** @throws {SionError} always. */
export function fail(code: WorldErrorCode, message: string): never {
  throw new SionError<WorldErrorCode>(code, `Cannot execute the Pulse: ${message}`);
}
