/** `/decline`: the call that waits is not made, and the agent is told why. */
import { defineChatCommand, requestIn } from "./_command.ts";

/** With a request's id, only if that one still waits. */
export const decline = defineChatCommand({
  name: "decline",
  usage: [[
    "/decline [<request>] <why>",
    "does not make the call that waits; the agent is told why",
  ]],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const { request, rest } = requestIn(argument);
    const decision = {
      approve: false,
      who,
      ...(rest === "" ? {} : { why: rest }),
      ...(request === undefined ? {} : { request }),
    };
    return {
      end: await chat.within((conversation, signal) => conversation.decide(decision, signal)),
    };
  },
});
