/** `/whoami`: who the channel takes one for. */
import { defineChatCommand } from "./_command.ts";

/** What one may do follows from it. */
export const whoami = defineChatCommand({
  name: "whoami",
  usage: [["/whoami", "who you are here, and what you may do"]],
  needsDecider: false,
  whileWorking: false,
  run: (_chat, _argument, { who, mayDecide }) => ({
    said: `You are ${who}. You may talk to the agent${
      mayDecide
        ? ", approve and decline its calls, and choose its model, tools and what this chat asks."
        : "; its calls are for others to approve and decline."
    }`,
  }),
});
