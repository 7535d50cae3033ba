/** Validators that leave out what they may say: no rule makes anybody say anything at once. */
import type { AnyStatementKind } from "#internal/consensus/mod.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";

/** The kinds, proposed only sometimes until everything is healed. */
export function lazyKinds(
  kinds: readonly AnyStatementKind[],
  lazy: Plan["lazy"],
  random: Random,
  isHealed: () => boolean,
): readonly AnyStatementKind[] {
  return kinds.map((kind) => {
    const skipped = (lazy as Readonly<Record<string, number>>)[kind.name] ?? 0;
    if (skipped === 0 || kind.propose === undefined) return kind;
    const { propose } = kind;
    return {
      ...kind,
      propose: (place, view) => !isHealed() && random.chance(skipped) ? [] : propose(place, view),
    };
  });
}
