import { defineCommand } from "../command.ts";
import { openCredentialsHere } from "./_credentials.ts";

export const command = defineCommand({
  path: "agent credential list",
  brief: "List the names of the keys and settings that are kept here for agents.",
  args: {},
  flags: {},
  examples: [["sion agent credential list", "names, one a line; no value is ever shown"]],
  json: "a list of {name, secret}",
  node: false,
  async run(context) {
    const { output, json } = context;
    const all = await (await openCredentialsHere(context)).all();
    const kept = all.map(({ name, secret }) => ({ name, secret }));
    if (json) return output.json(kept);
    for (const { name } of kept) output.line(name);
    if (kept.length === 0) {
      output.note("no credentials here yet: `sion agent credential add <name>` keeps one");
    }
  },
});
