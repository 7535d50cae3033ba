import { parseUsd } from "#internal/core/mod.ts";
import {
  BUDGET_PERIODS,
  EVERYONES_BUDGET,
  isTimeZone,
  MOST_BUDGET_MICRO,
} from "#internal/store/mod.ts";
import type { Reader } from "../command.ts";
import { argument, defineCommand, value } from "../command.ts";
import { usageError } from "../errors.ts";
import { oneOf } from "../readers.ts";
import { BUDGET_JSON, budgetJson, budgetName, withBudgets } from "./_budgets.ts";

const limitOfBudget: Reader<bigint> = {
  placeholder: "USD",
  read: (given) => parseUsd(given, { allowZero: true, most: MOST_BUDGET_MICRO }),
};

const timeZone: Reader<string> = {
  placeholder: "ZONE",
  read(given, what) {
    if (isTimeZone(given)) return given;
    throw usageError(
      `${what} ${JSON.stringify(given)} is no time zone: give one like Europe/Berlin`,
    );
  },
};

export const command = defineCommand({
  path: "agent budget set",
  brief: "Bound what the models of a profile's runs cost together, or change the bound. What was " +
    "spent stays counted.",
  args: {
    name: argument(
      budgetName,
      "a profile, a name that runs are given as --budget, or all for every run here",
    ),
    limit: argument(limitOfBudget, "what may be spent in each period; 0 stops them"),
  },
  flags: {
    per: value(
      oneOf(...BUDGET_PERIODS),
      "how long it holds until it begins anew; total never does. A new budget needs it",
      { default: "as it is" },
    ),
    zone: value(timeZone, "whose midnight begins days, weeks (on Monday) and months", {
      default: "as it is, UTC for a new one",
    }),
  },
  examples: [
    ["sion agent budget set lead 5 --per day", "all runs of profile lead together"],
    ["sion agent budget set lead 8", "more of it, else as it is"],
    ["sion agent budget set all 50 --per month --zone Europe/Berlin", "all that run here"],
  ],
  json: BUDGET_JSON,
  node: false,
  async run(context, { args: { name, limit }, flags }) {
    const { output, json } = context;
    const { budgetText } = await import("#internal/agent/mod.ts");
    const budget = await withBudgets(context, (budgets) => {
      const find = () => budgets.list().find((one) => one.name === name);
      const before = find();
      const { per = before?.per, zone = before?.zone ?? "UTC" } = flags;
      if (per === undefined) {
        throw usageError(
          `budget ${name} is new: say for how long, --per ${BUDGET_PERIODS.join("|")}`,
        );
      }
      budgets.set({ name, limitMicro: limit, per, zone });
      return find();
    });
    if (budget === undefined) return;
    if (json) return output.json(budgetJson(budget));
    output.line(budgetText(budget));
    output.note(
      name === EVERYONES_BUDGET
        ? "every run on this machine draws on it"
        : `runs of profile ${name}, and those with --budget ${name}, draw on it together`,
    );
  },
});
