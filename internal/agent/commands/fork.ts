/** `/fork`: the conversation goes on in a copy of its session. */
import { AgentError } from "../errors.ts";
import { forkSession } from "../fork.ts";
import { defineChatCommand } from "./_command.ts";

/** The first session stays as it is, and `/resume` goes back to it. */
export const fork = defineChatCommand({
  name: "fork",
  usage: [["/fork", "goes on in a copy of the session; files stay as they are"]],
  needsDecider: true,
  whileWorking: false,
  async run(chat, _argument, { who }) {
    const { session, machine } = chat;
    if (session === undefined) {
      throw new AgentError("nothing-said", "there is no session yet: the next message starts one");
    }
    const { session: made } = forkSession(machine, { session, who });
    await chat.enter(made);
    return {
      said: `In session ${made} now, a copy of ${session}: /resume ${session} goes back. ` +
        "Files and payments are the same for both.",
    };
  },
});
