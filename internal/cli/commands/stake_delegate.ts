import { UNBONDING_PULSES } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { usd, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { validatorId } from "./_stake.ts";

export const command = defineCommand({
  path: "stake delegate",
  brief: "Delegate stake to a validator's pool without handing it over. It earns from the end of " +
    "the epoch, less the validator's commission, and shares its risk: a tenth of the pool is lost " +
    "when the validator is shown to have signed two contradicting things. Nobody may have more than " +
    "twice an equal share of the bonded stake. `sion stake undelegate` starts the way back: it takes " +
    `${UNBONDING_PULSES} Pulses.`,
  args: {
    wallet: argument(walletName, "whose stake it is"),
    validator: argument(validatorId, "the validator's id, or the first digits: `sion stake pools`"),
    amount: argument(usd, "USD, at least 1"),
  },
  flags: {},
  examples: [["sion stake delegate alice d7c1b77d 5000", "5,000 USD for its pool"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    return finished(
      context,
      await client.stake.delegate({ ...args, ...telling(context), foresee: true }),
    );
  },
});
