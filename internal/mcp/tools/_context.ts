/** What the ledger's tools need of a client, and how they get it. */
import type { Client, SignOptions } from "#internal/client/mod.ts";
import type { ToolContext } from "../tool.ts";

/** The part of a client that the tools use. Its errors carry the sentence that is shown. */
export type LedgerClient =
  & Pick<
    Client,
    | "status"
    | "balance"
    | "events"
    | "pay"
    | "issueClaim"
    | "assessClaim"
    | "agentPay"
    | "fetchPaid"
    | "submitHex"
    | "verifyPulse"
    | "receipt"
    | "memory"
    | "storage"
    | "tasks"
  >
  & {
    readonly stake: Pick<
      Client["stake"],
      "pools" | "delegate" | "show" | "claim" | "undelegate" | "withdraw"
    >;
  };

/** A call's context with the ledger in reach. */
export interface LedgerContext extends ToolContext {
  /** Opened at the first call, one for the process. */
  readonly client: () => Promise<LedgerClient>;
}

/** How a call that signs is watched: progress says what is signed, the signal ends the wait. */
export function signOptions(context: ToolContext): SignOptions {
  return {
    signal: context.signal,
    onSign: ({ intent }) => context.progress?.({ progress: 1, total: 2, message: intent }),
  };
}
