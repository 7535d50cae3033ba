/**
 * The beacon of a Pulse, kept so that what happens later can hang on it: every eighth Pulse's, in a
 * ring as long as the longest round of a storage deal. The executor alone writes it.
 */
import {
  BEACON_PULSES,
  encode,
  id,
  MAX_ROUND_PULSES,
  struct,
  toHex,
  u16,
  u64,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

/** Places of the ring. */
const SLOTS = MAX_ROUND_PULSES / BEACON_PULSES;

const codec = struct({
  pulse: u64,
  /** 64 hex digits. */
  beacon: id,
});

/** A beacon that is kept. */
export type KeptBeacon = ValueOf<typeof codec>;

/** Whether a Pulse's beacon is kept. */
export function keepsBeacon(pulse: bigint): boolean {
  return pulse % BEACON_PULSES === 0n;
}

/** Where the beacon of a Pulse is kept, until that of 100,000 Pulses later takes its place. */
export function beaconSlot(pulse: bigint): string {
  const slot = Number((pulse / BEACON_PULSES) % SLOTS);
  return toHex(taggedHash("sion/beacon-slot/v1", encode(u16, slot)));
}

export const beaconKind = defineObjectKind({
  name: "beacon",
  tag: 73,
  codec,
  view: ({ pulse, beacon }: KeptBeacon) => ({ pulse, beacon }),
});
