import { argument, defineCommand, optionalArgument } from "../command.ts";
import { path, walletName } from "../readers.ts";
import { requireNoShadow, shadowFlag } from "./_shadow.ts";
import { readGiven } from "../standard_input.ts";

/** A seed is 64 digits: more than this is something else. */
const MAX_SEED_FILE_BYTES = 4_096;

export const command = defineCommand({
  path: "wallet import",
  brief: "Keep a seed as a wallet: 64 hex digits from a file or standard input, never from the " +
    "command line.",
  args: {
    name: argument(walletName, "the name to give it"),
    file: optionalArgument(path, "the file that holds the seed; standard input if left out"),
  },
  flags: { shadow: shadowFlag },
  examples: [
    ["sion wallet import savings backup/savings", "from a copy of a wallet's file"],
    ["pass show savings | sion wallet import savings", "from a password manager"],
  ],
  json: "{account, name}",
  node: false,
  async run(context, { args, flags }) {
    const { client, output, json, readStdin } = context;
    await requireNoShadow(context, args.name, flags.shadow);
    const { parseSeed } = await import("#internal/store/mod.ts");
    const seed = args.file === undefined || args.file === "-"
      ? parseSeed(await readStdin(MAX_SEED_FILE_BYTES), "standard input")
      : parseSeed(
        await readGiven(context, args.file, MAX_SEED_FILE_BYTES, "a file that holds a seed"),
        args.file,
      );
    const opened = await client();
    const { account, name } = await opened.wallets.import(args.name, seed);
    if (json) return output.json({ account, name });
    output.line(`${name} ${account}`);
  },
});
