/**
 * Pays out of the agent's allotment. The charter's limits are the ledger's: a payment beyond them
 * fails there, whatever was decided here.
 */
import * as z from "zod";
import { formatUsd, messageOf, parseUsd } from "#internal/core/mod.ts";
import type { SignedPayment } from "../ledger.ts";
import { ledgerFailure, outcomeResult } from "./_ledger.ts";
import type { Note, Recovery } from "./_tool.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_PURPOSE_LENGTH = 256;

/** Decimal USD by its text; the same amount has one text, so that the journal knows it again. */
const amount = z.union([z.string(), z.number()]).transform((given, context) => {
  try {
    return formatUsd(parseUsd(given));
  } catch (error) {
    context.addIssue({ code: "custom", message: messageOf(error) });
    return z.NEVER;
  }
}).meta({ type: "string", description: 'USD as decimal text, like "1.5"' });

/** Never repeated blindly: its transaction is kept before it is sent, and asked for afterwards. */
export const ledgerPay = defineAgentTool({
  name: "ledger_pay",
  title: "Pay",
  description: "Pay USD out of your budget. The ledger enforces your charter: a payment to " +
    "somebody it does not allow, or beyond its limits, fails and costs the fee. A payment is " +
    "final: never make one twice.",
  input: z.strictObject({
    amount,
    purpose: z.string().trim().min(1).max(MAX_PURPOSE_LENGTH)
      .describe("What it is for, in a few words; it is kept on the ledger"),
    to: z.string().trim().min(1).max(64).describe("A wallet name or a 64-digit hex account id"),
  }),
  highestEffect: "spend",
  says: ({ amount, purpose, to }) => `Pay ${amount} USD to ${to} for ${purpose}.`,
  targets: ({ amount, to }) => [{ kind: "account", to, amount }],
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "to",
  fromPrograms: false,
  async run({ ledger, session, call, signal, note }, { amount, purpose, to }) {
    let signed = false;
    try {
      const outcome = await ledger.pay({
        to,
        amount: parseUsd(amount),
        purpose,
        session,
        call,
        signal,
        onSigned(payment) {
          note(noteOf(payment));
          signed = true;
        },
      });
      return outcomeResult(outcome);
    } catch (error) {
      return ledgerFailure(error, !signed);
    }
  },
  async recover({ ledger, signal }, _input, notes): Promise<Recovery> {
    const signed = notes.map(paymentOf).findLast((payment) => payment !== undefined);
    // Signing comes first and is noted before anything leaves this machine.
    if (signed === undefined) return "not-made";
    const outcome = await ledger.outcome(signed, signal);
    return typeof outcome === "string" ? outcome : outcomeResult(outcome);
  },
});

/** How a signed payment is noted; integers as text, so that the note is plain JSON. */
const noteSchema = z.object({
  transaction: z.string(),
  unit: z.string(),
  intent: z.string(),
  wallet: z.string(),
  sequence: z.string(),
  valid_until: z.string(),
});

function noteOf({ sequence, validUntil, ...texts }: SignedPayment): Note {
  return { ...texts, sequence: sequence.toString(), valid_until: validUntil.toString() };
}

function paymentOf(note: Note): SignedPayment | undefined {
  const read = noteSchema.safeParse(note);
  if (!read.success) return undefined;
  const { sequence, valid_until: validUntil, ...texts } = read.data;
  return { ...texts, sequence: BigInt(sequence), validUntil: BigInt(validUntil) };
}
