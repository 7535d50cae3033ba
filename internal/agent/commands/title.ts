/** `/title`: names the session. */
import { AgentError } from "../errors.ts";
import { listedOf } from "../list.ts";
import { defineChatCommand } from "./_command.ts";

/** Characters of a title. */
const MOST = 100;

/** Without a name it says what the session is called. */
export const title = defineChatCommand({
  name: "title",
  usage: [["/title <name>", "names the session"]],
  needsDecider: false,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const name = argument.replaceAll(/\s+/gu, " ");
    if (name.length > MOST) {
      throw new AgentError(
        "option",
        `a title has at most ${MOST} characters, this has ${name.length}: give a shorter one`,
      );
    }
    if (name !== "") {
      await chat.within((conversation) => conversation.name(name, who));
      return { said: `This session is called ${name}.` };
    }
    const { session, machine } = chat;
    if (session === undefined) return { said: "No session yet: the next message starts one." };
    const shown = listedOf(machine.sessions.summary(session)).title;
    return {
      said: shown === "" ? "This session has no title." : `This session is called ${shown}.`,
    };
  },
});
