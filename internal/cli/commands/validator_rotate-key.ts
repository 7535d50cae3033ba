import { argument, defineCommand, neededValue } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, path, walletName } from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { validatorKeyFile } from "./_validator_key.ts";

export const command = defineCommand({
  path: "validator rotate-key",
  brief:
    "Give a validator another key: its next session begins with it, some eight Pulses later. " +
    "For a key that is to be retired, or whose store was lost. A node must run with the new key " +
    "before that Pulse; one that runs with the old key goes on until then.",
  args: {
    wallet: argument(walletName, "the validator's operator"),
    validator: argument(
      objectId,
      "the id of its key, or the first digits: `sion genesis key` printed it, and `sion status` of " +
        "its node shows it",
    ),
  },
  flags: {
    key: neededValue(
      path,
      "the new key.json, with its node.sqlite beside it",
      "`sion genesis key <dir>` makes one",
    ),
  },
  examples: [
    ["sion validator rotate-key savings 91fa8cbb --key v2-new/key.json", "make it the validator's"],
  ],
  json: "{digest, events, fee, pulse, receipt, status, validator}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { shown, seed } = await validatorKeyFile(context, flags.key);
    const client = await context.client();
    const validator = await client.stake.validator(args.validator, { signal: context.signal });
    const outcome = await client.rotateKey({
      wallet: args.wallet,
      validator,
      seed,
      ...telling(context),
    });
    if (context.json) {
      context.output.json(outcomeValue(outcome, { validator }));
    } else if (outcome.status === "Success") {
      context.output.hint([
        `Run the new key's node now (sion node --key ${shown}): it follows, and must run before the ` +
        "next session begins, in some eight Pulses, from which on it signs.",
        "Keep the old key's node running until then, if it still signs: `sion status` has the session.",
      ]);
    }
    return exitOf(outcome);
  },
});
