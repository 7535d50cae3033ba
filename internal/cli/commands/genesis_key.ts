import { resolve } from "node:path";
import { displayPath, systemRandom } from "#internal/runtime/mod.ts";
import { argument, defineCommand, toggle, value } from "../command.ts";
import { account, folder } from "../readers.ts";
import { genesisAccount } from "./_genesis.ts";

export const command = defineCommand({
  path: "genesis key",
  brief: "Make a validator's key with the store that it signs with, and its public part, which " +
    "goes into the genesis. Key and store belong together: a key without its store never signs.",
  args: { dir: argument(folder, "the folder of the key, made if there is none") },
  flags: {
    operator: value(
      account,
      "who may give the validator another key: a wallet kept here, or an account of " +
        "64 hex digits",
      { default: "the key's own account" },
    ),
    insecureSignatures: toggle("a key that costs nothing and proves nothing, for tests"),
  },
  examples: [
    ["sion genesis key v0 --operator savings", "the wallet savings may change the key"],
    ["sion genesis key v0", "key.json, node.sqlite and validator.json in the folder v0"],
  ],
  json: "{key, operator, public_part, validator}",
  node: false,
  async run(context, { args, flags }) {
    const { output, json, env, cwd } = context;
    const { makeValidatorKey } = await import("#internal/node/mod.ts");
    const dir = resolve(cwd, args.dir);
    const insecure = flags.insecureSignatures;
    const operator = flags.operator === undefined
      ? undefined
      : await genesisAccount(context, flags.operator, { devnet: false, insecure });
    const made = await makeValidatorKey({
      dir,
      shown: displayPath(dir, env),
      ...(operator === undefined ? {} : { operator }),
      insecure,
      random: systemRandom,
    });
    if (json) {
      const { key, publicPart, validator } = made;
      return output.json({ key, operator: made.operator, public_part: publicPart, validator });
    }
    output.line(`validator ${made.validator}, operator ${made.operator}`);
    output.hint([
      `Give ${displayPath(made.publicPart, env)} to who makes the genesis (sion genesis new).`,
      "key.json and node.sqlite stay together on one machine: a copy of them that runs too, or an " +
      "old one, may sign two blocks for one round, which is evidence against it for ever.",
    ]);
  },
});
