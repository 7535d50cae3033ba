import { UNBONDING_PULSES } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { validatorId } from "./_stake.ts";

export const command = defineCommand({
  path: "stake leave",
  brief: "Take a validator out for good. It signs for some seven Pulses more, to its session's " +
    `end; its own stake can be withdrawn ${UNBONDING_PULSES} Pulses after that, and slashed until ` +
    "it is. Those who delegated to it undelegate by themselves.",
  args: {
    wallet: argument(walletName, "the validator's operator"),
    validator: argument(validatorId, "the validator's id, or the first digits"),
  },
  flags: {},
  examples: [["sion stake leave operator-3 9c813b07", "the others go on without it"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const outcome = await client.stake.leave({ ...args, ...telling(context), foresee: true });
    return finished(context, outcome, [
      "Keep its node running until the session ends: `sion status` has the session.",
    ]);
  },
});
