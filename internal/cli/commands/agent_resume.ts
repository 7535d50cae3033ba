import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, walletName } from "../readers.ts";
import { signOne } from "./_signing.ts";

export const command = defineCommand({
  path: "agent resume",
  brief: "Lift the suspension of an agent. One set from above it stays.",
  args: {
    wallet: argument(walletName, "who stands above the agent"),
    agent: argument(objectId, "the agent's id"),
  },
  flags: {},
  examples: [["sion agent resume alice 0d7240c5", "good standing again"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const client = await context.client();
    const agent = await client.object("identity", args.agent, { signal: context.signal });
    return await signOne(context, args.wallet, { kind: "agent_resume", body: { agent: agent.id } });
  },
});
