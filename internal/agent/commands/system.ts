/** `/system`: what the chat asks of the agent, after its operator's instructions. */
import { AgentError } from "../errors.ts";
import { defineChatCommand } from "./_command.ts";

/** Characters; every request to the model carries them. */
const MOST = 8_000;

/** Within what the operator gave the agent: tools and levels stay as they are. */
export const system = defineChatCommand({
  name: "system",
  usage: [
    ["/system", "what this chat asks of the agent, after its operator's instructions"],
    ["/system <text>", "asks this of it"],
    ["/system off", "takes it back"],
  ],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const { system: asked, ...others } = chat.choices;
    if (argument === "") {
      return { said: asked ?? "This chat asks nothing besides what the operator does." };
    }
    if (argument.toLowerCase() === "off") {
      await chat.choose(others, who);
      return { said: "This chat asks nothing of the agent any more." };
    }
    if (argument.length > MOST) {
      throw new AgentError(
        "option",
        `a chat can ask ${MOST} characters of its agent, this has ${argument.length}: give fewer`,
      );
    }
    await chat.choose({ ...others, system: argument }, who);
    return { said: "From the next turn on this chat asks that of the agent." };
  },
});
