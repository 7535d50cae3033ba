import { argument, defineCommand } from "../command.ts";
import { profileName } from "../readers.ts";
import { openProfilesHere, openTokensHere } from "./_profiles.ts";

export const command = defineCommand({
  path: "agent profile remove",
  brief: "Remove a profile, and take its tokens back. Its sessions stay.",
  args: { name: argument(profileName, "the profile") },
  flags: {},
  examples: [["sion agent profile remove lead", "nobody reaches it any more"]],
  json: "{name, tokens}: how many tokens it had",
  node: false,
  async run(context, { args: { name } }) {
    const { output, json } = context;
    const profiles = await openProfilesHere(context);
    // Before the profile: a token never reaches one of the same name that is made later.
    const gone = await (await openTokensHere(context)).remove(({ profile }) => profile === name);
    if (!await profiles.remove(name) && gone.length === 0) await profiles.get(name);
    if (json) return output.json({ name, tokens: gone.length });
    const tokens = gone.length === 1 ? "its token" : `its ${gone.length} tokens`;
    output.line(`removed profile ${name}${gone.length === 0 ? "" : ` and took ${tokens} back`}`);
  },
});
