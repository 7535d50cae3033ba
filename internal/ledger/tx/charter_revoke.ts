/** Ends a charter and, without touching them, all charters below it. Its allotments can be reclaimed. */
import { id, struct } from "#internal/core/mod.ts";
import { levelAbove, lineOf } from "../delegation.ts";
import { defineTxKind } from "../kind.ts";
import { charterKind } from "../objects/charter.ts";
import type { View } from "../view.ts";

export const charterRevoke = defineTxKind({
  name: "charter_revoke",
  tag: 26,
  since: "1.0",
  certificateFixes: "execution",
  body: struct({ charter: id }),
  touches: ({ charter }) => ({ shared: [charter] }),
  intent: ({ charter }, say) => `Revoke charter ${say.short(charter)} and every charter below it`,
  apply(view: View, { charter: id }) {
    const charter = view.need(charterKind, id);
    levelAbove(view, lineOf(view, charter.agent), "revoke its charter");
    view.require(charter.revoked === null, "invalid transaction", "the charter is revoked already");
    const revoked = { by: view.actor, since: view.pulse };
    view.put(charterKind, id, { ...charter, revoked });
    view.emit("CharterRevoked", { charter: id, by: view.actor });
  },
  tells: {
    CharterRevoked: (fields, say) =>
      `charter ${say.short(fields.id("charter"))} revoked by ${say.account(fields.id("by"))}`,
  },
  done: ({ account }, { charter }, say) =>
    `charter ${say.short(charter)} revoked by ${say.account(account)}, with everything below it`,
});
