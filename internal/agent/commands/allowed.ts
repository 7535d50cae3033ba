/** `/allowed`: what the session may do without asking beyond its autonomy level. */
import { AgentError } from "../errors.ts";
import { ruleText } from "../standing.ts";
import type { SessionState } from "../state.ts";
import { defineChatCommand, quoted } from "./_command.ts";

/** Anybody who may talk can withdraw. */
export const allowed = defineChatCommand({
  name: "allowed",
  usage: [
    ["/allowed", "what the session may do without asking beyond its autonomy level"],
    ["/allowed off", "withdraws it"],
  ],
  needsDecider: false,
  whileWorking: false,
  async run(chat, argument, { who }) {
    if (argument.toLowerCase() === "off") {
      await chat.within((conversation) => Promise.resolve(conversation.withdraw(who)));
      return { said: "Nothing is allowed any more without asking that its level asks about." };
    }
    if (argument !== "") {
      throw new AgentError(
        "option",
        `/allowed takes off, or nothing, not ${quoted(argument)}: nothing was changed`,
      );
    }
    return { said: shown(chat.state()) };
  },
});

function shown(state: SessionState | undefined): string {
  if (state === undefined) return "No session yet: the next message starts one.";
  const { standing, preApproved, brought } = state;
  if (standing.length + preApproved.length === 0) {
    return "The session may do nothing without asking beyond its autonomy level.";
  }
  const tainted = brought.length === 0
    ? []
    : ["None of it holds now: the session has read content from outside."];
  return [
    ...standing.map(({ rule, who }) => `${ruleText(rule)} (${who})`),
    ...preApproved.map(({ rule, from }) => `${ruleText(rule)} (brought by ${from})`),
    ...tainted,
  ].join("\n");
}
