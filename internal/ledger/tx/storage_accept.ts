/** Takes a storage deal on: puts up the collateral, and starts the rounds. */
import { formatUsdGrouped, id, struct, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { storageDealKind } from "../objects/storage_deal.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { firstRoundAt } from "../storage/rounds.ts";
import type { View } from "../view.ts";
import { needDeal, requireAcceptable } from "./_deals.ts";

const codec = struct({
  deal: id,
  /** Micro-USD: what the deal asks for. The provider states it, and so agrees to it. */
  collateral: u64,
});

/** Body of `storage_accept`. */
export type StorageAcceptBody = ValueOf<typeof codec>;

export const storageAccept = defineTxKind({
  name: "storage_accept",
  tag: 73,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  spendBound: ({ collateral }) =>
    collateral === 0n ? undefined : { asset: USD, amount: collateral },
  touches: ({ deal }) => ({ shared: [deal] }),
  intent: ({ deal, collateral }, say) =>
    `Accept storage deal ${say.short(deal)} with ${say.amount(collateral)} of collateral`,
  apply(view: View, { deal, collateral }: StorageAcceptBody) {
    const value = needDeal(view, deal);
    const { phase, provider } = value;
    const invalid = "invalid transaction";
    view.require(phase.kind !== "active", invalid, "the storage deal is accepted already");
    view.require(phase.kind !== "closed", invalid, "the storage deal is closed");
    view.require(
      provider === null || provider === view.actor,
      "unauthorized",
      "the storage deal is meant for another provider",
    );
    requireAcceptable(view, value.acceptBy);
    view.require(
      collateral === value.collateral,
      invalid,
      `the storage deal asks for ${formatUsdGrouped(value.collateral)} USD of collateral`,
    );
    view.debit(USD, collateral);
    const start = firstRoundAt(view.pulse);
    view.put(storageDealKind, deal, {
      ...value,
      provider: view.actor,
      phase: { kind: "active", body: { start, proven: 0n, last: 0n } },
    });
    view.emit("DealAccepted", { collateral, deal, provider: view.actor, start });
  },
  tells: {
    DealAccepted: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "DealAccepted"), say),
});

function told(fields: EventFields, say: Say): string {
  return `storage deal ${say.short(fields.id("deal"))} accepted with ` +
    `${say.amount(fields.amount("collateral"))} of collateral: ` +
    `round 1 begins at Pulse ${fields.pulse("start")}`;
}
