import { UNBONDING_PULSES } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { delegationId } from "./_stake.ts";

export const command = defineCommand({
  path: "stake undelegate",
  brief: "Stop a delegation earning: collect its rewards and start unbonding. The stake can be " +
    `withdrawn ${UNBONDING_PULSES} Pulses after it stops counting, and slashed until it is.`,
  args: {
    wallet: argument(walletName, "whose delegation it is"),
    delegation: argument(delegationId, "its id, or the first digits: `sion stake show`"),
  },
  flags: {},
  examples: [["sion stake undelegate alice 59e26b64", "stop it earning, then wait to withdraw it"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    return finished(
      context,
      await client.stake.undelegate({ ...args, ...telling(context), foresee: true }),
    );
  },
});
