import { resolve } from "node:path";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { dirFlag } from "./_storage.ts";

export const command = defineCommand({
  path: "storage prove",
  brief:
    "Prove the round of a storage deal that is under way: publish the leaves of its file that " +
    "the round asks for.",
  args: {
    wallet: argument(walletName, "the provider"),
    deal: argument(objectId, "the deal's id, or the first digits"),
  },
  flags: { dir: dirFlag },
  examples: [["sion storage prove bob 66f5ffa4", "once a round"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args: { wallet, deal }, flags: { dir } }) {
    const client = await context.client();
    const outcome = await client.storage.prove({
      wallet,
      deal,
      ...(dir === undefined ? {} : { dir: resolve(context.cwd, dir) }),
      ...telling(context),
    });
    return finished(context, outcome);
  },
});
