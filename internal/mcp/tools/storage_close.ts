/** `sion_storage_close`: ends a storage deal, as far as the ledger lets the wallet. */
import * as z from "zod/mini";
import { defineTool } from "../tool.ts";
import { type LedgerContext, signOptions } from "./_context.ts";
import { signed, signedResult, storageDeal } from "./_shapes.ts";

export const storageClose = defineTool({
  name: "sion_storage_close",
  title: "Close a storage deal",
  description:
    "Close a storage deal: the client refunds an open deal, or ends an accepted one once it is " +
    "over or once its provider has missed three rounds in a row (the provider then forfeits its " +
    "collateral to the treasury); the provider may close one that is over. Pays the provider for " +
    "proven rounds and refunds the escrow of unproven ones.",
  input: z.strictObject({ deal: storageDeal, wallet: z.string() }),
  output: signedResult,
  highestEffect: "write",
  // What is paid out and forfeited does not come back.
  irreversible: true,
  repeatHarmless: false,
  openWorld: false,
  mainArgument: "deal",
  fromPrograms: false,
  async run(context: LedgerContext, { deal, wallet }) {
    const client = await context.client();
    return signed(
      await client.storage.close({
        deal,
        wallet,
        ...signOptions(context),
      }),
    );
  },
});
