import { argument, defineCommand } from "../command.ts";
import { account } from "../readers.ts";

export const command = defineCommand({
  path: "stake show",
  brief: "Show the delegations of a wallet or account: the stake behind them, whether they earn, " +
    "and the rewards owed now.",
  args: { account: argument(account, "a wallet name (devnet) or an account of 64 hex digits") },
  flags: {},
  examples: [["sion stake show alice", "what alice delegated, and what it earned"]],
  json: "{account, delegations, epoch}",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const shown = await (await client()).stake.show(args.account, { signal });
    if (json) return output.json(shown);
    for (const { delegation, stake, validator, state, rewards_owed } of shown.delegations) {
      output.line(
        `${output.id(delegation)} ${stake} USD at validator ${output.id(validator)}, ${state}, ` +
          `${rewards_owed} USD owed`,
      );
    }
    if (shown.delegations.length === 0) {
      output.note("no delegations: `sion stake delegate` makes one");
    }
  },
});
