/** `/usage`: what the session used, and what is left of its run's budget. */
import { formatUsd } from "#internal/core/mod.ts";
import { budgetText } from "../costs.ts";
import { AgentError } from "../errors.ts";
import type { SessionState, UsageState } from "../state.ts";
import { defineChatCommand, grouped } from "./_command.ts";

/** Counted over the session's whole life; the budget is of one run. */
export const usage = defineChatCommand({
  name: "usage",
  usage: [["/usage", "the turns, tokens and messages the session used, and its budgets"]],
  needsDecider: false,
  whileWorking: true,
  run(chat) {
    const state = chat.state();
    if (state === undefined) {
      throw new AgentError("nothing-said", "no session yet: the next message starts one");
    }
    const { budgets } = chat.machine;
    const shared = budgets?.list(state.settings?.budgets ?? []).map(budgetText) ?? [];
    return { said: [sums(state), ...budget(state), ...shared].join("\n") };
  },
});

function sums({ said, turns, usage }: SessionState): string {
  const { input, output, cached, estimated } = usage;
  const guessed = estimated === 0 ? "" : `, ${grouped(estimated)} of them estimated`;
  const fromCache = cached === 0 ? "" : `, ${grouped(cached)} of them from a cache`;
  return `${counted(said.length, "message")}, ${counted(turns.length, "turn")}, ` +
    `${grouped(input + output)} tokens (${grouped(input)} in${fromCache}, ${
      grouped(output)
    } out)${guessed}` +
    cost(usage);
}

/** What is known of the cost: a model without a price, such as one's own, adds nothing to it. */
function cost({ costMicro, unpriced }: UsageState): string {
  if (costMicro === 0n) return "";
  const besides = unpriced === 0 ? "" : `, and ${grouped(unpriced)} tokens of unknown price`;
  return `, ${formatUsd(costMicro)} USD${besides}`;
}

/** Only what has a bound: how much of it is used while a run goes on or waits, else what it is. */
function budget({ settings, turns, ended, budget: used }: SessionState): string[] {
  if (settings === undefined) return [];
  const { steps, tokens, usdMicro = 0n } = settings.limits;
  const bounds = [
    { used: grouped(turns.length - used.turns), bound: counted(steps, "turn") },
    ...(tokens > 0 ? [{ used: grouped(used.tokens), bound: `${grouped(tokens)} tokens` }] : []),
    ...(usdMicro > 0n
      ? [{ used: formatUsd(used.costMicro), bound: `${formatUsd(usdMicro)} USD` }]
      : []),
  ];
  return ended === undefined
    ? [`this run: ${bounds.map((one) => `${one.used} of ${one.bound}`).join(", ")}`]
    : [`a run may have ${bounds.map(({ bound }) => bound).join(", ")}`];
}

function counted(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}
