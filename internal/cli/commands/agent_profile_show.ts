import { argument, defineCommand } from "../command.ts";
import { profileName } from "../readers.ts";
import { openProfilesHere, openTokensHere, optionLines, rightsOf } from "./_profiles.ts";

export const command = defineCommand({
  path: "agent profile show",
  brief: "Show a profile: its agent, its options as they are typed, and its tokens.",
  args: { name: argument(profileName, "the profile") },
  flags: {},
  examples: [["sion agent profile show lead", "all that its sessions are opened with"]],
  json: "{agent, name, options, tokens, wallet}",
  node: false,
  async run(context, { args: { name } }) {
    const { output, json } = context;
    const profile = await (await openProfilesHere(context)).get(name);
    const tokens = (await (await openTokensHere(context)).list())
      .filter((token) => token.profile === name);
    if (json) return output.json({ ...profile, tokens });
    output.line(`profile ${name}`);
    output.line(`agent ${output.id(profile.agent)} of wallet ${profile.wallet}`);
    for (const line of optionLines(profile)) output.line(`  ${line}`);
    for (const token of tokens) output.line(`token ${token.id} ${rightsOf(token)}`);
  },
});
