/** Profiles: how sessions of an agent are opened, checked when they are kept and when they are used. */
import { resolve } from "node:path";
import type { Profile, ProfileOption } from "#internal/store/mod.ts";
import type { CapabilityOption, GivenOptions } from "./capabilities/mod.ts";
import { capabilityOptions, readCapabilities } from "./capabilities/mod.ts";
import { AgentError } from "./errors.ts";
import type { AgentMachine } from "./machine.ts";
import { canonicalModel, modelProviders } from "./models/mod.ts";
import type { SessionOptions } from "./open.ts";
import { parseAutonomy } from "./open.ts";
import { checkWorkspace } from "./workspace_check.ts";

/** What a profile keeps besides options of capabilities. */
const OWN = ["autonomy", "chain", "model", "node", "workspace"] as const;

/**
 * What a profile of these options keeps: paths are absolute, so that it means the same everywhere, and
 * the agent's id is whole. Everything is checked as for a session, save that models answer.
 * @throws {SionError} as `openSession`
 */
export async function profileOf(
  machine: AgentMachine,
  { models, autonomy, workspace: folder, node, chain, wallet, given = {}, ...named }:
    SessionOptions,
): Promise<Omit<Profile, "name">> {
  parseAutonomy(autonomy);
  const providers = machine.providers ?? modelProviders;
  const model = models.map((name) => canonicalModel(name, machine.cwd, providers));
  const workspace = folder === undefined ? undefined : await checkWorkspace({ ...machine, folder });
  const options = absolute(given, machine.cwd);
  const settled = workspace === undefined ? {} : { workspace };
  await readCapabilities(options, { ...machine, ...settled }, machine.capabilities);
  const found = await machine.findAgent({
    ...named,
    wallet,
    ...(node === undefined ? {} : { node }),
    ...(chain === undefined ? {} : { chain }),
  });
  return {
    wallet,
    agent: found.agent,
    options: {
      ...options as Readonly<Record<string, ProfileOption>>,
      ...(model.length === 0 ? {} : { model }),
      ...(autonomy === undefined ? {} : { autonomy }),
      ...settled,
      ...(node === undefined ? {} : { node }),
      ...(chain === undefined ? {} : { chain }),
    },
  };
}

/**
 * How sessions of a profile are opened.
 * @throws {AgentError} `option` when it has one that this version does not know
 */
export function sessionOf({ name, wallet, agent, options }: Profile): SessionOptions {
  const known = new Set<string>([...OWN, ...capabilityOptions().map((option) => option.name)]);
  const unknown = Object.keys(options).find((option) => !known.has(option));
  if (unknown !== undefined) {
    throw new AgentError(
      "option",
      `profile ${name} has the option ${unknown}, which this sion does not know: update sion, or ` +
        `take it away with \`sion agent profile set ${name} --without ${unknown}\``,
    );
  }
  const { model = [], autonomy, workspace, node, chain, ...given } = options;
  return {
    wallet,
    agent,
    models: typeof model === "object" ? model : [],
    ...(typeof autonomy === "string" ? { autonomy } : {}),
    ...(typeof workspace === "string" ? { workspace } : {}),
    ...(typeof node === "string" ? { node } : {}),
    ...(typeof chain === "string" ? { chain } : {}),
    budgets: [name],
    given,
  };
}

/**
 * Checks a level that is given over a profile's: the profile's is the most that its sessions run at,
 * where it names one. @throws {AgentError} `autonomy`
 */
export function checkLevelOf({ name, options: { autonomy: most } }: Profile, given?: string): void {
  if (given === undefined || typeof most !== "string") return;
  if (parseAutonomy(given) <= parseAutonomy(most)) return;
  throw new AgentError(
    "autonomy",
    `profile ${name} runs at ${most} at most, not at ${given}: leave --autonomy out, or raise the ` +
      `profile's with \`sion agent profile set ${name} --autonomy ${given}\``,
  );
}

/** Options with others over them; those that were not given leave what is there. */
export function withOptions(
  session: SessionOptions,
  { models, given = {}, ...others }: Omit<SessionOptions, "wallet" | "agent">,
): SessionOptions {
  return {
    ...session,
    ...others,
    models: models.length === 0 ? session.models : models,
    given: { ...session.given, ...given },
  };
}

/** Paths among options as they are meant from a folder. */
function absolute(given: GivenOptions, cwd: string): GivenOptions {
  const options = new Map(capabilityOptions().map((option) => [option.name, option]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, absoluteIn(options.get(name), value, cwd)]),
  );
}

function absoluteIn(
  option: CapabilityOption | undefined,
  value: GivenOptions[string],
  cwd: string,
): GivenOptions[string] {
  const path = (text: string): string => {
    if (option?.offers === "files") return resolve(cwd, text);
    return option?.fileAfterAt === true && text.startsWith("@")
      ? `@${resolve(cwd, text.slice(1))}`
      : text;
  };
  if (typeof value === "string") return path(value);
  return typeof value === "boolean" ? value : value.map(path);
}
