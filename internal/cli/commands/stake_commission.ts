import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { percent, validatorId } from "./_stake.ts";

export const command = defineCommand({
  path: "stake commission",
  brief: "Change what a validator's operator keeps of what its pool earns, from the end of the " +
    "epoch on.",
  args: {
    wallet: argument(walletName, "the validator's operator"),
    validator: argument(validatorId, "the validator's id, or the first digits"),
    commission: argument(percent, "percent, like 2.5"),
  },
  flags: {},
  examples: [["sion stake commission operator-0 d7c1b77d 2.5", "2.5 percent"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    return finished(
      context,
      await client.stake.setCommission({ ...args, ...telling(context), foresee: true }),
    );
  },
});
