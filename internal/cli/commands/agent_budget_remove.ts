import { argument, defineCommand } from "../command.ts";
import { budgetName, noBudget, withBudgets } from "./_budgets.ts";

export const command = defineCommand({
  path: "agent budget remove",
  brief: "Remove a budget of model costs, with what was counted of it.",
  args: { name: argument(budgetName, "its name") },
  flags: {},
  examples: [["sion agent budget remove lead", "nothing bounds its runs together any more"]],
  json: "{name}",
  node: false,
  async run(context, { args: { name } }) {
    const { output, json } = context;
    await withBudgets(context, (budgets) => {
      const names = budgets.list().map((one) => one.name);
      if (!budgets.remove(name)) throw noBudget(name, names);
    });
    if (json) return output.json({ name });
    output.line(`removed budget ${name}`);
  },
});
