/**
 * Pays out of the agent's allotment. The charter's limits are the ledger's: a payment beyond them
 * fails there, whatever was decided here.
 */
import * as z from "zod";
import { parseUsd } from "#internal/core/mod.ts";
import { outcomeResult, recoverSigned, signed, usd } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

const MAX_PURPOSE_LENGTH = 256;

/** Never repeated blindly: its transaction is kept before it is sent, and asked for afterwards. */
export const ledgerPay = defineAgentTool({
  name: "ledger_pay",
  title: "Pay",
  description: "Pay USD out of your budget. The ledger enforces your charter: a payment to " +
    "somebody it does not allow, or beyond its limits, fails and costs the fee. A payment is " +
    "final: never make one twice.",
  input: () =>
    z.strictObject({
      amount: usd('USD as decimal text, like "1.5"'),
      purpose: z.string().trim().min(1).max(MAX_PURPOSE_LENGTH)
        .describe("What it is for, in a few words; it is kept on the ledger"),
      to: z.string().trim().min(1).max(64).describe("A wallet name or a 64-digit hex account id"),
    }),
  highestEffect: "spend",
  says: ({ amount, purpose, to }) => `Pay ${amount} USD to ${to} for ${purpose}.`,
  targets: ({ amount, to }) => [{ kind: "account", to, amount }],
  fee: ({ ledger, id: session, call, signal }, { amount, purpose, to }) =>
    ledger.payFee({ to, amount: parseUsd(amount), purpose, session, call, signal }),
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "to",
  fromPrograms: false,
  async run(context, { amount, purpose, to }) {
    const { ledger, session, call } = context;
    const payment = { to, amount: parseUsd(amount), purpose, session, call };
    return await signed(context, (acting) => ledger.pay({ ...payment, ...acting }), outcomeResult);
  },
  recover: (context, _input, notes) => recoverSigned(context, notes, outcomeResult),
});
