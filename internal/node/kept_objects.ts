/** Objects of a state in the form in which a store keeps them. */
import type { Ledger, LedgerState } from "#internal/ledger/mod.ts";
import type { KeptObject } from "#internal/store/mod.ts";

/**
 * Objects by key as a store keeps them.
 * @throws {TypeError} when the state has none of a key
 */
export function* keptObjects(
  changed: Iterable<readonly [key: string, bytes: Uint8Array]>,
  state: LedgerState,
  ledger: Ledger,
): Iterable<KeptObject> {
  for (const [id, bytes] of changed) {
    const object = state.get(id);
    if (object === undefined) throw new TypeError(`Cannot keep object ${id}: it is not there`);
    yield { id, kind: object.kind, bytes, refs: ledger.refsOf(object) };
  }
}

/** All objects of a state as a store keeps them. */
export function allKeptObjects(state: LedgerState, ledger: Ledger): Iterable<KeptObject> {
  return keptObjects(encodedObjects(state), state, ledger);
}

function* encodedObjects(state: LedgerState): Iterable<readonly [key: string, bytes: Uint8Array]> {
  for (const [id] of state.entries()) yield [id, state.bytes(id) as Uint8Array];
}
