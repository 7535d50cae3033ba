/** `charter_revoke`: ends a charter and every charter below it. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { lineOf, standAbove } from "../standing.ts";

/** docs/protocol/ledger.md, charter_revoke. */
export const charterRevoke = defineKind({
  name: "charter_revoke",
  tag: 26,
  codec: struct({ charter: id }),
  fixes: "execution",
  apply(context, body) {
    const charter = context.get("charter", body.charter);
    standAbove(context, lineOf(context, charter.agent), "revoke its charter");
    if (charter.revoked !== null) invalid("the charter is revoked already");
    const revoked = { by: context.account, since: context.pulse };
    context.put("charter", body.charter, { ...charter, revoked });
    return { CharterRevoked: { by: context.account, charter: body.charter } };
  },
});
