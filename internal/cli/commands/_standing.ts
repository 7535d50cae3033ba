/**
 * What the ledger would refuse for a fee, looked at before it is signed: who stands above an agent,
 * and how the agent stands. The ledger decides all the same; it may have changed meanwhile.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { shortId, SionError } from "#internal/core/mod.ts";
import type { ObjectValue } from "#internal/client/mod.ts";
import type { CommandContext } from "../context.ts";
import { allAgents, textOf } from "./_objects.ts";

/** `standing`: as things stand the ledger would refuse it. Data: none. */
export type StandingErrorCode = "standing";

type Fields = { readonly [member: string]: JsonValue };

/** An agent that a wallet is known to stand above. */
export interface Below {
  readonly agent: ObjectValue;
  /** How sentences name it: `0d7240c5 (coder)`. */
  readonly shown: string;
  /** Where the wallet stands: 0 is the person at the top, n the ancestor at depth n. */
  readonly level: number;
  /** An account as sentences name it. */
  name(account: string): string;
}

/**
 * The agent that is named, once it is known that the wallet stands above it.
 * @throws {SionError} `standing`, `not-found` and what resolving the wallet throws.
 */
export async function agentBelow(
  context: CommandContext,
  wallet: string,
  named: string,
): Promise<Below> {
  const { signal } = context;
  const client = await context.client();
  const agent = await client.object("identity", named, { signal });
  const { account } = await client.resolve(wallet, { signal });
  const names = await client.names({ signal });
  const name = (id: string): string => names(id) ?? shortId(id);
  const { object } = agent;
  const shown = `${shortId(agent.id)} (${textOf(object["name"])})`;
  if (object["principal"] === account) return { agent, shown, level: 0, name };
  const all = await allAgents(client, signal);
  for (let at = parentOf(agent, all); at !== undefined; at = parentOf(at, all)) {
    if (at.object["account"] !== account) continue;
    return { agent, shown, level: Number(at.object["depth"]), name };
  }
  throw refused(
    `${wallet} does not stand above agent ${shown}, ${name(textOf(object["principal"]))} does: ` +
      "give the wallet that does",
  );
}

/** Something that is so already, or cannot be: nothing is signed. */
export function refused(message: string): SionError<StandingErrorCode> {
  return new SionError("standing", `${message}; nothing was sent`);
}

/** @throws {SionError} `standing` when the agent was revoked. */
export function requireNotRevoked({ agent, shown, name }: Below): void {
  const revoked = agent.object["revoked"] as Fields | null;
  if (revoked === null) return;
  throw refused(
    `agent ${shown} was revoked by ${name(textOf(revoked["by"]))}, which is for good: ` +
      "`sion agent create` makes another",
  );
}

/** @throws {SionError} `standing` when the agent, or one above it, is suspended or was revoked. */
export async function requireGoodStanding(
  context: CommandContext,
  agent: ObjectValue,
): Promise<void> {
  const all = await allAgents(await context.client(), context.signal);
  for (let at: ObjectValue | undefined = agent; at !== undefined; at = parentOf(at, all)) {
    const own = textOf(at.object["own_standing"]);
    if (own === "good") continue;
    const above = at === agent ? "" : ` above agent ${shortId(agent.id)}`;
    const remedy = own === "suspended"
      ? "who stands above it can resume it"
      : "that is for good, another is needed";
    throw refused(
      `agent ${shortId(at.id)} (${textOf(at.object["name"])})${above} ${
        own === "suspended" ? "is" : "was"
      } ${own}: ${remedy}`,
    );
  }
}

/** The suspensions in force, each with the level that set it. */
export function suspensionsOf({ agent }: Below): readonly { level: number; by: string }[] {
  const suspensions = agent.object["suspensions"] as readonly Fields[];
  return suspensions.map(({ level, by }) => ({ level: Number(level), by: textOf(by) }));
}

/** @throws {SionError} `standing` when the charter was revoked. */
export function requireInForce({ id, object }: ObjectValue): void {
  if (object["revoked"] === null) return;
  throw refused(
    `charter ${shortId(id)} was revoked, which is for good: \`sion charter create\` makes another`,
  );
}

function parentOf(
  { object }: ObjectValue,
  all: ReadonlyMap<string, ObjectValue>,
): ObjectValue | undefined {
  const parent = object["parent"];
  return typeof parent === "string" ? all.get(parent) : undefined;
}
