import { argument, defineCommand } from "../command.ts";
import { walletName } from "../readers.ts";
import { requireNoShadow, shadowFlag } from "./_shadow.ts";

export const command = defineCommand({
  path: "wallet new",
  brief: "Make a wallet: a fresh seed, kept in a file that only you can read.",
  args: { name: argument(walletName, "letters, digits, - and _") },
  flags: { shadow: shadowFlag },
  examples: [["sion wallet new savings", "make the wallet savings"]],
  json: "{account, name}",
  node: false,
  async run(context, { args, flags }) {
    const { client, output, json } = context;
    await requireNoShadow(context, args.name, flags.shadow);
    const opened = await client();
    const { account, name } = await opened.wallets.create(args.name);
    if (json) return output.json({ account, name });
    output.line(`${name} ${account}`);
    output.hint([
      `its seed is in ${await opened.wallets.path(name)}: keep a copy, nobody else has one`,
    ]);
  },
});
