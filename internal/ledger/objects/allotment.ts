/**
 * An allotment: money in escrow under a charter, from which the charter's agent pays. What is left
 * goes back to where it came from.
 */
import type { Codec } from "#internal/core/mod.ts";
import { id, option, struct, u64 } from "#internal/core/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

export interface Allotment {
  readonly charter: string;
  /** The account that gave the money. */
  readonly giver: string;
  /** The allotment of the giver's that it came from; null when it came from the giver's balance. */
  readonly source: string | null;
  readonly asset: string;
  /** Micro-units left. */
  readonly balance: bigint;
  /** Micro-units paid out so far. */
  readonly spent: bigint;
  /** The Pulse it was made in. */
  readonly made: bigint;
}

const codec: Codec<Allotment> = struct({
  charter: id,
  giver: id,
  source: option(id),
  asset: id,
  balance: u64,
  spent: u64,
  made: u64,
});

export const allotmentKind = defineObjectKind({
  name: "allotment",
  tag: 32,
  codec,
  holds: ({ asset, balance }: Allotment, add) => add(asset, balance),
  refs: ({ charter, giver, source }: Allotment) => ({ charter, giver, source }),
  view: (value: Allotment) => ({
    charter: value.charter,
    giver: value.giver,
    source: value.source,
    asset: value.asset,
    balance: value.balance,
    spent: value.spent,
    made: value.made,
  }),
});
