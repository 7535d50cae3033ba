import { argument, defineCommand } from "../command.ts";
import { text } from "../readers.ts";
import { openMachine } from "./_conversation.ts";

export const command = defineCommand({
  path: "agent trace",
  brief: "Show a session step by step: for each payment the message, the decision, the approval " +
    "and the transaction.",
  args: { session: argument(text("SESSION"), "the session's id, or a unique beginning of it") },
  flags: {},
  examples: [["sion agent trace 3ffd3b1fd4d6aa36", "what happened, and why"]],
  json: "{agent, outside, passed_over, payments, session, steps}",
  node: false,
  async run(context, { args }) {
    const { traceLines, traceSession } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const trace = traceSession(machine, args.session);
    if (context.json) return context.output.json(trace);
    for (const line of traceLines(trace)) context.output.stdout.write(`${line}\n`);
  },
});
