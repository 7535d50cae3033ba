import { argument, defineCommand } from "../command.ts";
import { account } from "../readers.ts";

export const command = defineCommand({
  path: "balance",
  brief: "Show what an account has.",
  args: { account: argument(account, "a wallet name (devnet) or an account of 64 hex digits") },
  flags: {},
  examples: [["sion balance alice", "what alice has"]],
  json: "as sion_balance returns it",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const balance = await opened.balance(args.account, { signal });
    if (json) return output.json(balance);
    for (const { amount, asset } of balance.balances) output.line(`${amount} ${asset}`);
    if (balance.balances.length === 0) output.line("0 USD");
    output.note(`account ${balance.account}, as of Pulse ${balance.pulse}`);
  },
});
