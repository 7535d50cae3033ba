import { resolve } from "node:path";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { dirFlag, sourceFlags, sourceOf } from "./_storage.ts";

export const command = defineCommand({
  path: "storage accept",
  brief: "Take on a storage deal: get its file, check it against the deal's root, and put up the " +
    "collateral. Every round has to be proven from then on: `sion storage provide` does that.",
  args: {
    wallet: argument(walletName, "the provider, who puts up the collateral"),
    deal: argument(objectId, "the deal's id, or the first digits"),
  },
  flags: { dir: dirFlag, ...sourceFlags },
  examples: [["sion storage accept bob 66f5ffa4", "keep its file in $SION_HOME/storage"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args: { wallet, deal }, flags: { dir, from, allowPrivate } }) {
    const client = await context.client();
    const outcome = await client.storage.accept({
      wallet,
      deal,
      allowPrivate,
      ...(dir === undefined ? {} : { dir: resolve(context.cwd, dir) }),
      ...(from === undefined ? {} : { from: sourceOf(from, context.cwd) }),
      ...telling(context),
    });
    return finished(context, outcome);
  },
});
