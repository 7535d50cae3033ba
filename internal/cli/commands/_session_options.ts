/** The options with which commands open sessions; profiles keep the same. */
import type { SessionOptions } from "#internal/agent/mod.ts";
import type { Profile } from "#internal/store/mod.ts";
import { argument, list, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { agentId, folder, text, walletName } from "../readers.ts";
import { capabilityFlags, givenCapabilities } from "./_capabilities.ts";
import { openProfilesHere } from "./_profiles.ts";

const LEVELS = ["L0", "L1", "L2", "L3", "L4", "L5", "L6"] as const;

/** Which agent. */
export const sessionArguments = {
  wallet: argument(walletName, "the agent's wallet"),
  agent: argument(agentId, "the agent's id or name"),
};

/** How its sessions are opened. */
export const sessionFlags = {
  model: list(
    text("MODEL"),
    "anthropic:MODEL, openai:MODEL or script:FILE; the next is asked when one fails",
  ),
  workspace: value(folder, "the folder that its file tools work in", { default: "none" }),
  autonomy: value(
    { ...text("LEVEL"), offers: LEVELS },
    "L0 to L6: what it may do on its own (read, write, external, spend)",
    { default: "L2" },
  ),
  ...capabilityFlags(),
};

/** What is given of those options. */
export interface GivenSessionFlags {
  readonly model: readonly string[];
  readonly workspace: string | undefined;
  readonly autonomy: string | undefined;
}

/** What was given of all that, as sessions are opened with it. */
export function sessionOptionsOf(
  { clientOptions: { node, chain } }: CommandContext,
  args: { readonly wallet: string; readonly agent: string },
  flags: GivenSessionFlags,
): SessionOptions {
  const { model, workspace, autonomy } = flags;
  return {
    ...args,
    models: model,
    ...(workspace === undefined ? {} : { workspace }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(node === undefined ? {} : { node }),
    ...(chain === undefined ? {} : { chain }),
    given: givenCapabilities({ ...flags }),
  };
}

/**
 * A profile's options, with what was given over them, for a session.
 * @throws {SionError} `profile-unknown`; `autonomy` when the level is above the profile's
 */
export async function profileOptionsOf(
  context: CommandContext,
  name: string,
  flags: GivenSessionFlags,
): Promise<SessionOptions> {
  const { checkLevelOf } = await import("#internal/agent/mod.ts");
  const profile = await openProfilesHere(context).then((profiles) => profiles.get(name));
  checkLevelOf(profile, flags.autonomy);
  return await overProfile(context, profile, flags);
}

/** The same of a profile that is at hand. */
export async function overProfile(
  context: CommandContext,
  profile: Profile,
  flags: GivenSessionFlags,
): Promise<SessionOptions> {
  const { sessionOf, withOptions } = await import("#internal/agent/mod.ts");
  const session = sessionOf(profile);
  const { wallet: _wallet, agent: _agent, ...given } = sessionOptionsOf(context, session, flags);
  return withOptions(session, given);
}
