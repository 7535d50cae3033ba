import { defineCommand, value } from "../command.ts";
import { agentId } from "../readers.ts";
import { allAgents, charterValue, standingOf, termsOf, textOf } from "./_objects.ts";

export const command = defineCommand({
  path: "charter list",
  brief: "List charters, one a line: those of an agent, or all.",
  args: {},
  flags: { agent: value(agentId, "only those of this agent") },
  examples: [["sion charter list --agent 0d7240c5", "what this agent may pay"]],
  json: "a list of charters with their members",
  node: true,
  async run({ client, output, json, signal }, { flags }) {
    const opened = await client();
    const agent = flags.agent === undefined
      ? undefined
      : (await opened.object("identity", flags.agent, { signal })).id;
    const charters = await opened.objects(
      "charter",
      agent === undefined ? undefined : { member: "agent", equals: agent },
      { signal },
    );
    if (json) return output.json(charters.map(charterValue));
    const [names, agents, allotments] = await Promise.all([
      opened.names({ signal }),
      allAgents(opened, signal),
      opened.objects("allotment", undefined, { signal }),
    ]);
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const charter of charters) {
      const id = textOf(charter.object["agent"]);
      const terms = termsOf(charter, name, {
        standing: standingOf(id, agents),
        allotments: allotments.filter(({ object }) => object["charter"] === charter.id),
      });
      output.line(`${output.id(charter.id)} agent ${output.id(id)}: ${terms}`);
    }
    if (charters.length === 0) output.note("no charters: `sion charter create` makes one");
  },
});
