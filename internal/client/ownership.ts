/** Whether anybody takes care of a unit that has no receipt yet. */
import { isProcessAlive } from "#internal/runtime/mod.ts";
import type { PendingUnit } from "#internal/store/mod.ts";
import type { Context } from "./context.ts";

/** A unit that nobody touched for so long is left behind, whatever its process does, ms. */
const LEFT_AFTER_MS = 30_000;

/** True when no running process takes care of the unit. */
export function isLeftBehind(context: Context, unit: PendingUnit): boolean {
  if (context.work.units.has(unit.unit)) return false;
  return unit.owner === context.processId ||
    context.clock.nowMs() - unit.touchedMs > LEFT_AFTER_MS ||
    !isProcessAlive(unit.owner);
}
