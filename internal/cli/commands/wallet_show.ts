import { argument, defineCommand } from "../command.ts";
import { walletName } from "../readers.ts";

export const command = defineCommand({
  path: "wallet show",
  brief: "Show a wallet's account: of its file, or of the devnet's wallet of that name.",
  args: { name: argument(walletName, "the wallet") },
  flags: {},
  examples: [["sion wallet show alice", "alice's account"]],
  json: "{account, file, name}",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const { account, file, name } = await opened.wallets.show(args.name, { signal });
    if (json) return output.json({ account, file, name });
    output.line(`${name} ${account}`);
    output.note(
      file
        ? `its seed is in ${await opened.wallets.path(name)}`
        : "no file: the devnet's wallet of that name, which everybody has",
    );
  },
});
