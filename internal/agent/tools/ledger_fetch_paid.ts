/**
 * Fetches over HTTP what may charge, and pays out of the allotment. The client keeps a payment from
 * before it is signed until a server has taken it, and shows the same one again.
 */
import * as z from "zod";
import { formatUsd, parseUsd, shortId } from "#internal/core/mod.ts";
import type { FetchedResource } from "#internal/client/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import { notedTransaction, outcomeResult, recoverSigned, signed, usd } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerFetchPaid = defineAgentTool({
  name: "ledger_fetch_paid",
  title: "Fetch what may charge",
  description:
    "Fetch a URL. If the server charges on this chain (x402), pay out of your budget, at " +
    "most max_usd, and fetch it. The ledger enforces your charter.",
  input: () =>
    z.strictObject({
      max_usd: usd("The most this call may pay, USD"),
      url: z.string().min(1).max(2_048).describe("http: or https:"),
    }),
  needs: ["paid-fetch"],
  highestEffect: "spend",
  says: ({ max_usd, url }) => `Fetch ${url} and pay at most ${max_usd} USD for it.`,
  targets: ({ max_usd, url }) => [{ kind: "url", to: url, amount: max_usd }],
  outside: (_result, { url }) => URL.parse(url)?.host ?? url,
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "url",
  fromPrograms: false,
  async run(context, { max_usd: most, url }) {
    const reach = context.services["paid-fetch"] ?? { loopback: false, private: false };
    const asked = { url, most: parseUsd(most), reach };
    return await signed(
      context,
      (acting) => context.ledger.fetchPaid(asked, acting),
      fetched,
      // Whatever else breaks off, the payment is kept, and the same call shows it again.
      ({ code }) => code !== "payment-used",
    );
  },
  async recover(context, { url }, notes) {
    const transaction = notedTransaction(notes)?.transaction;
    if (transaction !== undefined && await context.ledger.isShownAgain(transaction)) {
      return {
        ok: false,
        code: "payment-kept",
        message:
          `payment ${shortId(transaction)} for ${url} was made, and no answer to it came: make ` +
          "the same call again, the payment is shown again and nothing is paid twice",
        noEffect: true,
      };
    }
    return await recoverSigned(context, notes, (outcome) => {
      const told = outcomeResult(outcome);
      return told.ok
        ? {
          ok: false,
          code: "answer-lost",
          message:
            `${url} was paid for and answered, and the answer was lost when this session was ` +
            "cut off: fetching it again pays again",
          noEffect: false,
        }
        : told;
    });
  },
});

function fetched({ body, offer, paid, settlement, status }: FetchedResource): ToolResult {
  const cost = offer === undefined ? "" : ` ${formatUsd(BigInt(offer.amount))} USD`;
  const how = paid ? `paid${cost}, transaction ${settlement?.transaction}` : "nothing paid";
  return {
    ok: true,
    text: `HTTP ${status}, ${how}.\n${body}`,
    value: { body, paid, status, ...(settlement === undefined ? {} : { settlement }) },
  };
}
