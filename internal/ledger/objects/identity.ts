/**
 * An agent's identity: who answers for it, which account it acts with, and how it stands. An agent
 * is under a person (depth 1) or under another agent (one deeper); whoever stands above it can
 * suspend it, resume it or revoke it, and everything below it with it.
 */
import type { Codec } from "#internal/core/mod.ts";
import { bool, id, list, option, struct, text, u64, u8 } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

/** The deepest agent: each is reached from the person at the top in so many steps. */
export const MAX_AGENT_DEPTH = 8;
const MAX_NAME_BYTES = 64;

/** A suspension in force. An agent may be under one of each level above it. */
export interface Suspension {
  /** Where who set it stands: 0 is the person at the top, n the ancestor at depth n. */
  readonly level: number;
  /** The account that set it. */
  readonly by: string;
  /** The Pulse it was set in. */
  readonly since: bigint;
}

export interface Identity {
  readonly name: string;
  /** Account of the person at the top. */
  readonly principal: string;
  /** Identity of the agent right above; null directly under the person. */
  readonly parent: string | null;
  /** The account it acts with. */
  readonly account: string;
  /** Whether its account is under its nearest keyed ancestor's policy. */
  readonly keyless: boolean;
  /** Steps below the person at the top: 1 to 8. */
  readonly depth: number;
  /** The Pulse it was registered in. */
  readonly registered: bigint;
  /** In ascending order of level. */
  readonly suspensions: readonly Suspension[];
  /** For good, if at all. */
  readonly revoked: { readonly by: string; readonly since: bigint } | null;
}

const codec: Codec<Identity> = struct({
  name: text(MAX_NAME_BYTES),
  principal: id,
  parent: option(id),
  account: id,
  keyless: bool,
  depth: u8,
  registered: u64,
  suspensions: list(struct({ level: u8, by: id, since: u64 }), MAX_AGENT_DEPTH),
  revoked: option(struct({ by: id, since: u64 })),
});

export const identityKind = defineObjectKind({
  name: "identity",
  tag: 16,
  codec,
  refs: ({ principal, parent, account }: Identity) => ({ principal, parent, account }),
  view: (value: Identity) => ({
    name: value.name,
    principal: value.principal,
    parent: value.parent,
    account: value.account,
    keyless: value.keyless,
    depth: value.depth,
    registered: value.registered,
    own_standing: ownStanding(value),
    suspensions: value.suspensions.map((suspension) => ({ ...suspension })),
    revoked: value.revoked && { ...value.revoked },
  }),
});

/** What an agent may do: act, nothing for now, or nothing ever. */
export type Standing = "good" | "suspended" | "revoked";

/** How an agent stands by itself; it is in good standing only when all above it are too. */
export function ownStanding(identity: Identity): Standing {
  if (identity.revoked) return "revoked";
  return identity.suspensions.length > 0 ? "suspended" : "good";
}
