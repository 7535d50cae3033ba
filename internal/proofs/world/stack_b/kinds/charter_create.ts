/** `charter_create`: what an agent may pay, given by who stands above it. */
import { id, option, struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { caveatsFault, fullLevel } from "../limits.ts";
import type { Caveats, Charter } from "../objects.ts";
import { caveatsCodec } from "../objects.ts";
import type { Value } from "../receipt.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, charter_create. */
export const charterCreate = defineKind({
  name: "charter_create",
  tag: 24,
  codec: struct({ agent: id, parent: option(id), caveats: caveatsCodec }),
  fixes: "execution",
  fault: ({ caveats }) => caveatsFault(caveats),
  apply(context, { agent, parent, caveats }) {
    const line = lineOf(context, agent);
    const giver = standAbove(context, line, "give it a charter");
    if (line.some(({ identity }) => identity.revoked !== null)) invalid("the agent is revoked");
    if (giver.agent === null && parent !== null) invalid("a person's charter is under no other");
    if (giver.agent !== null && parent === null) {
      invalid("an agent's charter must be under its own");
    }
    if (parent !== null) checkParent(context, parent, giver.agent);
    checkCaveats(context, caveats);
    return makeCharter(context, { agent, parent, caveats }).event;
  },
});

/** Makes the charter, given by the acting account, and tells of it. */
export function makeCharter(
  context: Context,
  { agent, parent, caveats }: Pick<Charter, "agent" | "parent" | "caveats">,
): { readonly charter: string; readonly event: Value } {
  const { account: giver } = context;
  const { bucket } = caveats;
  const charter = context.make("charter", () => ({
    agent,
    giver,
    parent,
    caveats,
    bucket: bucket === null ? null : fullLevel(bucket, context.timeMs),
    made: context.pulse,
    narrowed: null,
    revoked: null,
  }));
  return { charter, event: { CharterCreated: { agent, charter, giver, parent } } };
}

/** @throws {Failure} when a new charter's caveats would allow nothing from the start. */
export function checkCaveats(context: Context, caveats: Caveats): void {
  if (caveats.expires !== null && caveats.expires < context.pulse) {
    invalid("the charter would have expired already");
  }
}

/**
 * That a charter can have others under it: it is one of the acting agent, neither revoked nor expired.
 * @throws {Failure} when it is not.
 */
export function checkParent(context: Context, id: string, agent: string | null): void {
  const parent = context.get("charter", id);
  if (parent.agent !== agent) unauthorized("the charter above is not the giver's");
  if (parent.revoked !== null) invalid("the charter above is revoked");
  if (parent.caveats.expires !== null && parent.caveats.expires < context.pulse) {
    invalid("the charter above is expired");
  }
}
