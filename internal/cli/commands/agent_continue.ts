import { argument, defineCommand, list, toggle, value } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { path, text } from "../readers.ts";
import { readSentFile } from "../sent_file.ts";
import { listenerOf, openMachine, personHere } from "./_conversation.ts";

export const command = defineCommand({
  path: "agent continue",
  brief: "Go on with a session: approve or decline what it waits for, say something, or go on " +
    "after a crash.",
  args: { session: argument(text("SESSION"), "the id that `sion agent run` printed first") },
  flags: {
    approve: toggle("make the call that waits"),
    always: value(
      text("RULE"),
      "with --approve: and the same call again, or those that RULE matches, without asking",
      { bare: "" },
    ),
    decline: value(text("WHY"), "do not make it; the agent is told why"),
    file: list(path, "with --say: a file sent along"),
    request: value(text("ID"), "decide only if this request waits"),
    say: value(text("TEXT"), "go on with this message"),
  },
  examples: [
    ["sion agent continue 3ffd3b1fd4d6aa36 --approve", "make the call"],
    ["sion agent continue 3ffd3b1fd4d6aa36 --decline 'too much'", "say no"],
    ["sion agent continue 3ffd3b1fd4d6aa36", "go on where it was cut off"],
  ],
  json: "one object an event on a line, as sion agent run",
  node: true,
  exits: [EXIT.waiting, EXIT.stopped, EXIT.interrupted],
  async run(context, { args, flags }) {
    const { approve, always, decline, say, request } = flags;
    if (always !== undefined && !approve) {
      throw usageError("--always goes with --approve: give both");
    }
    const decisions = [approve, decline !== undefined, say !== undefined].filter(Boolean);
    if (decisions.length > 1) {
      throw usageError("--approve, --decline and --say exclude each other: give one");
    }
    if (flags.file.length > 0 && say === undefined) {
      throw usageError("--file goes with --say: give both");
    }
    const files = await Promise.all(flags.file.map((one) => readSentFile(one, context)));
    const { continueSession, exitCodeOf } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const end = await continueSession(
      machine,
      {
        session: args.session,
        who: personHere(),
        ...(approve ? { approve } : {}),
        ...(always === undefined ? {} : { always: always === "" ? true : always }),
        ...(decline === undefined ? {} : { decline }),
        ...(say === undefined ? {} : { say, files }),
        ...(request === undefined ? {} : { request }),
      },
      await listenerOf(context),
      context.signal,
    );
    return exitCodeOf(end);
  },
});
