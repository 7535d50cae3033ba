/** docs/reference/chat-commands.md. */
import { chatCommands } from "#internal/agent/mod.ts";
import type { Page } from "./_page.ts";
import { MADE_BY, table } from "./_page.ts";

const WHO =
  `A line that begins with a slash is a command, at the terminal (\`sion agent talk\`) and on every
channel. Two slashes say it to the agent as it is. Commands of those **who may decide** need a token made for approvals, or a
name among the approvers. Those marked **at once** are answered while the agent works; the others wait for it.`;

/** The commands of conversations. */
export const chatCommandsPage: Page = {
  path: "docs/reference/chat-commands.md",
  text() {
    const rows = chatCommands.flatMap(({ usage, needsDecider, whileWorking }) =>
      usage.map(([written, does]) => [
        `\`${written}\``,
        does,
        needsDecider ? "who may decide" : "anyone",
        whileWorking ? "at once" : "in turn",
      ])
    );
    const heading = ["command", "what it does", "who", "while the agent works"];
    return Promise.resolve(
      ["# Commands of conversations", MADE_BY, "", WHO, "", table(heading, rows), ""].join("\n"),
    );
  },
};
