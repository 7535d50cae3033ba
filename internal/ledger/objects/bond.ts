/**
 * A bond: money that an account puts at stake under a label, for what it claims. Parts of it can be
 * reserved for who relies on a claim, and parts can be on their way out; until they are paid out,
 * all of it can be slashed. Its id is that of its atom.
 */
import type { Codec } from "#internal/core/mod.ts";
import { bool, id, list, option, struct, text, u64 } from "#internal/core/mod.ts";
import { atomId, bondId, MAX_LABEL_BYTES } from "../claims/atom.ts";
import { defineObjectKind } from "../object_kind.ts";
import { USD } from "./asset.ts";

/** Reservations that a bond can be under at a time. */
export const MAX_RESERVATIONS = 64;

/** A part of a bond that is held for one who relies on a claim. */
export interface Reservation {
  /** The claim; if it is found false, the part goes to `account`. */
  readonly claim: string;
  readonly account: string;
  /** Micro-USD. */
  readonly amount: bigint;
  /** The last Pulse it is held in. */
  readonly until: bigint;
  /** Whether who holds it disputed the claim. */
  readonly disputed: boolean;
}

export interface Bond {
  /** Who posted it. */
  readonly account: string;
  readonly label: string;
  /** Micro-USD at stake, all that follows included. */
  readonly amount: bigint;
  /** On its way back to the account, which can take it from Pulse `due` on. */
  readonly release: { readonly amount: bigint; readonly due: bigint } | null;
  /** In the order they were made; those that have lapsed may still be here. */
  readonly reservations: readonly Reservation[];
  /** Micro-USD slashed so far. */
  readonly slashed: bigint;
  /** The Pulse it was posted in. */
  readonly made: bigint;
}

const codec: Codec<Bond> = struct({
  account: id,
  label: text(MAX_LABEL_BYTES),
  amount: u64,
  release: option(struct({ amount: u64, due: u64 })),
  reservations: list(
    struct({ claim: id, account: id, amount: u64, until: u64, disputed: bool }),
    MAX_RESERVATIONS,
  ),
  slashed: u64,
  made: u64,
});

export const bondKind = defineObjectKind({
  name: "bond",
  tag: 40,
  codec,
  idOf: (value: Bond) => bondId(value),
  holds: ({ amount }: Bond, add) => add(USD, amount),
  refs: ({ account }: Bond) => ({ account }),
  view: (value: Bond, { pulse }) => ({
    account: value.account,
    label: value.label,
    adjudicator_atom: atomId({ kind: "adjudicator", body: value }),
    amount: value.amount,
    free: freeOf(value, pulse),
    release: value.release && { ...value.release },
    reservations: reservationsAt(value, pulse).map((reservation) => ({ ...reservation })),
    slashed: value.slashed,
    made: value.made,
  }),
});

/** The reservations that are still held at a Pulse. */
export function reservationsAt({ reservations }: Bond, pulse: bigint): readonly Reservation[] {
  return reservations.filter(({ until }) => until >= pulse);
}

/** Micro-USD that stay at stake: what is on its way out does not. */
export function stakeOf({ amount, release }: Bond): bigint {
  return amount - (release?.amount ?? 0n);
}

/** Micro-USD of the stake that are reserved for nobody at a Pulse. */
export function freeOf(bond: Bond, pulse: bigint): bigint {
  return reservationsAt(bond, pulse)
    .reduce((left, { amount }) => left - amount, stakeOf(bond));
}
