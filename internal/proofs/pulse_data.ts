/**
 * What a Pulse publishes: everything that its execution is a function of, besides the state before.
 * Whoever holds it can find the order, the time and the beacon again; the header's `dataRoot` is the
 * root of the square over its bytes.
 *
 * Source: docs/protocol/consensus.md, "Published data".
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import {
  bool,
  bytes32,
  byteString,
  encode,
  equalBytes,
  id,
  list,
  MAX_SIGNED_UNIT_BYTES,
  struct,
  u32,
  u64,
  u8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { BlockRef } from "#internal/ledger/mod.ts";
import { blockRefCodec } from "#internal/ledger/mod.ts";
import type { Equivocation } from "./equivocation.ts";
import { equivocationCodec } from "./equivocation.ts";
import type { Header } from "./header.ts";
import { PULSE_ROUNDS } from "./header.ts";
import type { Committee } from "./validator_set.ts";
import { MAX_COMMITTEE } from "./validator_set.ts";
import type { WorldOrdered } from "./world/world_input.ts";
import { MAX_ORDERED } from "./world/world_input.ts";

/**
 * Bytes that the units and settled slots of one Pulse take in its data; what the order has beyond
 * them executes in the next Pulse. Sixteen validators' full blocks of four rounds fit.
 */
export const MAX_PULSE_BYTES = 1 << 26;
/** Bytes that a settled slot counts for. */
export const SETTLED_BYTES = 64;
/** Bytes that a unit counts for besides its own. */
export const UNIT_EXTRA_BYTES = 4;
/**
 * Bound of the whole data: the rest is at most one evidence an author (two headers of 5 kB and two
 * signatures) and a few kilobytes.
 */
export const MAX_PULSE_DATA_BYTES: number = MAX_PULSE_BYTES + (1 << 20);

const BEACON_TAG = "sion/beacon/v1";

/** An author's time: that of its highest block ordered in the Pulse. */
export interface AuthorTime {
  readonly author: number;
  readonly round: number;
  readonly timeMs: bigint;
}

/** A link that the beacon was mixed with. */
export interface MixedLink {
  readonly author: number;
  readonly link: Uint8Array;
}

/** A slot that was settled without a transaction. */
export interface SettledSlot {
  /** Its place in the certified order. */
  readonly place: number;
  readonly account: AccountId;
  readonly sequence: bigint;
}

/** A unit as it was first ordered, with its clients' signatures. */
export interface PublishedUnit {
  /** The canonical signed unit. */
  readonly bytes: Uint8Array;
  /** Settled without votes. */
  readonly forced: boolean;
}

/** What a Pulse publishes. */
export interface PulseData {
  /** As in the header. */
  readonly anchors: readonly BlockRef[];
  /** By ascending author; none without an anchor. */
  readonly times: readonly AuthorTime[];
  /** By ascending author; none without an anchor. */
  readonly links: readonly MixedLink[];
  /** The first of each author that was ordered in the Pulse, by ascending author. */
  readonly evidence: readonly Equivocation[];
  /** By ascending place. */
  readonly settled: readonly SettledSlot[];
  /** In certified order, at the places that no settled slot has. */
  readonly units: readonly PublishedUnit[];
}

const linksCodec: Codec<readonly MixedLink[]> = list(
  struct({ author: u8, link: bytes32 }),
  MAX_COMMITTEE,
);

/** The encoding that is published. Bound the bytes before decoding. */
export const pulseDataCodec: Codec<PulseData> = struct({
  anchors: list(blockRefCodec, PULSE_ROUNDS),
  times: list(struct({ author: u8, round: u32, timeMs: u64 }), MAX_COMMITTEE),
  links: linksCodec,
  evidence: list(equivocationCodec, MAX_COMMITTEE),
  settled: list(struct({ place: u32, account: id, sequence: u64 }), MAX_ORDERED),
  units: list(struct({ bytes: byteString(MAX_SIGNED_UNIT_BYTES), forced: bool }), MAX_ORDERED),
});

/** The certified order; undefined when the places of the settled slots cannot be. */
export function orderedOf({ settled, units }: PulseData): WorldOrdered[] | undefined {
  const total = settled.length + units.length;
  const ordered: WorldOrdered[] = [];
  let nextSlot = 0;
  let nextUnit = 0;
  for (let place = 0; place < total; place++) {
    const slot = settled[nextSlot];
    const unit = units[nextUnit];
    if (slot?.place === place) {
      ordered.push({ type: "void", account: slot.account, sequence: slot.sequence });
      nextSlot++;
    } else if (unit !== undefined) {
      ordered.push({ type: "unit", ...unit });
      nextUnit++;
    } else return undefined;
  }
  return ordered;
}

/**
 * The beacon of a Pulse with an anchor: the one before, mixed with the links of the window before.
 * @param links by ascending author.
 */
export function mixBeacon(
  previous: Uint8Array,
  pulse: number,
  links: readonly MixedLink[],
): Uint8Array {
  return taggedHash(BEACON_TAG, previous, encode(u32, pulse), encode(linksCodec, links));
}

/** The least time that half of the weight of those given is not above; undefined of none. */
export function medianTime(
  committee: Committee,
  times: readonly Pick<AuthorTime, "author" | "timeMs">[],
): bigint | undefined {
  const sorted = [...times].sort((a, b) =>
    a.timeMs < b.timeMs ? -1 : a.timeMs > b.timeMs ? 1 : a.author - b.author
  );
  const half = committee.weightOf(sorted.reduce((mask, { author }) => mask | (1 << author), 0));
  let mask = 0;
  for (const { author, timeMs } of sorted) {
    mask |= 1 << author;
    if (2n * committee.weightOf(mask) >= half) return timeMs;
  }
  return undefined;
}

/**
 * What is wrong with data that a header is said to publish: its anchors, time and beacon have to
 * follow from it. Whether the bytes are under the data root is another question.
 * @param before the header of the Pulse before.
 */
export function pulseDataFault(
  data: PulseData,
  header: Header,
  before: Header,
  committee: Committee,
): string | undefined {
  const { anchors, times, links } = data;
  const sameAnchors = anchors.length === header.anchors.length &&
    anchors.every((anchor, i) => sameRef(anchor, header.anchors[i]));
  if (!sameAnchors) return "its anchors are not the header's";
  for (const list of [times, links]) {
    if (!isAscending(list.map(({ author }) => author), committee.members.length)) {
      return "its authors are not those of the committee, ascending";
    }
  }
  if (anchors.length === 0 && times.length + links.length > 0) {
    return "it has times or links without an anchor";
  }
  const median = medianTime(committee, times) ?? before.timeMs;
  if (header.timeMs !== (median > before.timeMs ? median : before.timeMs)) {
    return "its times do not give the header's";
  }
  const beacon = anchors.length === 0
    ? before.beacon
    : mixBeacon(before.beacon, Number(header.number), links);
  if (!equalBytes(beacon, header.beacon)) return "its links do not give the header's beacon";
  return undefined;
}

function sameRef(a: BlockRef, b: BlockRef | undefined): boolean {
  return b !== undefined && a.round === b.round && a.author === b.author && equalBytes(a.id, b.id);
}

function isAscending(authors: readonly number[], members: number): boolean {
  return authors.every((author, i) => author < members && author > (authors[i - 1] ?? -1));
}
