import { defineCommand } from "../command.ts";
import { BUDGET_JSON, budgetJson, withBudgets } from "./_budgets.ts";

export const command = defineCommand({
  path: "agent budget list",
  brief: "List the budgets of model costs, with what is used of each.",
  args: {},
  flags: {},
  examples: [["sion agent budget list", "yours, one a line"]],
  json: `a list of ${BUDGET_JSON}`,
  node: false,
  async run(context) {
    const { output, json } = context;
    const budgets = await withBudgets(context, (all) => all.list());
    if (json) return output.json(budgets.map(budgetJson));
    const { budgetText } = await import("#internal/agent/mod.ts");
    for (const budget of budgets) output.line(budgetText(budget));
    if (budgets.length === 0) output.note("no budgets here: `sion agent budget set` makes one");
  },
});
