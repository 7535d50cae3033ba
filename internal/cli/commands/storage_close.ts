import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "storage close",
  brief:
    "Close a storage deal: pay its provider for the rounds proven and refund the rest. Its client " +
    "may close one that nobody accepted, that is over, or whose provider missed three rounds in a " +
    "row; its provider one that is over.",
  args: {
    wallet: argument(walletName, "its client or its provider"),
    deal: argument(objectId, "the deal's id, or the first digits"),
  },
  flags: {},
  examples: [["sion storage close robot-7 66f5ffa4", "what is owed is paid, the rest comes back"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args: { wallet, deal } }) {
    const client = await context.client();
    const outcome = await client.storage.close({
      wallet,
      deal,
      foresee: true,
      ...telling(context),
    });
    return finished(context, outcome);
  },
});
