/** What the agent may still spend. */
import * as z from "zod";
import { stringifyJson } from "#internal/core/mod.ts";
import { defineAgentTool } from "./_tool.ts";
import { ledgerFailure } from "./_ledger.ts";

/** Always offered: an agent without a ledger is none. */
export const ledgerBalance = defineAgentTool({
  name: "ledger_balance",
  title: "Budget",
  description:
    "What you may still spend: the remaining budget in USD, whom you may pay, the limit of one " +
    "payment, when your charter ends, and the money for fees.",
  input: () => z.strictObject({}),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
  async run({ ledger, signal }) {
    try {
      const value = { ...await ledger.budget(signal) };
      return { ok: true, text: stringifyJson(value), value };
    } catch (error) {
      return ledgerFailure(error, true);
    }
  },
});
