import { shortId } from "#internal/core/mod.ts";
import { argument, defineCommand, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, walletName } from "../readers.ts";
import { exitOf, outcomeValue, telling } from "./_signing.ts";

export const command = defineCommand({
  path: "memory open",
  brief: "Open a memory log: the ledger keeps its head, this machine its atoms.",
  args: { wallet: argument(walletName, "whose log it is") },
  flags: {
    agent: value(
      agentId,
      "the agent that it belongs to: then it is frozen while the agent is suspended",
    ),
  },
  examples: [
    ["sion memory open robot-7", "a log of robot-7's own"],
    ["sion memory open robot-7 --agent 0d7240c5", "a log of the agent that acts with robot-7"],
  ],
  json: "{digest, events, fee, log, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args: { wallet }, flags: { agent } }) {
    const client = await context.client();
    const outcome = await client.memory.open({
      wallet,
      ...(agent === undefined ? {} : { agent }),
      ...telling(context),
    });
    const [log] = outcome.made;
    if (context.json) context.output.json(outcomeValue(outcome, { log }));
    else if (log !== undefined) {
      context.output.line(`memory log ${log}`);
      context.output.hint([
        `sion memory remember ${wallet} ${shortId(log)} door-2 open true records a statement`,
      ]);
    }
    return exitOf(outcome);
  },
});
