/** `/compact`: the session is shortened, its start kept as a summary. */
import { defineChatCommand, grouped } from "./_command.ts";

/** Done by itself when the model's window is nearly full. */
export const compact = defineChatCommand({
  name: "compact",
  usage: [["/compact", "shortens the session, its start kept as a summary"]],
  needsDecider: false,
  whileWorking: false,
  async run(chat) {
    const shortened = await chat.within((conversation, signal) => conversation.compact(signal));
    if (shortened === undefined) return { said: "There is nothing to shorten yet." };
    const { before, after } = shortened;
    return { said: `Shortened: about ${grouped(before)} tokens became ${grouped(after)}.` };
  },
});
