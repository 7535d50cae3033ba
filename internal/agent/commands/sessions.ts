/** `/sessions`: the sessions that this conversation was in. */
import { listedOf } from "../list.ts";
import { minuteText } from "../minutes.ts";
import { defineChatCommand } from "./_command.ts";

/** So many are shown. */
const MOST = 20;

/** The newest first; the one it is in is marked. */
export const sessions = defineChatCommand({
  name: "sessions",
  usage: [["/sessions", "this conversation's sessions"]],
  needsDecider: false,
  whileWorking: true,
  run({ machine: { sessions: kept }, place, session: current }) {
    const lines = kept.chats.sessions(place, MOST).map((id) => {
      const { session, standing, title, last_ms } = listedOf(kept.summary(id));
      const mark = session === current ? "*" : " ";
      return `${mark} ${session} ${minuteText(last_ms)} ${standing} ${title}`;
    });
    return { said: lines.length === 0 ? "No sessions yet." : lines.join("\n") };
  },
});
