import { resolve } from "node:path";
import { displayPath } from "#internal/runtime/mod.ts";
import type { ObjectValue } from "#internal/client/mod.ts";
import { argument, defineCommand, neededValue } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, usageError } from "../errors.ts";
import { objectId, path, walletName } from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";
import { textOf } from "./_objects.ts";

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
    const file = resolve(context.cwd, flags.key);
    const { readKeyWithStore } = await import("#internal/node/mod.ts");
    const shown = displayPath(file, context.env);
    const { seed, chain } = await readKeyWithStore(file, shown);
    const client = await context.client();
    const { chain: current } = await client.rpc.status({}, { signal: context.signal });
    if (chain !== "" && chain !== current) {
      throw usageError(
        `${shown} has signed in another chain: \`sion genesis key <dir>\` makes another key`,
      );
    }
    const validator = await validatorNamed(context, args.validator);
    const outcome = await client.rotateKey({
      wallet: args.wallet,
      validator: validator.id,
      seed,
      ...telling(context),
    });
    if (context.json) {
      context.output.json(outcomeValue(outcome, { validator: validator.id }));
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

/** A validator by the id of its object or of any key that it has or had, or by their beginnings. */
async function validatorNamed(context: CommandContext, text: string): Promise<ObjectValue> {
  const client = await context.client();
  const options = { signal: context.signal };
  const keys = await client.objects("validator_key", undefined, options);
  const key = keys.filter(({ id }) => text.length >= 4 && id.startsWith(text));
  const [only] = key;
  if (only === undefined || key.length > 1) return await client.object("validator", text, options);
  return await client.object("validator", textOf(only.object["validator"]), options);
}
