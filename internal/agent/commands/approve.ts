/** `/approve`: the call that waits is made. */
import { AgentError } from "../errors.ts";
import { defineChatCommand, quoted, requestIn } from "./_command.ts";

/** `always`, and the rule behind it if there is one. */
const ALWAYS = /^always(?:\s+(\S[\s\S]*))?$/i;

/** With a request's id, only if that one still waits. */
export const approve = defineChatCommand({
  name: "approve",
  usage: [
    ["/approve [<request>]", "makes the call that waits"],
    ["/approve always [<rule>]", "and the same again, or what the rule matches, without asking"],
  ],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const { request, rest } = requestIn(argument);
    const always = ALWAYS.exec(rest);
    if (rest !== "" && always === null) {
      throw new AgentError(
        "not-waiting",
        `${quoted(rest)} is no request's id: write /approve, or /approve and the eight digits of ` +
          "the request; nothing was done",
      );
    }
    const decision = {
      approve: true,
      who,
      ...(request === undefined ? {} : { request }),
      ...(always === null ? {} : { always: always[1] ?? (true as const) }),
    };
    return {
      end: await chat.within((conversation, signal) => conversation.decide(decision, signal)),
    };
  },
});
