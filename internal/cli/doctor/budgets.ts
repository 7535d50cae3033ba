import { budgetText } from "#internal/agent/mod.ts";
import { openBudgets } from "#internal/store/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Budgets of model costs have something left: a run that draws on one that has not stops at once. */
export const budgets: Check = {
  name: "budgets",
  ofAgents: true,
  run({ home, clock, random }) {
    const opened = openBudgets(home, { clock, random });
    try {
      const all = opened.list();
      const used = all.filter(({ spentMicro, limitMicro }) => spentMicro >= limitMicro);
      const [first] = used;
      if (first !== undefined) {
        const fix = `\`sion agent budget set ${first.name} <usd>\`, or wait`;
        return look(used.map(budgetText).join("; "), fix);
      }
      return fine(all.length === 0 ? "there are none" : all.map(budgetText).join("; "));
    } finally {
      opened.close();
    }
  },
};
