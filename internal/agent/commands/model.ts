/** `/model`: the models there are, and which one is asked. */
import { AgentError } from "../errors.ts";
import { canonicalModel } from "../models/mod.ts";
import { defineChatCommand, quoted } from "./_command.ts";
import type { CommandChat } from "./_command.ts";

/** The chosen one is asked first; the others, in order, when it fails. */
export const model = defineChatCommand({
  name: "model",
  usage: [
    ["/model", "the models, and which one the session uses"],
    ["/model <number>", "uses another, in this chat's sessions"],
  ],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const models = modelsOf(chat);
    if (argument === "") {
      const used = chat.choices.model ?? models[0];
      const lines = models.map((name, index) =>
        `${index + 1} ${name}${name === used ? " (in use)" : ""}`
      );
      return { said: lines.join("\n") };
    }
    const chosen = /^\d{1,3}$/.test(argument) ? models[Number(argument) - 1] : undefined;
    if (chosen === undefined) {
      throw new AgentError(
        "model",
        `there is no model ${quoted(argument)} here: give a number from 1 to ${models.length}`,
      );
    }
    await chat.choose({ ...chat.choices, model: chosen }, who);
    return { said: `From the next turn on: ${chosen}.` };
  },
});

/** Those of its session, which keeps what it was opened with; else the profile's. */
function modelsOf(chat: CommandChat): readonly string[] {
  const { machine, profile } = chat;
  return chat.state()?.settings?.models ??
    profile.models.map((name) => canonicalModel(name, machine.cwd, machine.providers));
}
