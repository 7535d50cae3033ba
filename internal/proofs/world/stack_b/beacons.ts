/** Beacons that the state keeps. docs/protocol/storage.md, Beacons that are kept. */
import { encode, toHex, u16 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { WorldInput } from "../world_input.ts";
import type { Context } from "./context.ts";
import type { Objects } from "./state.ts";

/** Pulses from one kept beacon to the next. */
export const STEP = 8n;
/** Kept beacons that there are at a time. */
const SLOTS = 12_500n;

/** Where the beacon of a Pulse that is a multiple of 8 is kept. */
function slotOf(pulse: bigint): string {
  const slot = Number(pulse / STEP % SLOTS);
  return toHex(taggedHash("sion/beacon-slot/v1", encode(u16, slot)));
}

/** Keeps a Pulse's beacon, if it is one whose beacon is kept. */
export function keepBeacon(
  state: Objects,
  { pulse, beacon }: Pick<WorldInput, "pulse" | "beacon">,
): void {
  if (pulse % STEP !== 0n) return;
  state.write(slotOf(pulse), { kind: "beacon", body: { pulse, beacon } });
}

/** The beacon of a Pulse that is a multiple of 8, or null if it is not kept, or not yet. */
export function keptBeacon(context: Context, pulse: bigint): string | null {
  const kept = context.find("beacon", slotOf(pulse));
  return kept?.pulse === pulse ? kept.beacon : null;
}
