/** What kinds of storage deals share. */
import { shortId } from "#internal/core/mod.ts";
import type { StorageDeal } from "../objects/storage_deal.ts";
import { storageDealKind } from "../objects/storage_deal.ts";
import type { RoundRecord } from "../storage/rounds.ts";
import type { View } from "../view.ts";

/** A deal. The transaction fails when there is none. */
export function needDeal(view: View, id: string): StorageDeal {
  const deal = view.get(storageDealKind, id);
  view.require(
    deal !== undefined,
    "invalid transaction",
    `there is no storage deal ${shortId(id)}`,
  );
  return deal;
}

/** How far a deal is, which must have been accepted and not closed. */
export function needActive(view: View, { phase }: StorageDeal): RoundRecord {
  view.require(phase.kind !== "open", "invalid transaction", "the storage deal is not accepted");
  view.require(phase.kind !== "closed", "invalid transaction", "the storage deal is closed");
  return phase.body;
}

/** Fails when a deal can be accepted no more. */
export function requireAcceptable(view: View, acceptBy: bigint): void {
  view.require(
    acceptBy >= view.pulse,
    "invalid transaction",
    `the storage deal could be accepted through Pulse ${acceptBy} only`,
  );
}
