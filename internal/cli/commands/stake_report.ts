import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { walletName } from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "stake report",
  brief:
    "Have validators slashed that the node saw sign two things that contradict each other (blocks of " +
    "one round, votes): a tenth of own stake and pool, once for each session. Anybody may; the wallet " +
    "pays the fee.",
  args: { wallet: argument(walletName, "who signs and pays") },
  flags: {},
  examples: [["sion stake report alice", "show the ledger what the node saw"]],
  json: "a list of {digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const outcomes = await client.stake.report({
      wallet: args.wallet,
      foresee: true,
      ...telling(context),
    });
    if (context.json) context.output.json(outcomes.map((outcome) => outcomeValue(outcome)));
    else if (outcomes.length === 0) {
      context.output.note(
        "nothing to report: the node saw no validator contradict itself that was not slashed for it",
      );
    }
    return exitOf(...outcomes);
  },
});
