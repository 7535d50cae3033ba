/** `/stop`: the agent stops where it is; what the model wrote is kept. */
import { defineChatCommand } from "./_command.ts";

/** The run's own reply ends with what came of it. */
export const stop = defineChatCommand({
  name: "stop",
  usage: [["/stop", "stops what the agent is doing, at once"]],
  needsDecider: false,
  whileWorking: true,
  run(chat) {
    if (chat.stop()) return { said: "Stopping." };
    return {
      said: chat.heldElsewhere
        ? "The session is at work somewhere else: stop it there."
        : "The agent is not at work.",
    };
  },
});
