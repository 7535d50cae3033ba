import { defineCommand, value } from "../command.ts";
import { account } from "../readers.ts";
import { allAgents, standingOf, textOf } from "./_objects.ts";

export const command = defineCommand({
  path: "agent list",
  brief: "List agents, one a line: id, name, standing, who answers for it.",
  args: {},
  flags: { principal: value(account, "only those under this wallet or account") },
  examples: [["sion agent list --principal alice", "alice's agents"]],
  json: "a list of agents with their members",
  node: true,
  async run({ client, output, json, signal }, { flags }) {
    const opened = await client();
    const all = await allAgents(opened, signal);
    const principal = flags.principal === undefined
      ? undefined
      : (await opened.resolve(flags.principal, { signal })).account;
    const agents = [...all.values()].filter(({ object }) =>
      principal === undefined || object["principal"] === principal
    );
    if (json) {
      return output.json(
        agents.map((agent) => ({
          ...agent.object,
          agent: agent.id,
          standing: standingOf(agent.id, all),
        })),
      );
    }
    const names = await opened.names({ signal });
    for (const agent of agents) {
      const { name, principal: above } = agent.object;
      const who = names(textOf(above)) ?? output.id(textOf(above));
      output.line(
        `${output.id(agent.id)} ${textOf(name)} ${standingOf(agent.id, all)} under ${who}`,
      );
    }
    if (agents.length === 0) output.note("no agents: `sion agent create` makes one");
  },
});
