/** How stories are told: Pulses that are executed in a world, and compared. */
import type { Action, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import type { World } from "../ledger/_world.ts";

/** Executes a Pulse in a world, and compares. */
export type Execute = (
  world: World,
  ordered: readonly (SignedUnit | Ordered)[],
  advanceMs: bigint,
  closesSession?: boolean,
) => void;

/** Executes one transaction in a Pulse of its own, and compares. */
export type Does = (world: World, name: string, action: Action, advanceMs?: bigint) => void;
