import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { finished, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "task refund",
  brief:
    "Take back what is in escrow of a task that nobody settled in time. An agent's goes back into " +
    "its allotment.",
  args: {
    wallet: argument(walletName, "the poster, or who stands above the agent that posted it"),
    task: argument(objectId, "the task's id"),
  },
  flags: {},
  examples: [["sion task refund alice 5bc688d4", "after its deadline"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const outcome = await client.tasks.refund({ ...args, ...telling(context) });
    return finished(context, outcome);
  },
});
