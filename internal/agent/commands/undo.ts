/** `/undo`: the last message and its answer are forgotten. */
import type { CallState } from "../state.ts";
import { defineChatCommand } from "./_command.ts";

/** Says which calls did something that stays. */
export const undo = defineChatCommand({
  name: "undo",
  usage: [["/undo", "forgets the last message and its answer (what its calls did stays done)"]],
  needsDecider: false,
  whileWorking: false,
  async run(chat, _argument, { who }) {
    const lasting = await chat.within((conversation) => conversation.undo(who));
    return { said: `Forgot the last message and its answer.${staysDone(lasting)}` };
  },
});

function staysDone(calls: readonly CallState[]): string {
  if (calls.length === 0) return "";
  const times = new Map<string, number>();
  for (const { tool } of calls) times.set(tool, (times.get(tool) ?? 0) + 1);
  const named = [...times].map(([tool, n]) => n === 1 ? tool : `${tool} (${n} times)`);
  return ` What its calls did stays done: ${named.join(", ")}.`;
}
