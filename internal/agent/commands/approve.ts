/** `/approve`: the call that waits is made. */
import { AgentError } from "../errors.ts";
import { defineChatCommand, quoted, requestIn } from "./_command.ts";

/** With a request's id, only if that one still waits. */
export const approve = defineChatCommand({
  name: "approve",
  usage: [["/approve [<request>]", "makes the call that waits"]],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const { request, rest } = requestIn(argument);
    if (rest !== "") {
      throw new AgentError(
        "not-waiting",
        `${quoted(rest)} is no request's id: write /approve, or /approve and the eight ` +
          "digits of the request; nothing was done",
      );
    }
    const shown = request === undefined ? {} : { request };
    return {
      end: await chat.within((conversation, signal) =>
        conversation.decide({ approve: true, who, ...shown }, signal)
      ),
    };
  },
});
