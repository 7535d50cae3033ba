import { DEVNET_NAMES } from "#internal/rpc/mod.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  path: "wallet list",
  brief: "List the wallets that have a file here, with their accounts.",
  args: {},
  flags: {},
  examples: [["sion wallet list", "yours, one a line"]],
  json: "a list of {account, name}",
  node: false,
  async run({ client, output, json }) {
    const opened = await client();
    const wallets = await opened.wallets.list();
    if (json) return output.json(wallets);
    for (const { name, account } of wallets) output.line(`${name} ${account}`);
    if (wallets.length === 0) {
      output.note("no wallets here yet: `sion wallet new <name>` makes one");
    }
    output.hint([
      `on a devnet every name is a wallet without a file; ${DEVNET_NAMES.join(", ")} have money`,
    ]);
  },
});
