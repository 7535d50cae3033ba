/** Whether anybody takes care of a unit that has no receipt yet, or of a purchase that is not over. */
import { isProcessAlive } from "#internal/runtime/mod.ts";
import type { KeptPurchase, PendingUnit } from "#internal/store/mod.ts";
import type { Context } from "./context.ts";

/** A unit that nobody touched for so long is left behind, whatever its process does, ms. */
const LEFT_AFTER_MS = 30_000;

/** True when no running process takes care of the unit. */
export function isLeftBehind(context: Context, unit: PendingUnit): boolean {
  return !context.work.units.has(unit.unit) && isUnowned(context, unit);
}

/** True when no running process takes care of the purchase. */
export function isPurchaseLeftBehind(context: Context, kept: KeptPurchase): boolean {
  return !context.work.purchases.has(kept.purchase) && isUnowned(context, kept);
}

/** Of what no call of this process takes care of. */
function isUnowned(
  context: Context,
  { owner, touchedMs }: { readonly owner: number; readonly touchedMs: number },
): boolean {
  return owner === context.processId ||
    context.clock.nowMs() - touchedMs > LEFT_AFTER_MS ||
    !isProcessAlive(owner);
}
