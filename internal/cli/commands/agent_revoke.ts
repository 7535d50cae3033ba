import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, walletName } from "../readers.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, requireNotRevoked } from "./_standing.ts";

export const command = defineCommand({
  path: "agent revoke",
  brief: "Revoke an agent and every agent below it, for good.",
  args: {
    wallet: argument(walletName, "who stands above the agent"),
    agent: argument(agentId, "the agent's id or name"),
  },
  flags: {},
  examples: [["sion agent revoke alice 0d7240c5", "for good"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const below = await agentBelow(context, args.wallet, args.agent);
    requireNotRevoked(below);
    const { id } = below.agent;
    return await signOne(context, args.wallet, { kind: "agent_revoke", body: { agent: id } });
  },
});
