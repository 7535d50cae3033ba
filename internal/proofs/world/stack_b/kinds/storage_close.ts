/** `storage_close`: ends a storage deal, and parts its money. */
import { id, struct } from "#internal/core/mod.ts";
import type { Context } from "../context.ts";
import { USD } from "../context.ts";
import { invalid, unauthorized } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { StorageDeal } from "../objects.ts";
import type { Active } from "../storage.ts";
import { beginOf, finishedOf, isAbandoned, readDeal } from "../storage.ts";

/** What a closed deal keeps, but for the Pulse of its end. */
type Parted = Omit<Extract<StorageDeal["phase"], { kind: "closed" }>["body"], "at">;

/** docs/protocol/storage.md, storage_close. */
export const storageClose = defineKind({
  name: "storage_close",
  tag: 75,
  codec: struct({ deal: id }),
  fixes: "execution",
  apply(context, { deal: id }) {
    const deal = readDeal(context, id);
    const parted = partOf(context, deal);
    const { forfeited, missed, paid, refund, returned } = parted;
    const earned = paid + returned;
    if (deal.provider !== null && earned > 0n) context.credit(deal.provider, USD, earned);
    if (refund > 0n) context.credit(deal.client, USD, refund);
    if (forfeited > 0n) {
      const asset = context.get("asset", USD);
      context.put("asset", USD, { ...asset, treasury: asset.treasury + forfeited });
    }
    const body = { at: context.pulse, ...parted };
    context.put("storage_deal", id, { ...deal, phase: { kind: "closed", body } });
    return { DealClosed: { deal: id, forfeited, missed, paid, refund, returned } };
  },
});

/** How the money of a deal is parted. @throws {Failure} unless the account may close it now. */
function partOf(context: Context, deal: StorageDeal): Parted {
  const { phase, price, rounds } = deal;
  switch (phase.kind) {
    case "closed":
      return invalid("the storage deal is closed already");
    case "open": {
      if (deal.client !== context.account) unauthorized("only the client closes an open deal");
      const refund = price * rounds;
      return { proven: 0n, missed: 0n, paid: 0n, refund, returned: 0n, forfeited: 0n };
    }
    case "active":
      checkCloses(context, deal, phase.body);
      return partOfActive(context.pulse, deal, phase.body);
  }
}

function checkCloses(context: Context, deal: StorageDeal, active: Active): void {
  const { account, pulse } = context;
  const isClient = account === deal.client;
  if (!isClient && account !== deal.provider) {
    unauthorized("only client and provider may close a storage deal");
  }
  const end = beginOf(deal, active, deal.rounds + 1n);
  if (pulse >= end) return;
  const runs = `the storage deal runs through Pulse ${end - 1n}`;
  if (!isClient) invalid(runs);
  if (!isAbandoned(deal, active, context.pulse)) {
    invalid(`${runs}, and its provider has not missed three rounds in a row`);
  }
}

/**
 * Who proved the round under way has neither abandoned the deal nor is it over, so here all that is
 * proven is of finished rounds.
 */
function partOfActive(pulse: bigint, deal: StorageDeal, active: Active): Parted {
  const { collateral, price, rounds } = deal;
  const { proven } = active;
  const missed = finishedOf(deal, active, pulse) - proven;
  const paid = price * proven;
  const refund = price * rounds - paid;
  const share = (collateral * missed + rounds - 1n) / rounds;
  const forfeited = isAbandoned(deal, active, pulse) ? collateral : share;
  return { proven, missed, paid, refund, returned: collateral - forfeited, forfeited };
}
