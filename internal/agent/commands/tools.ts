/** `/tools`: the only tools that the agent may use in the chat. */
import { closest } from "#internal/core/mod.ts";
import { AgentError } from "../errors.ts";
import { defineChatCommand, quoted } from "./_command.ts";
import type { CommandChat } from "./_command.ts";

/** Names that are taken at once. */
const MOST = 100;

/** It leaves some of what the session has, and gives nothing besides. */
export const tools = defineChatCommand({
  name: "tools",
  usage: [
    ["/tools", "the tools the agent may use in this chat"],
    ["/tools <name> …", "only these"],
    ["/tools all", "all that its operator gives it again"],
  ],
  needsDecider: true,
  whileWorking: false,
  async run(chat, argument, { who }) {
    const { tools: left, ...others } = chat.choices;
    const names = [...new Set(argument.split(/[\s,]+/u).filter((name) => name !== ""))];
    if (names.length === 0) {
      if (left !== undefined) {
        return { said: `only ${left.join(", ")} (/tools all gives all again)` };
      }
      return {
        said: `all: ${(await known(chat))?.join(", ") ?? "the next message starts a session"}`,
      };
    }
    if (names.length === 1 && names[0] === "all") {
      await chat.choose(others, who);
      return { said: "The agent may use all its tools again." };
    }
    if (names.length > MOST) {
      throw new AgentError("option", `${names.length} tools are too many: give at most ${MOST}`);
    }
    refuseUnknown(names, await known(chat));
    await chat.choose({ ...others, tools: names }, who);
    return { said: `From the next turn on only: ${names.join(", ")}.` };
  },
});

/** The tools of its session; nothing is known of them before there is one. */
async function known(chat: CommandChat): Promise<readonly string[] | undefined> {
  if (chat.session === undefined) return undefined;
  return await chat.within((conversation) => conversation.toolNames());
}

function refuseUnknown(names: readonly string[], has: readonly string[] | undefined): void {
  const isName = (name: string) => has?.includes(name) ?? /^[\w.-]{1,128}$/.test(name);
  const unknown = names.find((name) => !isName(name));
  if (unknown === undefined) return;
  const near = closest(quoted(unknown), has ?? []);
  throw new AgentError(
    "option",
    `the agent has no tool ${quoted(unknown)} here${
      near === undefined ? "" : `, did you mean ${near}`
    }: ` +
      "/tools lists them",
  );
}
