/** The options with which commands open sessions: `agent run` and `agent talk` have the same. */
import type { SessionOptions } from "#internal/agent/mod.ts";
import { argument, neededList, value } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { agentId, folder, text, walletName } from "../readers.ts";
import { capabilityFlags, givenCapabilities } from "./_capabilities.ts";

const LEVELS = ["L0", "L1", "L2", "L3", "L4", "L5", "L6"] as const;

/** Which agent. */
export const sessionArguments = {
  wallet: argument(walletName, "the agent's wallet"),
  agent: argument(agentId, "the agent's id or name"),
};

/** How its sessions are opened. */
export const sessionFlags = {
  model: neededList(
    text("MODEL"),
    "script:FILE; the next is asked when one fails",
    "for example --model script:turns.json",
  ),
  workspace: value(folder, "the folder that its file tools work in", { default: "none" }),
  autonomy: value(
    { ...text("LEVEL"), offers: LEVELS },
    "L0 to L6: what it may do on its own (read, write, external, spend)",
    { default: "L2" },
  ),
  ...capabilityFlags(),
};

/** What was given of all that, as sessions are opened with it. */
export function sessionOptionsOf(
  { clientOptions: { node, chain } }: CommandContext,
  args: { readonly wallet: string; readonly agent: string },
  flags: {
    readonly model: readonly string[];
    readonly workspace: string | undefined;
    readonly autonomy: string | undefined;
  },
): SessionOptions {
  const { model, workspace, autonomy } = flags;
  return {
    ...args,
    models: model,
    ...(workspace === undefined ? {} : { workspace }),
    ...(autonomy === undefined ? {} : { autonomy }),
    ...(node === undefined ? {} : { node }),
    ...(chain === undefined ? {} : { chain }),
    given: givenCapabilities(flags),
  };
}
