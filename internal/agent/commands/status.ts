/** `/status`: where the session stands. */
import { shortId } from "#internal/core/mod.ts";
import { minuteText } from "../minutes.ts";
import { waitingText } from "../print.ts";
import type { SessionState } from "../state.ts";
import { openCalls, saidInRun, waitingCall } from "../state.ts";
import { defineChatCommand } from "./_command.ts";
import type { CommandChat } from "./_command.ts";

/** Sources of outside content, and confidential files, that are named. */
const MOST_NAMES = 5;

/** The latest reply, or what it waits for or works on; and what came into it from outside. */
export const status = defineChatCommand({
  name: "status",
  usage: [["/status", "where the session stands"]],
  needsDecider: false,
  whileWorking: true,
  run(chat) {
    const state = chat.state();
    if (state === undefined) return { said: "No session yet: the next message starts one." };
    return {
      said: [standing(chat, state), ...taint(state)].join("\n"),
      details: detailsOf(state),
    };
  },
});

function standing({ workingMs, heldElsewhere }: CommandChat, state: SessionState): string {
  const waiting = waitingCall(state);
  if (waiting !== undefined) {
    const { tool, input = null, judged, request } = waiting;
    const call = waitingText({ tool, input, why: judged?.why ?? "", request });
    return `waiting for your approval: ${call}`;
  }
  if (workingMs !== undefined) {
    const running = openCalls(state).find(({ started }) => started !== undefined);
    const on = running === undefined ? "the model writes" : `${running.tool} runs`;
    return `at work for ${Math.round(workingMs / 1_000)} s: ${on}`;
  }
  const said = saidInRun(state);
  if (state.ended?.how === "done") return said === "" ? "done, without a word" : said;
  if (state.ended?.how === "stopped") {
    return `${said === "" ? "" : `${said}\n\n`}stopped: ${state.ended.message ?? "it was stopped"}`;
  }
  if (heldElsewhere) return "at work somewhere else";
  return state.said.length === 0 ? "nothing was said in it yet" : "cut off: /retry answers again";
}

/** What brought content from outside, and when; it makes the session ask more than its level does. */
function taint({ brought, confidential }: SessionState): string[] {
  const lines: string[] = [];
  if (brought.length > 0) {
    const named = brought.map(({ from, atMs }) => `${from} at ${minuteText(atMs)}`);
    lines.push(`content from outside is in this session: ${namesOf(named)}`);
  }
  const read = [...new Set(confidential.map(({ what }) => what))];
  if (read.length > 0) lines.push(`confidential in this session: ${namesOf(read)}`);
  return lines;
}

function namesOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
  return `${names.slice(0, MOST_NAMES).join(", ")}${more}`;
}

function detailsOf(state: SessionState): string[] {
  const { session, title, settings, choices } = state;
  if (settings === undefined) return [];
  const { agent, autonomy, models } = settings;
  const named = title === "" ? "" : ` "${title}"`;
  return [
    `session ${session}${named} for agent ${shortId(agent)} at L${autonomy}, ` +
    `model ${choices.model ?? models[0] ?? "none"}`,
    ...(choices.tools === undefined ? [] : [`only these tools: ${choices.tools.join(" ")}`]),
    ...(choices.system === undefined ? [] : [`the chat asks of the agent: ${choices.system}`]),
  ];
}
