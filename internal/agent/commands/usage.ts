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

/** Only what has a bound. */
function budget({ settings, turns, budget: used }: SessionState): string[] {
  if (settings === undefined) return [];
  const { steps, tokens } = settings.limits;
  const parts = [
    `${grouped(turns.length - used.turns)} of ${counted(steps, "turn")}`,
    ...(tokens > 0 ? [`${grouped(used.tokens)} of ${grouped(tokens)} tokens`] : []),
  ];
  return [`this run: ${parts.join(", ")}`];
}

function counted(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}
