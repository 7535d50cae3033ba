/**
 * The tail of a Pulse: everything that ordering goes on from after it. Its hash is in the header, so
 * a validator that takes over a state can check what it is told of the order.
 */
import type { Codec, ValueOf } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  decode,
  encode,
  id,
  list,
  MAX_SIGNED_UNIT_BYTES,
  option,
  struct,
  toHex,
  u16,
  u32,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import { blockRefCodec, MAX_COMMITTEE } from "#internal/proofs/mod.ts";
import type { LinkRecord } from "./beacon.ts";
import type { ForcedEntry } from "./forced.ts";
import type { Carrier, Decided, LaneEntry, Lock, StopTally } from "./lane_order.ts";
import type { Order, OrderFacts } from "./order.ts";
import type { UnitFacts } from "./unit_facts.ts";

const TAIL_TAG = "sion/tail/v1";
/** Bound of the lists: far above what the horizon and the block size allow. */
const MAX_LISTED = 1 << 24;

const shownCodec = struct({ window: u32, value: bytes32, next: bytes32 });
const byCodec = list(struct({ author: u8, round: u32 }), MAX_COMMITTEE);
const decidedCodec = struct({
  item: union({
    unit: [0, struct({ unit: byteString(MAX_SIGNED_UNIT_BYTES), forced: bool })],
    void: [1, struct({ account: id, sequence: u64 })],
  }),
  by: byCodec,
});
const tailCodec = struct({
  firstRound: u32,
  lastAnchor: u32,
  recent: list(blockRefCodec, MAX_LISTED),
  seed: bytes32,
  eligible: u16,
  seedAnchors: u8,
  activity: list(u64, MAX_COMMITTEE),
  links: list(
    option(struct({ shown: shownCodec, earlier: option(shownCodec), since: u32 })),
    MAX_COMMITTEE,
  ) as Codec<readonly (LinkRecord | null)[]>,
  leftOutUntil: list(u32, MAX_COMMITTEE),
  entries: list(
    struct({
      unit: id,
      carriers: list(struct({ round: u32, author: u8, block: id, position: u32 }), MAX_LISTED),
      votes: byCodec,
    }),
    MAX_LISTED,
  ),
  stops: list(struct({ account: id, sequence: u64, by: byCodec }), MAX_LISTED),
  forced: list(
    struct({ unit: byteString(MAX_SIGNED_UNIT_BYTES), admitted: u32, due: bool }),
    MAX_LISTED,
  ),
  left: list(decidedCodec, MAX_LISTED),
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
        votes: byAuthor(votes),
      })),
    stops: [...order.lanes.stops].sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { account, sequence, by }]) => ({ account, sequence, by: byAuthor(by) })),
    forced: order.lanes.forced.entries().map(({ facts, admitted, due }) => ({
      unit: ledger.encodeSigned(facts.signed),
      admitted,
      due,
    })),
    left: order.lanes.left.map(wireOfDecided),
  });
}

function byAuthor(rounds: ReadonlyMap<number, number>): Lock["by"] {
  return [...rounds].sort(([a], [b]) => a - b).map(([author, round]) => ({ author, round }));
}

function wireOfDecided({ item, bytes, lock: { by } }: Decided): ValueOf<typeof decidedCodec> {
  if (item.type === "unit" && bytes !== undefined) {
    return { item: { kind: "unit", body: { unit: bytes, forced: item.forced } }, by };
  }
  const { account, sequence } = item as Extract<Ordered, { type: "void" }>;
  return { item: { kind: "void", body: { account, sequence } }, by };
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
  /** Decided and left to a later Pulse. */
  readonly left: readonly Decided[];
}
type Votes = LaneEntry["votes"];

/** @throws {SionError} `codec` unless the bytes are one tail. */
export function decodeTail(
  bytes: Uint8Array,
  ledger: Pick<Ledger, "decodeSigned" | "slots">,
): Tail {
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
      votes: mapOf(votes),
    })),
    stops: wire.stops.map(({ by, ...slot }) => ({ ...slot, by: mapOf(by) })),
    forced: wire.forced.map(({ unit, admitted, due }) => ({
      signed: ledger.decodeSigned(unit),
      admitted,
      due,
    })),
    left: wire.left.map((decided) => decidedOfWire(decided, ledger)),
  };
}

function mapOf(by: Lock["by"]): Map<number, number> {
  return new Map(by.map(({ author, round }) => [author, round]));
}

function decidedOfWire(
  { item, by }: ValueOf<typeof decidedCodec>,
  ledger: Pick<Ledger, "decodeSigned" | "slots">,
): Decided {
  if (item.kind === "void") {
    const slots = [item.body];
    const lock: Lock = { type: "stops", by };
    return { item: { type: "void", ...item.body }, bytes: undefined, slots, lock };
  }
  const { unit: bytes, forced } = item.body;
  const signed = ledger.decodeSigned(bytes);
  return {
    item: { type: "unit", signed, forced },
    bytes,
    slots: ledger.slots(signed.unit),
    lock: { type: forced ? "stops" : "votes", by },
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
    left: tail.left,
  });
}
