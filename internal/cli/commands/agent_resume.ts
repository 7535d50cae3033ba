import { argument, defineCommand } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, walletName } from "../readers.ts";
import { signOne } from "./_signing.ts";
import { agentBelow, refused, requireNotRevoked, suspensionsOf } from "./_standing.ts";

export const command = defineCommand({
  path: "agent resume",
  brief: "Lift the suspension of an agent. One set from above it stays.",
  args: {
    wallet: argument(walletName, "who stands above the agent"),
    agent: argument(agentId, "the agent's id or name"),
  },
  flags: {},
  examples: [["sion agent resume alice 0d7240c5", "good standing again"]],
  json: "{digest, events, fee, pulse, receipt, status}",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args }) {
    const below = await agentBelow(context, args.wallet, args.agent);
    requireNotRevoked(below);
    const [highest] = suspensionsOf(below);
    if (highest === undefined) {
      throw refused(`agent ${below.shown} is not suspended: there is nothing to lift`);
    }
    if (suspensionsOf(below).every(({ level }) => level < below.level)) {
      throw refused(
        `agent ${below.shown} was suspended by ${below.name(highest.by)}, who stands above ` +
          `${args.wallet}: only they may lift it`,
      );
    }
    const { id } = below.agent;
    return await signOne(context, args.wallet, { kind: "agent_resume", body: { agent: id } });
  },
});
