/** What kinds share that make agents, or give them charters and money. */
import { formatUsdGrouped, idBytes, isLedgerName } from "#internal/core/mod.ts";
import { fullBucket } from "../bucket.ts";
import type { Caveats } from "../caveats.ts";
import type { Known } from "../delegation.ts";
import { actingAgent } from "../delegation.ts";
import type { Allotment } from "../objects/allotment.ts";
import { allotmentKind } from "../objects/allotment.ts";
import { USD } from "../objects/asset.ts";
import type { Charter } from "../objects/charter.ts";
import { charterEnd, charterKind } from "../objects/charter.ts";
import type { Identity } from "../objects/identity.ts";
import { identityKind, MAX_AGENT_DEPTH } from "../objects/identity.ts";
import type { Say } from "../sentences.ts";
import type { View } from "../view.ts";

/** Where new agents go: right under the acting person, or the acting agent. */
export interface AgentPlace {
  /** Identity of the agent that acts; null when a person does. */
  readonly parent: string | null;
  /** That agent and all above it. */
  readonly above: readonly Known<Identity>[];
  readonly principal: string;
  readonly depth: number;
}

/** The fault of a name that no agent can have, else undefined. */
export function agentNameFault(name: string): string | undefined {
  return isLedgerName(name)
    ? undefined
    : "an agent's name must be 1 to 64 letters, digits, - and _, beginning with a letter or digit";
}

/** How an agent will act: `acting with the account robot`, `without a key of its own`. */
export function actingText(account: string | null, say: Say): string {
  return account === null
    ? "without a key of its own"
    : `acting with the account ${say.account(account)}`;
}

/** The place under the acting account. Fails when that may make no agents. */
export function placeUnder(view: View, parent: string | null): AgentPlace {
  const above = parent === null ? [] : actingAgent(view, parent);
  const depth = above.length + 1;
  view.require(
    depth <= MAX_AGENT_DEPTH,
    "invalid transaction",
    `agents can be at most ${MAX_AGENT_DEPTH} deep`,
  );
  return { parent, above, principal: above[0]?.value.principal ?? view.actor, depth };
}

/** Fails when an agent there cannot act with this account; null is one under the acting policy. */
export function checkAccount(
  view: View,
  { above, principal }: AgentPlace,
  account: string | null,
): void {
  // Whoever stands above would otherwise be bound by nothing: it could lift its own limits.
  const taken = account === principal || above.some(({ value }) => value.account === account);
  view.require(
    !taken,
    "invalid transaction",
    "an agent cannot act with the account of who stands above it",
  );
}

/** Makes the agent, whose account was checked, and tells of it. */
export function makeAgent(
  view: View,
  { parent, principal, depth }: AgentPlace,
  { name, account }: { readonly name: string; readonly account: string | null },
): string {
  const agent = view.create(identityKind, (self): Identity => ({
    name,
    principal,
    parent,
    account: account ?? view.accountUnderPolicy(idBytes(self)),
    keyless: account === null,
    depth,
    registered: view.pulse,
    suspensions: [],
    revoked: null,
  }));
  const { account: acting } = view.need(identityKind, agent);
  view.emit("AgentRegistered", { agent, account: acting, name, parent, principal });
  return agent;
}

/** Fails unless the charter is this agent's and in force: what it gives charters under. */
export function checkCharterAbove(view: View, charter: string, giver: string | undefined): void {
  const above = view.need(charterKind, charter);
  view.require(above.agent === giver, "unauthorized", "the charter above is not the giver's");
  const end = charterEnd(above, view);
  view.require(end === undefined, "invalid transaction", `the charter above is ${end}`);
}

/** Fails when a charter with these caveats would let nothing through any more. */
export function checkExpiry(view: View, { expires }: Caveats): void {
  const late = expires !== null && expires < view.pulse;
  view.require(!late, "invalid transaction", "the charter would have expired already");
}

/** Makes the charter, given by the acting account, and tells of it. */
export function makeCharter(
  view: View,
  terms: { readonly agent: string; readonly parent: string | null; readonly caveats: Caveats },
): string {
  const { agent, parent, caveats } = terms;
  const charter = view.create(
    charterKind,
    {
      agent,
      giver: view.actor,
      parent,
      caveats,
      bucket: caveats.bucket && fullBucket(caveats.bucket, view.timeMs),
      made: view.pulse,
      narrowed: null,
      revoked: null,
    } satisfies Charter,
  );
  view.emit("CharterCreated", { agent, charter, giver: view.actor, parent });
  return charter;
}

/** Takes money out of an allotment that was read, for those below. Fails when it holds less. */
export function drawFrom(view: View, id: string, from: Allotment, amount: bigint): void {
  view.require(
    amount <= from.balance,
    "charter caveat violated",
    `allotment holds only ${formatUsdGrouped(from.balance)} USD`,
  );
  view.put(allotmentKind, id, { ...from, balance: from.balance - amount });
}

/** Money for a charter, already taken from where it comes from. */
export interface Funding {
  readonly charter: string;
  /** The allotment it was taken from; null for the acting account's balance. */
  readonly source: string | null;
  /** Micro-USD. */
  readonly amount: bigint;
}

/** Makes an allotment with the money, and tells of it. */
export function makeAllotment(view: View, { charter, source, amount }: Funding): void {
  const allotment = view.create(
    allotmentKind,
    {
      charter,
      giver: view.actor,
      source,
      asset: USD,
      balance: amount,
      spent: 0n,
      made: view.pulse,
    } satisfies Allotment,
  );
  tellFunded(view, allotment, { charter, source, amount });
}

/** Tells that an allotment was funded. */
export function tellFunded(view: View, allotment: string, funding: Funding): void {
  const { charter, source, amount } = funding;
  view.emit("AllotmentFunded", { allotment, amount, charter, giver: view.actor, source });
}
