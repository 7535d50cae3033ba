/** Validators that say late or leave out what they may say: no rule makes anybody say anything at once. */
import type { AnyStatementKind } from "#internal/consensus/mod.ts";
import type { StatementPlace } from "../../internal/consensus/history.ts";
import type { LocalView } from "../../internal/consensus/local_view.ts";
import type { Plan } from "./plan.ts";
import { Random } from "./random.ts";

/** Kinds of statements that can be late for a unit. */
const LATE_KINDS: readonly string[] = ["vote", "confirm"];

/** What laziness depends on. */
export interface Laziness {
  readonly lazy: Plan["lazy"];
  readonly seed: number;
  readonly validator: number;
  readonly isHealed: () => boolean;
}

/** The kinds, proposed only sometimes, and for some units at the last moment, until all is healed. */
export function lazyKinds(
  kinds: readonly AnyStatementKind[],
  { lazy, seed, validator, isHealed }: Laziness,
): readonly AnyStatementKind[] {
  const random = new Random(seed, "lazy", validator);
  const skips = lazy as Readonly<Record<string, number>>;
  return kinds.map((kind) => {
    const { name, propose } = kind;
    const skipped = skips[name] ?? 0;
    const isLate = lazy.late > 0 && LATE_KINDS.includes(name);
    if (propose === undefined || (skipped === 0 && !isLate)) return kind;
    return {
      ...kind,
      propose(place, view) {
        if (isHealed()) return propose(place, view);
        if (random.chance(skipped)) return [];
        return propose(place, isLate ? lateView(view, place, { name, lazy, seed }) : view);
      },
    };
  });
}

/** The view without units of which it is too early to say anything. */
function lateView(
  view: LocalView,
  { round }: StatementPlace,
  { name, lazy, seed }: {
    readonly name: string;
    readonly lazy: Plan["lazy"];
    readonly seed: number;
  },
): LocalView {
  const isTime = (digest: string, bound: number): boolean => {
    const random = new Random(seed, "late", name, digest);
    return !random.chance(lazy.late) || round >= bound - random.int(1, 3);
  };
  return new Proxy(view, {
    get(target, key) {
      if (key === "open") {
        return () => [...target.open()].filter(({ facts }) => isTime(facts.digest, facts.bound));
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
