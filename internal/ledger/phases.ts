/** Which part of a Pulse's order shards could execute side by side. */
import type { Ordered } from "./ledger.ts";
import type { AnyTxKind } from "./kind.ts";
import { fixedBy } from "./kind.ts";
import type { Registry } from "./registry.ts";
import { kindNamed } from "./registry.ts";

/**
 * Which of the ordered run in phase 1 and which in phase 2, by index, each in certified order. In
 * phase 1 are void slots and units whose certificate fixes the outcome of every member, in each lane
 * up to its first other.
 */
export function splitPhases(
  kinds: Registry<AnyTxKind>,
  ordered: readonly Ordered[],
): [number[], number[]] {
  const first: number[] = [];
  const rest: number[] = [];
  /** Accounts whose lane has something of phase 2 already. */
  const past = new Set<string>();
  for (const [at, item] of ordered.entries()) {
    const accounts = item.type === "void"
      ? [item.account]
      : item.signed.unit.members.map(({ account }) => account);
    const fixed = item.type === "void" ||
      item.signed.unit.members.every(({ kind, body }) =>
        fixedBy(kindNamed(kinds, kind), body) === "outcome"
      );
    if (fixed && !accounts.some((account) => past.has(account))) {
      first.push(at);
    } else {
      rest.push(at);
      for (const account of accounts) past.add(account);
    }
  }
  return [first, rest];
}
