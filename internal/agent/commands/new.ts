/** `/new`: the conversation starts over. */
import { defineChatCommand } from "./_command.ts";

/** What was chosen in the chat holds on. */
export const newSession = defineChatCommand({
  name: "new",
  usage: [["/new", "starts over, in a new session"]],
  needsDecider: false,
  whileWorking: false,
  async run(chat) {
    const { session } = chat;
    await chat.leave();
    const back = session === undefined ? "" : ` /resume ${session} goes back to this one.`;
    return { said: `The next message starts a new session.${back}` };
  },
});
