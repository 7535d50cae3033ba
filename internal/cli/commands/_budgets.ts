/** The budgets of model costs of this home, and how they are shown. */
import type { JsonValue } from "#internal/core/mod.ts";
import { closest, formatUsd, SionError } from "#internal/core/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { Budgets, BudgetStanding } from "#internal/store/mod.ts";
import type { Reader } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";

/** A budget's name: a profile's, one of its own, or `all`. */
export const budgetName: Reader<string> = {
  placeholder: "NAME",
  offers: "profiles",
  read(given, what) {
    if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(given)) return given;
    const shown = JSON.stringify(given.length > 40 ? `${given.slice(0, 40)}…` : given);
    throw usageError(`${what} ${shown} is no name: use up to 64 letters, digits, - and _`);
  },
};

/** What is printed of one with `--json`. */
export const BUDGET_JSON =
  "{left_usd, limit_usd, name, per, spent_usd, under_way_usd, unknown_usd, until, zone}";

/** Opens them; whoever does closes them. */
export async function withBudgets<T>(
  { home }: Pick<CommandContext, "home">,
  body: (budgets: Budgets) => T,
): Promise<T> {
  const { openBudgets } = await import("#internal/store/mod.ts");
  const budgets = openBudgets(home, { clock: systemClock, random: systemRandom });
  try {
    return body(budgets);
  } finally {
    budgets.close();
  }
}

/** A budget as `--json` prints it. */
export function budgetJson(budget: BudgetStanding): JsonValue {
  const { name, limitMicro, per, zone, spentMicro, openMicro, unknownMicro, untilMs } = budget;
  return {
    name,
    limit_usd: formatUsd(limitMicro),
    per,
    zone,
    spent_usd: formatUsd(spentMicro),
    left_usd: formatUsd(limitMicro > spentMicro ? limitMicro - spentMicro : 0n),
    under_way_usd: formatUsd(openMicro),
    unknown_usd: formatUsd(unknownMicro),
    until: untilMs === undefined ? null : new Date(untilMs).toISOString(),
  };
}

/** What is said of a name that no budget has. */
export function noBudget(name: string, names: readonly string[]): Error {
  const meant = closest(name, names);
  return new SionError(
    "budget",
    `there is no budget ${name} here` + (meant === undefined ? "" : `, did you mean ${meant}`) +
      ": `sion agent budget list` shows yours",
  );
}
