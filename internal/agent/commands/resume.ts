/** `/resume`: back to a session that this conversation was in. */
import { AgentError } from "../errors.ts";
import { listedOf } from "../list.ts";
import { defineChatCommand, quoted } from "./_command.ts";

/** So many of its sessions are looked through. */
const MOST = 1_000;

/** Only its own: a conversation cannot enter another's session. */
export const resume = defineChatCommand({
  name: "resume",
  usage: [["/resume <id>", "goes back to one of them"]],
  needsDecider: false,
  whileWorking: false,
  async run(chat, argument) {
    const { machine: { sessions }, place } = chat;
    const wanted = argument.toLowerCase();
    const own = sessions.chats.sessions(place, MOST).filter((id) => id.startsWith(wanted));
    const [found, another] = own;
    if (wanted === "" || found === undefined || another !== undefined) {
      const which = wanted === ""
        ? "which session"
        : found === undefined
        ? `this conversation was in no session ${quoted(argument)}`
        : `${argument} begins the ids of ${own.length} sessions`;
      throw new AgentError("nothing-said", `${which}: /sessions lists them with their ids`);
    }
    await chat.enter(found);
    const { title, standing } = listedOf(sessions.summary(found));
    return { said: `Back in session ${found} (${standing}): ${title}` };
  },
});
