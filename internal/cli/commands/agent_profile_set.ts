import { capabilityOptions } from "#internal/agent/mod.ts";
import { closest } from "#internal/core/mod.ts";
import type { Profile } from "#internal/store/mod.ts";
import type { Reader } from "../command.ts";
import { argument, defineCommand, flagName, list } from "../command.ts";
import { usageError } from "../errors.ts";
import { profileName } from "../readers.ts";
import { openMachine } from "./_conversation.ts";
import { openProfilesHere, optionLines } from "./_profiles.ts";
import { overProfile, sessionFlags } from "./_session_options.ts";

const NAMES = ["autonomy", "chain", "model", "node", "workspace"];

/** An option's name as it is typed, without the dashes. */
const optionName: Reader<string> = {
  placeholder: "OPTION",
  read: (given) => given.replace(/^--/, ""),
  offers: [...NAMES, ...capabilityOptions().map(({ name }) => flagName(name).slice(2))],
};

export const command = defineCommand({
  path: "agent profile set",
  brief:
    "Change options of a profile. Those that are not given stay; sessions that are open keep " +
    "theirs.",
  args: { name: argument(profileName, "the profile") },
  flags: {
    without: list(optionName, "take this option away"),
    ...sessionFlags,
  },
  examples: [
    ["sion agent profile set lead --autonomy L3", "from its next session on"],
    ["sion agent profile set lead --without workspace", "no files any more"],
  ],
  json: "{agent, name, options, wallet}",
  node: true,
  async run(context, { args: { name }, flags }) {
    const { output, json } = context;
    const { profileOf } = await import("#internal/agent/mod.ts");
    const profiles = await openProfilesHere(context);
    using machine = await openMachine(context);
    const changed = await profiles.change(name, async (profile) => {
      const left = without(profile, flags.without);
      return { name, ...await profileOf(machine, await overProfile(context, left, flags)) };
    });
    if (json) return output.json(changed);
    output.line(`profile ${name} is agent ${output.id(changed.agent)} of wallet ${changed.wallet}`);
    for (const line of optionLines(changed)) output.line(`  ${line}`);
  },
});

/** A profile without some of its options. @throws {SionError} `usage` on one that it has not */
function without(profile: Profile, names: readonly string[]): Profile {
  const options: Record<string, Profile["options"][string]> = { ...profile.options };
  for (const typed of names) {
    const has = Object.keys(options);
    const found = has.find((name) => flagName(name) === `--${typed}` || name === typed);
    if (found === undefined) {
      const meant = closest(`--${typed}`, has.map(flagName));
      throw usageError(
        `profile ${profile.name} has no option --${typed}: ` +
          (meant === undefined
            ? `\`sion agent profile show ${profile.name}\` shows those it has`
            : `did you mean ${meant}`),
      );
    }
    delete options[found];
  }
  return { ...profile, options };
}
