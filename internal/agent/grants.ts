/**
 * Payments that the person named. A message that names payee and amount stands for one payment: the
 * next one like it is named by another message, or by nobody.
 */
import type { Target } from "#internal/mcp/mod.ts";
import { ownWords, saidNames } from "./own_words.ts";
import type { CallState, SessionState } from "./state.ts";
import { latestEnd } from "./state.ts";

/**
 * What of the person's words a payment takes up, one key a target, or `undefined` when a target is
 * named by nothing that is left.
 */
export function grantsFor(
  state: SessionState,
  call: CallState,
  targets: readonly Target[],
): readonly string[] | undefined {
  const taken = new Set(takenGrants(state, call));
  const grants: string[] = [];
  for (const target of targets) {
    const { kind, to, amount = "" } = target;
    const grant = ownWords(state)
      .filter((said) => saidNames(said, target))
      .map(({ seq }) => `${seq} ${kind} ${to} ${amount}`.toLowerCase())
      .find((key) => !taken.has(key));
    if (grant === undefined) return undefined;
    taken.add(grant);
    grants.push(grant);
  }
  return grants;
}

/** What other calls took up that did something, may have, or are under way. */
function* takenGrants(state: SessionState, call: CallState): Generator<string> {
  for (const other of state.calls.values()) {
    if (other.id === call.id || other.judged?.grants === undefined) continue;
    if (latestEnd(other)?.effect !== "none") yield* other.judged.grants;
  }
}
