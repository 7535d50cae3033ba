/** `sion_fetch_paid`: an HTTP resource, paid for if it charges. */
import { formatUsd } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, integer, usd } from "./_shapes.ts";

/** Characters of a body that are given; of a longer one this is its beginning. */
const MAX_BODY = 1 << 19;

const json = z.union([z.json(), z.bigint()]);

export const fetchPaid = defineTool({
  name: "sion_fetch_paid",
  title: "Fetch a paid resource",
  description: "Fetch an HTTP resource that may charge through x402 (HTTP 402 Payment Required). " +
    "If the server asks for payment on this chain of at most max_usd, pay it and retry: under an " +
    "Agent Charter when charter and allotment are given (the ledger enforces the charter’s payees " +
    "and limits, whatever the agent was told), otherwise by transfer from the wallet. Returns the " +
    "body and the settlement.",
  input: z.strictObject({
    allotment: z.optional(z.string().check(z.describe("The agent’s allotment ID (hex)"))),
    chain: z.optional(
      z.string().check(
        z.describe("Pinned chain identity (hex); without it the node vouches for itself"),
      ),
    ),
    charter: z.optional(z.string().check(z.describe("Charter ID (hex), to pay under a charter"))),
    max_usd: usd.check(z.describe("The most this call may pay")),
    url: z.string().check(z.describe("The resource")),
    wallet: z.string().check(
      z.describe("The paying wallet (the agent’s, when paying under a charter)"),
    ),
  }),
  output: z.strictObject({
    body: z.string(),
    body_length: z.optional(z.int()),
    paid: z.boolean(),
    quoted: z.optional(z.looseObject({ accepts: z.array(json), x402Version: z.int() })),
    settlement: z.optional(z.strictObject({
      extensions: z.strictObject({
        sion: z.strictObject({
          chain: hex64,
          pulse: z.int(),
          quorum: integer,
          signedStake: integer,
        }),
      }),
      network: z.string(),
      payer: hex64,
      success: z.boolean(),
      transaction: hex64,
    })),
    status: z.int(),
  }),
  highestEffect: "spend",
  targets: ({ max_usd, url }) => [{ kind: "url", to: url, amount: formatUsd(max_usd) }],
  outside: (_result, { url }) => URL.parse(url)?.host ?? url,
  // A payment that no server took is shown again; one that was taken is made again.
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "url",
  fromPrograms: false,
  async run(context: LedgerContext, { max_usd: most, allotment, chain, charter, url, wallet }) {
    const client = await context.client();
    const { offer: _paid, ...fetched } = await client.fetchPaid({
      url,
      wallet,
      most,
      ...(allotment === undefined ? {} : { allotment }),
      ...(chain === undefined ? {} : { chain }),
      ...(charter === undefined ? {} : { charter }),
      ...signOptions(context),
    });
    const { body } = fetched;
    if (body.length <= MAX_BODY) return jsonResult(fetched);
    // What it cost is told in any case, so that a long body is no error; a pair is never parted.
    const beginning = body.slice(0, MAX_BODY).replace(/[\ud800-\udbff]$/, "");
    return jsonResult({ ...fetched, body: beginning, body_length: body.length });
  },
});
