import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "stake withdraw",
  brief: "Withdraw stake that has unbonded: a delegation's, or the own stake of a validator that " +
    "left.",
  args: {
    wallet: argument(walletName, "the delegation's owner, or the validator's operator"),
    stake: argument(objectId, "the id of the delegation or validator, or the first digits"),
  },
  flags: {},
  examples: [["sion stake withdraw alice 59e26b64", "the stake, as far as it was not slashed"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    return finished(
      context,
      await client.stake.withdraw({ ...args, ...telling(context), foresee: true }),
    );
  },
});
