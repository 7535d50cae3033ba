import { argument, defineCommand } from "../command.ts";
import { agentId } from "../readers.ts";
import {
  allAgents,
  allotmentsOf,
  allotmentValue,
  charterValue,
  standingOf,
  termsOf,
  textOf,
  usdOf,
} from "./_objects.ts";

export const command = defineCommand({
  path: "agent show",
  brief: "Show an agent: how it stands, what it may pay, what is left.",
  args: { agent: argument(agentId, "the agent's id or name") },
  flags: {},
  examples: [
    ["sion agent show 0d7240c5", "this agent"],
    ["sion agent show coder", "the one of this name"],
  ],
  json: "the agent's members with its charters and their allotments",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const agent = await opened.object("identity", args.agent, { signal });
    const [all, charters] = await Promise.all([
      allAgents(opened, signal),
      opened.objects("charter", { member: "agent", equals: agent.id }, { signal }),
    ]);
    const standing = standingOf(agent.id, all);
    const given = await Promise.all(charters.map(async (charter) => ({
      charter,
      allotments: await allotmentsOf(opened, charter.id, signal),
    })));
    if (json) {
      return output.json({
        ...agent.object,
        agent: agent.id,
        standing,
        charters: given.map(({ charter, allotments }) => ({
          ...charterValue(charter),
          allotments: allotments.map(allotmentValue),
        })),
      });
    }
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    const { object } = agent;
    output.line(`agent ${agent.id} ${textOf(object["name"])}: ${standing}`);
    output.line(`account ${textOf(object["account"])}, under ${name(textOf(object["principal"]))}`);
    for (const { charter, allotments } of given) {
      const terms = termsOf(charter, name, { standing, allotments });
      output.line(`charter ${output.id(charter.id)}: ${terms}`);
      for (const { id, object: allotment } of allotments) {
        output.line(
          `allotment ${output.id(id)}: ${textOf(usdOf(allotment["balance"]))} USD left, ` +
            `${textOf(usdOf(allotment["spent"]))} spent`,
        );
      }
    }
  },
});
