/** `storage_accept`: takes on a storage deal, with what its provider puts up. */
import { id, struct, u64 } from "#internal/core/mod.ts";
import { USD } from "../context.ts";
import { invalid, unauthorized, usd } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { readDeal, startAfter } from "../storage.ts";

/** docs/protocol/storage.md, storage_accept. */
export const storageAccept = defineKind({
  name: "storage_accept",
  tag: 73,
  codec: struct({ deal: id, collateral: u64 }),
  fixes: "execution",
  apply(context, { deal: id, collateral }) {
    const { account: provider, pulse } = context;
    const deal = readDeal(context, id);
    if (deal.phase.kind === "active") invalid("the storage deal is accepted already");
    if (deal.phase.kind === "closed") invalid("the storage deal is closed");
    if (deal.provider !== null && deal.provider !== provider) {
      unauthorized("the storage deal is meant for another provider");
    }
    if (deal.acceptBy < pulse) {
      invalid(`the storage deal could be accepted through Pulse ${deal.acceptBy} only`);
    }
    if (collateral !== deal.collateral) {
      invalid(`the storage deal asks for ${usd(deal.collateral)} USD of collateral`);
    }
    context.take(USD, collateral);
    const start = startAfter(pulse);
    const phase = { kind: "active" as const, body: { start, proven: 0n, last: 0n } };
    context.put("storage_deal", id, { ...deal, provider, phase });
    return { DealAccepted: { collateral, deal: id, provider, start } };
  },
});
