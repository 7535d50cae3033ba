import { argument, defineCommand, value } from "../command.ts";
import { integer, text } from "../readers.ts";
import { openMachine, personHere } from "./_conversation.ts";

export const command = defineCommand({
  path: "agent fork",
  brief:
    "Copy a session's conversation into a new session, which goes on from there. The first one " +
    "stays as it is; files and payments are not undone, and no payment is made twice.",
  args: {
    session: argument(text("SESSION"), "the session's id, or its first digits"),
  },
  flags: {
    at: value(integer(1, 1_000_000), "up to the answer of this message of yours, from 1", {
      default: "the last",
    }),
  },
  examples: [
    ["sion agent fork 3ffd3b1f", "all of it"],
    ["sion agent fork 3ffd3b1f --at 2", "as of your second message"],
  ],
  json: "{from, messages, session}",
  node: false,
  async run(context, { args: { session }, flags: { at } }) {
    const { output, json } = context;
    const { forkSession } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const forked = forkSession(machine, {
      session,
      who: personHere(),
      ...(at === undefined ? {} : { at }),
    });
    if (json) return output.json(forked);
    output.line(
      `session ${forked.session}: a copy of ${forked.from} up to message ${forked.messages}`,
    );
    output.hint([`sion agent continue ${forked.session} --say <message>   go on in it`]);
  },
});
