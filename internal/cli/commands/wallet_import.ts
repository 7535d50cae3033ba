import { resolve } from "node:path";
import { SionError } from "#internal/core/mod.ts";
import { argument, defineCommand, optionalArgument } from "../command.ts";
import { usageError } from "../errors.ts";
import { path, walletName } from "../readers.ts";
import { requireNoShadow, shadowFlag } from "./_shadow.ts";
import { readPathAtMost } from "../standard_input.ts";

/** A seed is 64 digits: more than this is something else. */
const MOST_BYTES = 4_096;

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
    const { client, output, json, cwd, readStdin, signal } = context;
    await requireNoShadow(context, args.name, flags.shadow);
    const { parseSeed } = await import("#internal/store/mod.ts");
    const seed = args.file === undefined || args.file === "-"
      ? parseSeed(await readStdin(MOST_BYTES), "standard input")
      : parseSeed(await readSeedFile(resolve(cwd, args.file), args.file, signal), args.file);
    const opened = await client();
    const { account, name } = await opened.wallets.import(args.name, seed);
    if (json) return output.json({ account, name });
    output.line(`${name} ${account}`);
  },
});

/** A pipe is as good as a file: `<(pass show savings)`. */
async function readSeedFile(
  file: string,
  shown: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await readPathAtMost(file, MOST_BYTES, signal, shown);
  } catch (cause) {
    if (cause instanceof SionError || signal.aborted) throw cause;
    const code = (cause as { code?: string }).code ?? "unreadable";
    throw usageError(`cannot read ${shown} (${code}): give a file that holds a seed`);
  }
}
