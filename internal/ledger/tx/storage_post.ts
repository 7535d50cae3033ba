/** Escrows the price of all rounds for a file to be kept, by one provider or by whoever wants to. */
import {
  BEACON_PULSES,
  formatCount,
  MAX_AMOUNT,
  MAX_CHALLENGES,
  MAX_ROUND_PULSES,
  MAX_ROUNDS,
  struct,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import type { StorageDeal } from "../objects/storage_deal.ts";
import { dealTerms, storageDealKind } from "../objects/storage_deal.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { leafCount, MAX_KEPT_BYTES } from "../storage/file_leaves.ts";
import type { View } from "../view.ts";
import { requireAcceptable } from "./_deals.ts";

/** A locator: printable ASCII, so that what is shown is what is followed. */
const LOCATOR = /^(https:\/\/|file:\/\/\/)[\x21-\x7e]+$/;

const codec = struct(dealTerms);

/** Body of `storage_post`. */
export type StoragePostBody = ValueOf<typeof codec>;

function faultOf(body: StoragePostBody): string | undefined {
  const { provider, size, locator, price, rounds, length, challenges, collateral } = body;
  if (size < 1n || size > MAX_KEPT_BYTES) return "a file that is kept has 1 to 2^50 bytes";
  if (price === 0n) return "the price of a round must be above 0";
  if (rounds < 1n || rounds > MAX_ROUNDS) return `a deal has 1 to ${MAX_ROUNDS} rounds`;
  if (length < BEACON_PULSES || length > MAX_ROUND_PULSES || length % BEACON_PULSES !== 0n) {
    return `a round has a multiple of ${BEACON_PULSES} Pulses, at most ${MAX_ROUND_PULSES}`;
  }
  if (challenges < 1 || challenges > MAX_CHALLENGES) {
    return `a round asks for 1 to ${MAX_CHALLENGES} leaves`;
  }
  if (price * rounds > MAX_AMOUNT) return "the price of all rounds is more than can be paid";
  if (locator !== null && !LOCATOR.test(locator)) {
    return "a locator begins with https:// or file:/// and is of printable ASCII without spaces";
  }
  if (provider === null && locator === null) return "an open deal must say where its file is";
  if (provider === null && collateral === 0n) return "an open deal must ask for collateral";
  return undefined;
}

export const storagePost = defineTxKind({
  name: "storage_post",
  tag: 72,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: faultOf,
  spendBound: ({ price, rounds }) => ({ asset: USD, amount: price * rounds }),
  // The deal stays in the state for good.
  beyondFloor: () => 100n,
  intent(body, say) {
    const { provider, size, root, locator, price, rounds, length, challenges, collateral } = body;
    const who = provider === null
      ? "any provider that puts up"
      : `${say.account(provider)} if it puts up`;
    const where = locator === null ? "" : `, who gets it at ${say.quote(locator)}`;
    return `Have a file of ${leaves(leafCount(size))} ` +
      `(${formatCount(size, "byte")}, root ${say.short(root)}) kept for ` +
      `${formatCount(rounds, "round")} of ${length} Pulses, at ${say.amount(price)} a round ` +
      `with ${leaves(BigInt(challenges))} challenged, by ${who} ${say.amount(collateral)} of ` +
      `collateral and accepts by Pulse ${body.acceptBy}${where}`;
  },
  apply(view: View, body: StoragePostBody) {
    requireAcceptable(view, body.acceptBy);
    const { size, price, rounds, provider, collateral } = body;
    view.debit(USD, price * rounds);
    const value: StorageDeal = {
      client: view.actor,
      ...body,
      posted: view.pulse,
      phase: { kind: "open", body: {} },
    };
    const deal = view.create(storageDealKind, value);
    view.emit("DealPosted", {
      client: view.actor,
      collateral,
      deal,
      leaves: leafCount(size),
      price,
      provider,
      rounds,
    });
  },
  tells: {
    DealPosted: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "DealPosted"), say),
});

function told(fields: EventFields, say: Say): string {
  const provider = fields.idIfAny("provider");
  const who = provider === undefined
    ? "open to any provider"
    : `for ${say.account(provider)} to accept`;
  return `storage deal ${say.short(fields.id("deal"))} posted: ` +
    `${leaves(fields.amount("leaves"))}, ${formatCount(fields.amount("rounds"), "round")} at ` +
    `${say.amount(fields.amount("price"))} each, ${say.amount(fields.amount("collateral"))} of ` +
    `collateral, ${who}`;
}

function leaves(count: bigint): string {
  return formatCount(count, "leaf", "leaves");
}
