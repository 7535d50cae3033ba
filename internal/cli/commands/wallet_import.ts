import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { argument, defineCommand, optionalArgument } from "../command.ts";
import { usageError } from "../errors.ts";
import { path, walletName } from "../readers.ts";

export const command = defineCommand({
  path: "wallet import",
  brief: "Keep a seed as a wallet: 64 hex digits from a file or standard input, never from the " +
    "command line.",
  args: {
    name: argument(walletName, "the name to give it"),
    file: optionalArgument(path, "the file that holds the seed; standard input if left out"),
  },
  flags: {},
  examples: [
    ["sion wallet import savings backup/savings", "from a copy of a wallet's file"],
    ["pass show savings | sion wallet import savings", "from a password manager"],
  ],
  json: "{account, name}",
  node: false,
  async run({ client, output, json, cwd, readStdin }, { args }) {
    const { parseSeed } = await import("#internal/store/mod.ts");
    const seed = args.file === undefined || args.file === "-"
      ? parseSeed(await readStdin(), "standard input")
      : parseSeed(await readSeedFile(resolve(cwd, args.file), args.file), args.file);
    const opened = await client();
    const { account, name } = await opened.wallets.import(args.name, seed);
    if (json) return output.json({ account, name });
    output.line(`${name} ${account}`);
  },
});

async function readSeedFile(file: string, shown: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    const code = (cause as { code?: string }).code ?? "unreadable";
    throw usageError(`cannot read ${shown} (${code}): give a file that holds a seed`);
  }
}
