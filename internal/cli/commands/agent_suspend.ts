import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, walletName } from "../readers.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, refused, requireNotRevoked, suspensionsOf } from "./_standing.ts";

export const command = defineCommand({
  path: "agent suspend",
  brief: "Suspend an agent and every agent below it, until it is resumed.",
  args: {
    wallet: argument(walletName, "who stands above the agent"),
    agent: argument(agentId, "the agent's id or name"),
  },
  flags: {},
  examples: [["sion agent suspend alice 0d7240c5", "no more payments of it and all below"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const below = await agentBelow(context, args.wallet, args.agent);
    requireNotRevoked(below);
    const before = suspensionsOf(below).find(({ level }) => level === below.level);
    if (before !== undefined) {
      throw refused(
        `agent ${below.shown} is suspended already, by ${below.name(before.by)}: ` +
          "`sion agent resume` lifts it",
      );
    }
    const { id } = below.agent;
    return await signOne(context, args.wallet, { kind: "agent_suspend", body: { agent: id } });
  },
});
