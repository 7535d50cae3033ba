/** Shows the leaves that a round of a storage deal asks for, within that round. */
import {
  byteString,
  id,
  list,
  MAX_CHALLENGES,
  MAX_ROUNDS,
  struct,
  u64,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { storageDealKind } from "../objects/storage_deal.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { challengedLeaves, showsLeaves } from "../storage/challenge.ts";
import { LEAF_BYTES, MAX_LEAF_PATH } from "../storage/file_leaves.ts";
import { progressAt, roundStart } from "../storage/rounds.ts";
import type { View } from "../view.ts";
import { needActive, needDeal } from "./_deals.ts";

const codec = struct({
  deal: id,
  /** The round under way, from 1. */
  round: u64,
  /** What it asks for, by ascending place. */
  leaves: list(
    struct({ data: byteString(LEAF_BYTES), path: list(id, MAX_LEAF_PATH) }),
    MAX_CHALLENGES,
  ),
});

/** Body of `storage_prove`. */
export type StorageProveBody = ValueOf<typeof codec>;

function faultOf({ round, leaves }: StorageProveBody): string | undefined {
  if (round < 1n || round > MAX_ROUNDS) return `rounds are counted from 1 to ${MAX_ROUNDS}`;
  if (leaves.length === 0) return "a proof shows a leaf at least";
  return leaves.some(({ data }) => data.length === 0) ? "a leaf has a byte at least" : undefined;
}

export const storageProve = defineTxKind({
  name: "storage_prove",
  tag: 74,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: faultOf,
  touches: ({ deal }) => ({ shared: [deal] }),
  intent: ({ deal, round, leaves }, say) =>
    `Prove round ${round} of storage deal ${say.short(deal)} with ${leaves.length} of its ` +
    "leaves, for all to see",
  apply(view: View, { deal, round, leaves }: StorageProveBody) {
    const value = needDeal(view, deal);
    const record = needActive(view, value);
    view.require(
      value.provider === view.actor,
      "unauthorized",
      "only the provider of a storage deal may prove it",
    );
    const invalid = "invalid transaction";
    const named = `round ${round} of the storage deal is`;
    const { round: current } = progressAt(value, record, view.pulse);
    view.require(round === current, invalid, `${named} not under way`);
    view.require(round !== record.last, invalid, `${named} proven already`);
    const beacon = view.keptBeacon(roundStart(value, record.start, round));
    view.require(
      beacon !== undefined,
      invalid,
      `the challenge of round ${round} is not drawn yet`,
    );
    const places = challengedLeaves(beacon, { ...value, deal }, round);
    view.require(
      showsLeaves(value, places, leaves),
      invalid,
      "the proof does not show the challenged leaves",
    );
    const proven = record.proven + 1n;
    view.put(storageDealKind, deal, {
      ...value,
      phase: { kind: "active", body: { ...record, proven, last: round } },
    });
    view.emit("RoundProven", { deal, proven, provider: view.actor, round });
  },
  tells: {
    RoundProven: told,
  },
  done: (receipt, _body, say) => told(eventOf(receipt, "RoundProven"), say),
});

function told(fields: EventFields, say: Say): string {
  return `round ${fields.amount("round")} of storage deal ${say.short(fields.id("deal"))} proven ` +
    `(${fields.amount("proven")} so far)`;
}
