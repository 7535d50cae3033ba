import { defineCommand, value } from "../command.ts";
import { objectId } from "../readers.ts";
import { charterValue, termsOf, textOf } from "./_objects.ts";

export const command = defineCommand({
  path: "charter list",
  brief: "List charters, one a line: those of an agent, or all.",
  args: {},
  flags: { agent: value(objectId, "only those of this agent") },
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
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const charter of charters) {
      const of = output.id(textOf(charter.object["agent"]));
      output.line(`${charter.id} agent ${of}: ${termsOf(charter, name)}`);
    }
    if (charters.length === 0) output.note("no charters: `sion charter create` makes one");
  },
});
