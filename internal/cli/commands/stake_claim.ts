import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "stake claim",
  brief: "Collect rewards: those of a delegation, or what a validator's operator earned.",
  args: {
    wallet: argument(walletName, "the delegation's owner, or the validator's operator"),
    stake: argument(objectId, "the id of the delegation or validator, or the first digits"),
  },
  flags: {},
  examples: [
    ["sion stake claim alice 59e26b64", "a delegation's"],
    ["sion stake claim operator-0 d7c1b77d", "own stake's and the commission"],
  ],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    return finished(
      context,
      await client.stake.claim({ ...args, ...telling(context), foresee: true }),
    );
  },
});
