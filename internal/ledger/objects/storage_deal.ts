/**
 * A storage deal: money for a file to be kept, and a provider's collateral that it is. Only the root
 * of the file is known here. docs/protocol/storage.md.
 */
import type { Codec, JsonValue } from "#internal/core/mod.ts";
import { id, option, struct, text, u64, u8, union } from "#internal/core/mod.ts";
import type { Moment } from "../object_kind.ts";
import { defineObjectKind } from "../object_kind.ts";
import { leafCount } from "../storage/file_leaves.ts";
import type { RoundRecord } from "../storage/rounds.ts";
import { dealEnd, progressAt, roundStart } from "../storage/rounds.ts";
import { USD } from "./asset.ts";

/** Bytes of where a provider gets the file. */
const MAX_LOCATOR_BYTES = 1024;

/** What a closed deal came to; amounts are micro-USD. */
export interface DealEnd {
  /** The Pulse it was closed in. */
  readonly at: bigint;
  /** Rounds. */
  readonly proven: bigint;
  readonly missed: bigint;
  /** To the provider, for the rounds proven. */
  readonly paid: bigint;
  /** Of the escrow, to the client. */
  readonly refund: bigint;
  /** Of the collateral, to the provider. */
  readonly returned: bigint;
  /** Of the collateral, to the chain's treasury. */
  readonly forfeited: bigint;
}

/** Where a deal stands. */
export type DealPhase =
  | { readonly kind: "open"; readonly body: Readonly<Record<never, never>> }
  | { readonly kind: "active"; readonly body: RoundRecord }
  | { readonly kind: "closed"; readonly body: DealEnd };

/** What a deal is about, as its client posts it. */
export interface DealTerms {
  /** Whom it is meant for or, once it is accepted, who accepted it; null for whoever wants to. */
  readonly provider: string | null;
  /** Bytes of the file. */
  readonly size: bigint;
  /** Root of the tree over its leaves: 64 hex digits. */
  readonly root: string;
  /** Where providers get the file, `https://…` or `file:///…`; null if they have it otherwise. */
  readonly locator: string | null;
  /** Micro-USD of a proven round. */
  readonly price: bigint;
  readonly rounds: bigint;
  /** Pulses of a round: a multiple of 8. */
  readonly length: bigint;
  /** Leaves drawn a round. */
  readonly challenges: number;
  /** Micro-USD that the provider puts up. */
  readonly collateral: bigint;
  /** The last Pulse that it can be accepted in. */
  readonly acceptBy: bigint;
}

export interface StorageDeal extends DealTerms {
  readonly client: string;
  /** The Pulse it was posted in. */
  readonly posted: bigint;
  readonly phase: DealPhase;
}

/** The terms of a deal, in the order in which bodies and objects have them. */
export const dealTerms = {
  provider: option(id),
  size: u64,
  root: id,
  locator: option(text(MAX_LOCATOR_BYTES)),
  price: u64,
  rounds: u64,
  length: u64,
  challenges: u8,
  collateral: u64,
  acceptBy: u64,
} as const;

const phaseCodec = union({
  open: [0, struct({})],
  active: [1, struct({ start: u64, proven: u64, last: u64 })],
  closed: [
    2,
    struct({
      at: u64,
      proven: u64,
      missed: u64,
      paid: u64,
      refund: u64,
      returned: u64,
      forfeited: u64,
    }),
  ],
});

const codec: Codec<StorageDeal> = struct({
  client: id,
  ...dealTerms,
  posted: u64,
  phase: phaseCodec,
});

/** Micro-USD that the client has put in for all rounds, while the deal is not closed. */
export function escrowOf({ price, rounds, phase }: StorageDeal): bigint {
  return phase.kind === "closed" ? 0n : price * rounds;
}

export const storageDealKind = defineObjectKind({
  name: "storage_deal",
  tag: 72,
  codec,
  holds(value: StorageDeal, add) {
    add(USD, escrowOf(value) + (value.phase.kind === "active" ? value.collateral : 0n));
  },
  refs: ({ client, provider }: StorageDeal) => ({ client, provider }),
  view: (value: StorageDeal, at) => ({
    client: value.client,
    provider: value.provider,
    size: value.size,
    leaves: leafCount(value.size),
    root: value.root,
    locator: value.locator,
    price: value.price,
    rounds: value.rounds,
    round_length: value.length,
    challenges: value.challenges,
    collateral: value.collateral,
    escrow: escrowOf(value),
    accept_by: value.acceptBy,
    posted: value.posted,
    state: phaseView(value, at),
  }),
});

function phaseView(deal: StorageDeal, { pulse }: Moment): { readonly [key: string]: JsonValue } {
  const { kind, body } = deal.phase;
  if (kind !== "active") return { phase: kind, ...body };
  const { start, proven, last } = body;
  const { round, missed, abandoned } = progressAt(deal, body, pulse);
  return {
    phase: kind,
    start,
    end: dealEnd(deal, start),
    proven,
    missed,
    abandoned,
    last_proven: last,
    round,
    round_start: round && roundStart(deal, start, round),
  };
}
