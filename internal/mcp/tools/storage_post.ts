/** `sion_storage_post`: escrows money for a file to be kept. */
import { formatUsd, MAX_CHALLENGES, MAX_ROUND_PULSES, MAX_ROUNDS } from "#internal/core/mod.ts";
import * as z from "zod/mini";
import { defineTool, jsonResult } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { hex64, transactionStatus, usd, usdOrNone } from "./_shapes.ts";

/** An integer of a range, with the range as what to do about another. */
function within(least: number, most: bigint | number, step = 1) {
  const rule = step === 1
    ? `must be from ${least} to ${most}`
    : `must be a multiple of ${step} from ${least} to ${most}`;
  return z.int().check(z.refine((n) => n >= least && n <= Number(most) && n % step === 0, rule));
}

export const storagePost = defineTool({
  name: "sion_storage_post",
  title: "Post a storage deal",
  description: "Have a file kept by a storage provider (spec v1.12): escrows price × rounds for " +
    "data whose Merkle root the deal fixes. A provider that accepts posts collateral and must " +
    "prove every round that it holds leaves picked at random; it is paid per proven round, and " +
    "loses collateral for missed rounds (all of it if it abandons the deal). Without a provider, " +
    "any provider may accept, and the deal must ask for collateral. Proofs publish the challenged " +
    "leaves: encrypt private data first. Returns the deal id.",
  input: z.strictObject({
    challenges: z.optional(
      within(1, MAX_CHALLENGES).check(
        z.describe("Leaves challenged per round (1 to 16; default 4)"),
      ),
    ),
    collateral: z.optional(
      usdOrNone.check(
        z.describe(
          "USD the provider must post (default: the escrow for an open deal, 0 for a named provider)",
        ),
      ),
    ),
    local: z.optional(
      z.boolean().check(
        z.describe(
          "Without a locator: point providers at the file itself (file://<path>), for a provider on " +
            "this machine; the deal publishes the path",
        ),
      ),
    ),
    locator: z.optional(
      z.string().check(
        z.describe("Where providers fetch the data: an https:// URL serving the file"),
      ),
    ),
    path: z.string().check(z.describe("The file to have kept")),
    price: usd.check(z.describe("USD paid per proven round")),
    provider: z.optional(
      z.string().check(z.describe("Wallet name or account of the provider; omit for an open deal")),
    ),
    round_length: z.optional(
      within(8, MAX_ROUND_PULSES, 8).check(
        z.describe("Pulses per round: a multiple of 8, from 8 to 100,000 (default 16)"),
      ),
    ),
    rounds: within(1, MAX_ROUNDS).check(z.describe("Rounds (1 to 1,000,000)")),
    wallet: z.string(),
  }),
  output: z.strictObject({
    deal: z.optional(hex64),
    leaves: z.int(),
    pulse: z.int(),
    receipt: z.string(),
    root: hex64,
    status: transactionStatus,
  }),
  highestEffect: "spend",
  // Without a provider the money goes to whoever keeps the file.
  targets: ({ path, price, rounds, provider }) => {
    const amount = formatUsd(price * BigInt(rounds));
    return [
      provider === undefined
        ? { kind: "file", to: path, amount }
        : { kind: "account", to: provider, amount },
    ];
  },
  repeatHarmless: false,
  openWorld: true,
  mainArgument: "path",
  fromPrograms: false,
  async run(context: LedgerContext, { path, price, rounds, wallet, ...given }) {
    const { challenges, collateral, local, locator, provider, round_length: roundLength } = given;
    const client = await context.client();
    const posted = await client.storage.post({
      path,
      price,
      rounds,
      wallet,
      ...(challenges === undefined ? {} : { challenges }),
      ...(collateral === undefined ? {} : { collateral }),
      ...(local === undefined ? {} : { local }),
      ...(locator === undefined ? {} : { locator }),
      ...(provider === undefined ? {} : { provider }),
      ...(roundLength === undefined ? {} : { roundLength }),
      ...signOptions(context),
    });
    const { leaves, made, pulse, receipt, root, status } = posted;
    const deal = status === "Success" ? made[0] : undefined;
    return jsonResult({
      ...(deal === undefined ? {} : { deal }),
      leaves,
      pulse,
      receipt,
      root,
      status,
    });
  },
});
