/** What the ledger tools share: outcomes and errors as results for a model. */
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { Outcome } from "#internal/client/mod.ts";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";

/** Errors after which it is certain that the ledger will never carry the transaction out. */
const NOTHING_DONE = new Set([
  "node-unreachable",
  "other-chain",
  "wallet-unknown",
  "wallet-busy",
  "no-money",
  "not-enough",
  "payee",
  "argument",
  "refused",
  "not-found",
  "expired",
  "taken",
  "file-exposed",
  "no-budget",
]);

/** A receipt as the model reads it. A failed transaction is a failed call that changed nothing. */
export function outcomeResult(outcome: Outcome): ToolResult {
  const { digest, pulse, receipt, status } = outcome;
  const text = `Pulse ${pulse}: ${receipt} Transaction ${digest}.`;
  if (status === "Success") return { ok: true, text, value: { ...outcome } as JsonValue };
  return { ok: false, code: "ledger-failed", message: text, noEffect: true };
}

/** An error of the client as a failed call. @param noEffect for errors it does not know */
export function ledgerFailure(error: unknown, noEffect: boolean): ToolFailure {
  if (!(error instanceof SionError)) throw error;
  return {
    ok: false,
    code: error.code,
    message: messageOf(error),
    noEffect: noEffect || NOTHING_DONE.has(error.code),
  };
}
