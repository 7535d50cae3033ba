/**
 * Ends a storage deal: pays its provider for the rounds proven, gives the client what is left of the
 * escrow, and takes of the collateral what missed rounds cost.
 */
import { id, struct } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import type { DealEnd, StorageDeal } from "../objects/storage_deal.ts";
import { escrowOf, storageDealKind } from "../objects/storage_deal.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import type { RoundRecord } from "../storage/rounds.ts";
import { dealEnd, progressAt } from "../storage/rounds.ts";
import type { View } from "../view.ts";
import { needDeal } from "./_deals.ts";

const codec = struct({ deal: id });

/** Body of `storage_close`. */
export type StorageCloseBody = ValueOf<typeof codec>;

/** Fails unless the acting account may close an accepted deal now. */
function requireEnded(view: View, deal: StorageDeal, record: RoundRecord): void {
  const isClient = deal.client === view.actor;
  view.require(
    isClient || deal.provider === view.actor,
    "unauthorized",
    "only client and provider may close a storage deal",
  );
  const { over, abandoned } = progressAt(deal, record, view.pulse);
  if (over) return;
  const runs = `the storage deal runs through Pulse ${dealEnd(deal, record.start) - 1n}`;
  view.require(isClient, "invalid transaction", runs);
  view.require(
    abandoned,
    "invalid transaction",
    `${runs}, and its provider has not missed three rounds in a row`,
  );
}

/** What an accepted deal comes to that is closed at a Pulse. */
function endOf(deal: StorageDeal, record: RoundRecord, at: bigint): DealEnd {
  const { price, rounds, collateral } = deal;
  const { missed, abandoned } = progressAt(deal, record, at);
  const paid = price * record.proven;
  // Rounded up: a part of a micro-USD is not the provider's to keep.
  const share = (collateral * missed + rounds - 1n) / rounds;
  const forfeited = abandoned ? collateral : share;
  return {
    at,
    proven: record.proven,
    missed,
    paid,
    refund: escrowOf(deal) - paid,
    returned: collateral - forfeited,
    forfeited,
  };
}

/** What a deal comes to that nobody accepted. */
function unacceptedEnd(deal: StorageDeal, at: bigint): DealEnd {
  const refund = escrowOf(deal);
  return { at, proven: 0n, missed: 0n, paid: 0n, refund, returned: 0n, forfeited: 0n };
}

export const storageClose = defineTxKind({
  name: "storage_close",
  tag: 75,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ deal }) => ({ shared: [deal, USD] }),
  intent: ({ deal }, say) => `Close storage deal ${say.short(deal)}`,
  apply(view: View, { deal }: StorageCloseBody) {
    const value = needDeal(view, deal);
    const { client, provider, phase } = value;
    view.require(
      phase.kind !== "closed",
      "invalid transaction",
      "the storage deal is closed already",
    );
    if (phase.kind === "open") {
      view.require(view.actor === client, "unauthorized", "only the client closes an open deal");
    } else {
      requireEnded(view, value, phase.body);
    }
    const end = phase.kind === "open"
      ? unacceptedEnd(value, view.pulse)
      : endOf(value, phase.body, view.pulse);
    if (provider !== null) view.credit(provider, USD, end.paid + end.returned);
    view.credit(client, USD, end.refund);
    if (end.forfeited > 0n) view.forfeit(USD, end.forfeited);
    view.put(storageDealKind, deal, { ...value, phase: { kind: "closed", body: end } });
    const { forfeited, missed, paid, refund, returned } = end;
    view.emit("DealClosed", { deal, forfeited, missed, paid, refund, returned });
  },
  tells: {
    DealClosed: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "DealClosed"), say),
});

function told(fields: EventFields, say: Say): string {
  const [refunded, paid, returned, forfeited] = ["refund", "paid", "returned", "forfeited"]
    .map((name) => say.amount(fields.amount(name)));
  return `storage deal ${say.short(fields.id("deal"))} closed: ${refunded} refunded, ` +
    `${paid} paid, ${returned} of collateral returned, ${forfeited} forfeited, ` +
    `${fields.amount("missed")} round(s) missed`;
}
