import { isHex64, quoteOddWord, shortId, SionError } from "#internal/core/mod.ts";
import type { CommandContext } from "../context.ts";
import type { Reader } from "../command.ts";
import { argument, defineCommand, toggle, value } from "../command.ts";
import { usageError } from "../errors.ts";
import { profileName } from "../readers.ts";
import { openProfilesHere, openTokensHere } from "./_profiles.ts";

/** An agent that this machine need not know: nothing is asked for it. */
const wholeId: Reader<string> = {
  placeholder: "AGENT",
  read(given, what) {
    if (isHex64(given)) return given;
    throw usageError(`${what} ${quoteOddWord(given)} is no agent's id: give its 64 hex digits`);
  },
};

export const command = defineCommand({
  path: "agent profile token add",
  brief: "Make a token that reaches one profile. It is shown once; kept is its hash.",
  args: { profile: argument(profileName, "the profile that it reaches") },
  flags: {
    approve: toggle("its holder may approve and decline too"),
    agent: value(wholeId, "which agent the profile is, on a gateway's machine", {
      default: "the profile's here",
    }),
  },
  examples: [
    ["sion agent profile token add lead", "for someone who may write to it"],
    ["sion agent profile token add lead --approve", "for someone who may decide too"],
  ],
  json: "{agent, approve, id, profile, token}",
  node: false,
  async run(context, { args: { profile }, flags: { approve, agent: given } }) {
    const { output, json } = context;
    const agent = await agentOf(context, profile, given);
    const tokens = await openTokensHere(context);
    const { kept, token } = await tokens.add({ profile, agent, approve });
    if (json) return output.json({ ...kept, token });
    const rights = approve ? "messages, approvals and declines" : "messages only";
    output.line(
      `token ${kept.id} for profile ${profile}, agent ${shortId(agent)} (${rights}); it is shown ` +
        "once, and kept here only as its hash:",
    );
    output.line(token);
  },
});

/** The profile's agent; on a machine without the profile, the one that is given. */
async function agentOf(
  context: CommandContext,
  name: string,
  given: string | undefined,
): Promise<string> {
  const profiles = await openProfilesHere(context);
  try {
    const { agent } = await profiles.get(name);
    if (given === undefined || given === agent) return agent;
    throw usageError(
      `profile ${name} is agent ${shortId(agent)} here, not ${shortId(given)}: leave --agent out`,
    );
  } catch (error) {
    if (!(error instanceof SionError) || error.code !== "profile-unknown") throw error;
    if (given !== undefined) return given;
    throw error;
  }
}
