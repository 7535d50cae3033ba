import { defineCommand } from "../command.ts";
import { openProfilesHere } from "./_profiles.ts";

export const command = defineCommand({
  path: "agent profile list",
  brief: "List the profiles that are kept here, with their agents.",
  args: {},
  flags: {},
  examples: [["sion agent profile list", "yours, one a line"]],
  json: "a list of {agent, name, options, wallet}",
  node: false,
  async run(context) {
    const { output, json } = context;
    const profiles = await (await openProfilesHere(context)).list();
    if (json) return output.json(profiles);
    for (const { name, wallet, agent, options } of profiles) {
      const autonomy = String(options["autonomy"] ?? "L2");
      const models = [options["model"] ?? "no model"].flat().join(", ");
      output.line(
        `${name} agent ${output.id(agent)} of ${wallet}, ${autonomy}: ${models}`,
      );
    }
    if (profiles.length === 0) {
      output.note("no profiles here yet: `sion agent profile add` keeps one");
    }
  },
});
