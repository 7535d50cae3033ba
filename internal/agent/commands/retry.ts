/** `/retry`: the last message is answered again. */
import { defineChatCommand } from "./_command.ts";

/** The first answer is forgotten; what its calls did stays done, and the journal knows of it. */
export const retry = defineChatCommand({
  name: "retry",
  usage: [["/retry", "answers the last message again"]],
  needsDecider: false,
  whileWorking: false,
  run: async (chat, _argument, { who }) => ({
    end: await chat.within((conversation, signal) => conversation.retry(who, signal)),
  }),
});
