/** Money is neither made nor lost: per asset, what all objects hold is what was ever issued. */
import { LedgerError } from "./errors.ts";
import type { Ledger } from "./ledger.ts";
import type { AnyObjectKind, LedgerObject } from "./object_kind.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";
import type { LedgerState } from "./state.ts";

/** Micro-units by asset of what is held beyond what was issued. */
type Balance = Map<string, bigint>;

/** Adds an object to the balance, or takes it out again when `sign` is -1. */
function count(
  kinds: Registry<AnyObjectKind>,
  balance: Balance,
  object: LedgerObject | undefined,
  sign: 1n | -1n,
): void {
  if (object === undefined) return;
  const { holds, issued } = kindNamed(kinds, object.kind);
  holds?.(object.value, (asset, amount) => {
    balance.set(asset, (balance.get(asset) ?? 0n) + sign * amount);
  });
  issued?.(object.value, (asset, amount) => {
    balance.set(asset, (balance.get(asset) ?? 0n) - sign * amount);
  });
}

function requireEven(balance: Balance): void {
  for (const [asset, excess] of balance) {
    if (excess === 0n) continue;
    const what = excess > 0n ? `${excess} more` : `${-excess} less`;
    throw new LedgerError(
      "supply",
      `Cannot close Pulse: ${what} micro-units of asset ${asset} are held than were issued`,
      { data: { asset, excess } },
    );
  }
}

/** @throws {LedgerError} `supply` when some asset's holdings are not what was issued of it. */
export function checkConservation(ledger: Ledger, state: LedgerState): void {
  const balance: Balance = new Map();
  const kinds = new Map(ledger.objects.map((kind) => [kind.name, kind]));
  const registry = { all: ledger.objects, byName: kinds, byTag: new Map() };
  for (const [, object] of state.entries()) count(registry, balance, object, 1n);
  requireEven(balance);
}

/** The same for one step: what changed holds as much more as was issued. */
export function checkStep(
  kinds: Registry<AnyObjectKind>,
  before: LedgerState,
  changed: ReadonlyMap<string, LedgerObject>,
): void {
  const balance: Balance = new Map();
  for (const [key, object] of changed) {
    count(kinds, balance, before.at(key), -1n);
    count(kinds, balance, object, 1n);
  }
  requireEven(balance);
}
