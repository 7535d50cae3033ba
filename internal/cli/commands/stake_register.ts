import { formatUsdGrouped, MIN_OWN_STAKE } from "#internal/core/mod.ts";
import { argument, defineCommand, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { path, usd, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";
import { percent } from "./_stake.ts";
import { validatorKeyFile } from "./_validator_key.ts";

export const command = defineCommand({
  path: "stake register",
  brief: "Register a validator with stake of its operator's. It joins at the end of the epoch, " +
    "and must run by then; it is slashed when its key signs two contradicting things.",
  args: {
    wallet: argument(walletName, "the operator: it alone can take the validator out again"),
    amount: argument(usd, `own stake in USD, at least ${formatUsdGrouped(MIN_OWN_STAKE)}`),
  },
  flags: {
    key: neededValue(
      path,
      "the validator's key.json, with its node.sqlite beside it",
      "`sion genesis key <dir>` makes one",
    ),
    commission: value(percent, "what the operator keeps of what its pool earns", { default: "0" }),
  },
  examples: [
    ["sion stake register savings 100000 --key v5/key.json --commission 5", "100,000 USD of own"],
  ],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { shown, seed } = await validatorKeyFile(context, flags.key);
    const client = await context.client();
    const outcome = await client.stake.register({
      wallet: args.wallet,
      seed,
      stake: args.amount,
      ...(flags.commission === undefined ? {} : { commission: flags.commission }),
      foresee: true,
      ...telling(context),
    });
    return finished(context, outcome, [
      `Run its node now (sion node --key ${shown}): it follows, and signs from the next epoch on.`,
      "`sion stake pools` shows when the epoch ends.",
    ]);
  },
});
