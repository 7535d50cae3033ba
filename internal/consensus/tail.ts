/**
 * The tail of a Pulse: everything that ordering goes on from after it. Its hash is in the header, so
 * a validator that takes over a state can check what it is told of the order.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  decode,
  encode,
  id,
  list,
  option,
  struct,
  toHex,
  u16,
  u32,
  u64,
  u8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import { MAX_SIGNED_UNIT_BYTES } from "#internal/ledger/mod.ts";
import { blockRefCodec, MAX_VALIDATORS } from "#internal/proofs/mod.ts";
import type { LinkRecord } from "./beacon.ts";
import type { ForcedEntry } from "./forced.ts";
import type { Carrier, LaneEntry, StopTally } from "./lane_order.ts";
import type { Order, OrderFacts } from "./order.ts";
import type { UnitFacts } from "./unit_facts.ts";

const TAIL_TAG = "sion/tail/v1";
/** Bound of the lists: far above what the horizon and the block size allow. */
const MAX_LISTED = 1 << 24;

const shownCodec = struct({ window: u32, value: bytes32, next: bytes32 });
const tailCodec = struct({
  firstRound: u32,
  lastAnchor: u32,
  recent: list(blockRefCodec, MAX_LISTED),
  seed: bytes32,
  eligible: u16,
  seedAnchors: u8,
  activity: list(u64, MAX_VALIDATORS),
  links: list(
    option(struct({ shown: shownCodec, earlier: option(shownCodec), since: u32 })),
    MAX_VALIDATORS,
  ) as Codec<readonly (LinkRecord | null)[]>,
  leftOutUntil: list(u32, MAX_VALIDATORS),
  entries: list(
    struct({
      unit: id,
      carriers: list(struct({ round: u32, author: u8, block: id, position: u32 }), MAX_LISTED),
      votes: list(struct({ author: u8, round: u32 }), MAX_VALIDATORS),
    }),
    MAX_LISTED,
  ),
  stops: list(struct({ account: id, sequence: u64, mask: u16 }), MAX_LISTED) as Codec<
    readonly StopTally[]
  >,
  forced: list(
    struct({ unit: byteString(MAX_SIGNED_UNIT_BYTES), admitted: u32, due: bool }),
    MAX_LISTED,
  ),
});

/**
 * A tail's canonical bytes.
 * @param firstRound the first round of the session that the Pulse is of.
 */
export function encodeTail(
  order: Order,
  firstRound: number,
  ledger: Pick<Ledger, "encodeSigned">,
): Uint8Array {
  const facts = order.facts();
  return encode(tailCodec, {
    firstRound,
    lastAnchor: facts.lastAnchor,
    recent: facts.recent,
    seed: facts.seed.seed,
    eligible: facts.seed.eligible,
    seedAnchors: facts.seedAnchors,
    activity: facts.activity.map(BigInt),
    links: order.links.records.map((record) => record ?? null),
    leftOutUntil: order.links.leftOutUntil,
    entries: [...order.lanes.entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([unit, { carriers, votes }]) => ({
        unit,
        carriers: carriers.map(({ at }) => at),
        votes: [...votes].sort(([a], [b]) => a - b).map(([author, round]) => ({ author, round })),
      })),
    stops: [...order.lanes.stops].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stop]) => stop),
    forced: order.lanes.forced.entries().map(({ facts, admitted, due }) => ({
      unit: ledger.encodeSigned(facts.signed),
      admitted,
      due,
    })),
  });
}

/** What a header's `tail` is. */
export function tailHash(bytes: Uint8Array): Uint8Array {
  return taggedHash(TAIL_TAG, bytes);
}

/** A decoded tail. */
export interface Tail {
  /** The first round of the session that the Pulse is of. */
  readonly firstRound: number;
  readonly facts: OrderFacts;
  readonly links: readonly (LinkRecord | null)[];
  readonly leftOutUntil: readonly number[];
  readonly entries: readonly { readonly carriers: readonly Carrier[]; readonly votes: Votes }[];
  readonly stops: readonly StopTally[];
  readonly forced: readonly (Omit<ForcedEntry, "facts"> & { readonly signed: SignedUnit })[];
}
type Votes = LaneEntry["votes"];

/** @throws {SionError} `codec` unless the bytes are one tail. */
export function decodeTail(bytes: Uint8Array, ledger: Pick<Ledger, "decodeSigned">): Tail {
  const wire = decode(tailCodec, bytes);
  return {
    firstRound: wire.firstRound,
    facts: {
      lastAnchor: wire.lastAnchor,
      recent: wire.recent,
      seed: { seed: wire.seed, eligible: wire.eligible },
      seedAnchors: wire.seedAnchors,
      activity: wire.activity.map(Number),
    },
    links: wire.links,
    leftOutUntil: wire.leftOutUntil,
    entries: wire.entries.map(({ carriers, votes }) => ({
      carriers,
      votes: new Map(votes.map(({ author, round }) => [author, round])),
    })),
    stops: wire.stops,
    forced: wire.forced.map(({ unit, admitted, due }) => ({
      signed: ledger.decodeSigned(unit),
      admitted,
      due,
    })),
  };
}

/** Ids of the blocks that were ordered already, 64 hex digits. */
export function orderedIds(tail: Tail): ReadonlySet<string> {
  return new Set(tail.facts.recent.map((ref) => toHex(ref.id)));
}

/**
 * Puts an order back to where a tail was made.
 * @param factsAt facts of the unit that a block carries at a place.
 */
export function restoreOrder(
  order: Order,
  tail: Tail,
  factsAt: (carrier: Carrier) => UnitFacts,
  factsOf: (signed: SignedUnit) => UnitFacts,
): void {
  order.restoreFacts(tail.facts);
  order.links.restore(tail.links, tail.leftOutUntil);
  order.lanes.restore({
    lastAnchor: tail.facts.lastAnchor,
    entries: tail.entries.map(({ carriers, votes }) => ({
      carriers: carriers.map((at) => ({ at, facts: factsAt(at) })),
      votes,
    })),
    stops: tail.stops,
    forced: tail.forced.map(({ signed, admitted, due }) => ({
      facts: factsOf(signed),
      admitted,
      due,
    })),
  });
}
