/** `charter_create`: what an agent may pay, given by who stands above it. */
import { id, option, struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { invalid, violated } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { fullLevel } from "../limits.ts";
import { caveatsCodec } from "../objects.ts";
import { levelAbove, lineOf } from "../standing.ts";

/** docs/protocol/ledger.md, charter_create. */
export const charterCreate = defineKind({
  name: "charter_create",
  tag: 24,
  codec: struct({ agent: id, parent: option(id), caveats: caveatsCodec }),
  fixes: "execution",
  apply(context, { agent, parent, caveats }) {
    const line = lineOf(context, agent);
    const level = levelAbove(context, line);
    if (line.some((identity) => identity.revoked !== null)) invalid("the agent is revoked");
    if (level === 0 && parent !== null) invalid("a person's charter has no parent");
    if (level > 0 && parent === null) invalid("an agent's charter needs a parent");
    if (parent !== null) checkParent(context, parent);
    if (caveats.expires !== null && caveats.expires < context.pulse) {
      invalid("the charter would have expired");
    }
    const { bucket } = caveats;
    const charter = context.make("charter", () => ({
      agent,
      giver: context.account,
      parent,
      caveats,
      bucket: bucket === null ? null : fullLevel(bucket, context.timeMs),
      made: context.pulse,
      narrowed: null,
      revoked: null,
    }));
    return { CharterCreated: { agent, charter, giver: context.account, parent } };
  },
});

/** A charter of the acting agent, neither revoked nor expired. */
function checkParent(context: Context, id: string): void {
  const parent = context.get("charter", id);
  const holder = context.get("identity", parent.agent);
  if (holder.account !== context.account) invalid("the parent is no charter of the acting agent");
  if (parent.revoked !== null) violated("revoked");
  if (parent.caveats.expires !== null && parent.caveats.expires < context.pulse) {
    violated("expired");
  }
}
