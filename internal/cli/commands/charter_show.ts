import { argument, defineCommand } from "../command.ts";
import { objectId } from "../readers.ts";
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
  path: "charter show",
  brief: "Show a charter and the money under it.",
  args: { charter: argument(objectId, "the charter's id") },
  flags: {},
  examples: [["sion charter show e2737343", "what it allows, and what is left"]],
  json: "the charter's members with its allotments",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const charter = await opened.object("charter", args.charter, { signal });
    const allotments = await allotmentsOf(opened, charter.id, signal);
    if (json) {
      output.json({ ...charterValue(charter), allotments: allotments.map(allotmentValue) });
      return;
    }
    const names = await opened.names({ signal });
    const agent = textOf(charter.object["agent"]);
    const standing = standingOf(agent, await allAgents(opened, signal));
    const name = (id: string): string => names(id) ?? output.id(id);
    output.line(`charter ${charter.id} for agent ${output.id(agent)}`);
    output.line(termsOf(charter, name, { standing, allotments }));
    for (const { id, object } of allotments) {
      const giver = name(textOf(object["giver"]));
      output.line(
        `allotment ${id} of ${giver}: ${textOf(usdOf(object["balance"]))} USD left, ` +
          `${textOf(usdOf(object["spent"]))} spent`,
      );
    }
  },
});
