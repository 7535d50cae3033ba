import { defineCommand, neededValue } from "../command.ts";
import { EXIT } from "../errors.ts";
import { text } from "../readers.ts";
import { listenerOf, openMachine, personHere } from "./_conversation.ts";
import { sessionArguments, sessionFlags, sessionOptionsOf } from "./_session_options.ts";

export const command = defineCommand({
  path: "agent run",
  brief: "Run an agent on a task until it is done, waits for a person, or stops.",
  args: sessionArguments,
  flags: {
    task: neededValue(text("TEXT"), "what to do", "say what to do"),
    ...sessionFlags,
  },
  examples: [
    [
      "sion agent run coder d85ed254 --task 'pay bob 1' --model script:turns.json",
      "from a script, at L2: writing asks, spending is refused",
    ],
  ],
  json: "one object an event on a line: session, delta, tool, waiting, done, error",
  node: true,
  exits: [EXIT.waiting, EXIT.stopped, EXIT.interrupted],
  async run(context, { args, flags }) {
    const { exitCodeOf, runAgent } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const end = await runAgent(
      machine,
      { ...sessionOptionsOf(context, args, flags), task: flags.task, who: personHere() },
      await listenerOf(context),
      context.signal,
    );
    return exitCodeOf(end);
  },
});
