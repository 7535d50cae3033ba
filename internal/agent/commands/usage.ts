/** `/usage`: what the session used, and what is left of its run's budget. */
import { AgentError } from "../errors.ts";
import type { SessionState } from "../state.ts";
import { defineChatCommand, grouped } from "./_command.ts";

/** Counted over the session's whole life; the budget is of one run. */
export const usage = defineChatCommand({
  name: "usage",
  usage: [["/usage", "the turns, tokens and messages the session used, and a run's budget"]],
  needsDecider: false,
  whileWorking: true,
  run(chat) {
    const state = chat.state();
    if (state === undefined) {
      throw new AgentError("nothing-said", "no session yet: the next message starts one");
    }
    return { said: [sums(state), ...budget(state)].join("\n") };
  },
});

function sums({ said, turns, usage: { input, output } }: SessionState): string {
  return `${counted(said.length, "message")}, ${counted(turns.length, "turn")}, ` +
    `${grouped(input + output)} tokens (${grouped(input)} in, ${grouped(output)} out)`;
}

/** Only what has a bound: how much of it is used while a run goes on or waits, else what it is. */
function budget({ settings, turns, ended, budget: used }: SessionState): string[] {
  if (settings === undefined) return [];
  const { steps, tokens } = settings.limits;
  const bounds = [counted(steps, "turn"), ...(tokens > 0 ? [`${grouped(tokens)} tokens`] : [])];
  if (ended !== undefined) return [`a run may have ${bounds.join(", ")}`];
  const taken = [turns.length - used.turns, used.tokens].map(grouped);
  return [`this run: ${bounds.map((bound, index) => `${taken[index]} of ${bound}`).join(", ")}`];
}

function counted(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}
