import { argument, defineCommand, toggle } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "memory commit",
  brief:
    "Move the ledger's head of a memory log to what is recorded here, by a proof that the log " +
    "grew. Neither atoms nor their places leave this machine.",
  args: {
    wallet: argument(walletName, "whose log it is"),
    log: argument(objectId, "the log's id, or the first digits"),
  },
  flags: { seal: toggle("close the log for good") },
  examples: [
    ["sion memory commit robot-7 5bc688d4", "what was recorded since the last commit"],
    ["sion memory commit robot-7 5bc688d4 --seal", "and nothing after it"],
  ],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown, EXIT.no],
  async run(context, { args: { wallet, log }, flags: { seal } }) {
    const client = await context.client();
    const outcome = await client.memory.commit({ wallet, log, seal, ...telling(context) });
    return finished(context, outcome);
  },
});
