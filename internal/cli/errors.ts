/**
 * Exit codes, and the fault that every command may find in what was typed. All others are in
 * `error_codes.ts`, which is read when one happens.
 */
import { SionError } from "#internal/core/mod.ts";

/** Exit codes; `sion help exit-codes` explains them. */
export const EXIT = {
  done: 0,
  error: 1,
  failed: 3,
  unknown: 4,
  waiting: 5,
  no: 6,
  stopped: 7,
  interrupted: 130,
  terminated: 143,
} as const;

/** `usage`: the command line has not the form of the command. */
export type UsageErrorCode = "usage";

/** A fault in what was typed. The sentence says what is wrong and what to type. */
export function usageError(message: string): SionError<UsageErrorCode> {
  return new SionError("usage", message);
}
