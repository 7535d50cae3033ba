/** What the ledger tools share: what they take, outcomes and errors as results for a model. */
import * as z from "zod";
import {
  formatFactor,
  formatUsd,
  messageOf,
  parseFactor,
  parseUsd,
  SionError,
  stringifyJson,
} from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { Outcome } from "#internal/client/mod.ts";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";
import type { Acting, SignedTransaction } from "../ledger.ts";
import type { AgentToolContext, Note, Recovery } from "./_tool.ts";

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

/** A decimal by its text; the same number has one text, so that the journal knows it again. */
function decimal(canonical: (given: string | number) => string, description: string) {
  return z.union([z.string(), z.number()]).transform((given, context) => {
    try {
      return canonical(given);
    } catch (error) {
      context.addIssue({ code: "custom", message: messageOf(error) });
      return z.NEVER;
    }
  }).meta({ type: "string", description });
}

/** Decimal USD above 0. */
export function usd(description: string): z.ZodType<string, string | number> {
  return decimal((given) => formatUsd(parseUsd(given)), description);
}

/** A safety factor above 0. */
export const safetyFactor: z.ZodType<string, string | number> = decimal(
  (given) => formatFactor(parseFactor(given)),
  "Safety factor κ, default 2",
);

/** An id of 64 hex digits, or a beginning of it. */
export function idOf(what?: string): z.ZodType<string> {
  const id = z.string().regex(/^[0-9a-f]{4,64}$/, "is no id: give 4 to 64 hex digits");
  return what === undefined ? id : id.describe(what);
}

/** A wallet's name or an account. */
export function accountOf(what: string): z.ZodType<string> {
  return z.string().trim().min(1).max(64).describe(`${what}: a wallet name or 64 hex digits`);
}

/** At most this many ids in a list. */
export const MAX_IDS = 32;
/** Characters of an output that is handed in for a task, or attested. */
export const MAX_OUTPUT_LENGTH = 1 << 20;

/** A receipt as the model reads it. A failed transaction is a failed call that changed nothing. */
export function outcomeResult(outcome: Outcome, made?: string): ToolResult {
  const { digest, pulse, receipt, status } = outcome;
  const text = `Pulse ${pulse}: ${receipt} Transaction ${digest}.`;
  if (status !== "Success") {
    return { ok: false, code: "ledger-failed", message: text, noEffect: true };
  }
  // What it made is named whole: the next call needs its id.
  const [id] = outcome.made;
  const named = made === undefined || id === undefined ? "" : ` ${made} ${id}.`;
  return { ok: true, text: `${text}${named}`, value: { ...outcome } as JsonValue };
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

/** What a call gives that only looks. */
export async function looked(look: () => Promise<unknown>): Promise<ToolResult> {
  try {
    const value = await look();
    return { ok: true, text: stringifyJson(value), value: value as JsonValue };
  } catch (error) {
    return ledgerFailure(error, true);
  }
}

/**
 * What a call gives that signs: its transaction is noted before it is sent.
 * @param tell the outcome as a result
 * @param harmless for errors after the signature: whether the same call does no more. @default false
 */
export async function signed<T>(
  { note, signal, deadline = signal }: AgentToolContext,
  act: (acting: Acting) => Promise<T>,
  tell: (done: T) => ToolResult,
  harmless: (error: SionError) => boolean = () => false,
): Promise<ToolResult> {
  let isSigned = false;
  try {
    return tell(
      await act({
        // A stop does not leave a payment halfway: its outcome is waited for.
        signal: deadline,
        onSigned(transaction) {
          note(noteOf(transaction));
          isSigned = true;
        },
      }),
    );
  } catch (error) {
    return ledgerFailure(error, !isSigned || (error instanceof SionError && harmless(error)));
  }
}

/** What became of a call that was cut off, by the transaction it had noted. */
export async function recoverSigned(
  { ledger, signal }: AgentToolContext,
  notes: readonly Note[],
  tell: (outcome: Outcome) => ToolResult,
): Promise<Recovery> {
  const transaction = notedTransaction(notes);
  // Signing comes first and is noted before anything leaves this machine.
  if (transaction === undefined) return "not-made";
  const outcome = await ledger.outcome(transaction, signal);
  return typeof outcome === "string" ? outcome : tell(outcome);
}

/** The last transaction that a call noted. */
export function notedTransaction(notes: readonly Note[]): SignedTransaction | undefined {
  return notes.map(transactionOf).findLast((transaction) => transaction !== undefined);
}

/** How a signed transaction is noted; integers as text, so that the note is plain JSON. */
const noteSchema = z.object({
  transaction: z.string(),
  unit: z.string(),
  intent: z.string(),
  wallet: z.string(),
  sequence: z.string(),
  valid_until: z.string(),
});

function noteOf({ sequence, validUntil, ...texts }: SignedTransaction): Note {
  return { ...texts, sequence: sequence.toString(), valid_until: validUntil.toString() };
}

function transactionOf(note: Note): SignedTransaction | undefined {
  const read = noteSchema.safeParse(note);
  if (!read.success) return undefined;
  const { sequence, valid_until: validUntil, ...texts } = read.data;
  return { ...texts, sequence: BigInt(sequence), validUntil: BigInt(validUntil) };
}
