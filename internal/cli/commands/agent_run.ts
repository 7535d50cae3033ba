import { argument, defineCommand, neededList, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, folder, text, walletName } from "../readers.ts";
import { capabilityFlags, givenCapabilities } from "./_capabilities.ts";
import { listenerOf, openMachine, personHere } from "./_conversation.ts";

const LEVELS = ["L0", "L1", "L2", "L3", "L4", "L5", "L6"] as const;

export const command = defineCommand({
  path: "agent run",
  brief: "Run an agent on a task until it is done, waits for a person, or stops.",
  args: {
    wallet: argument(walletName, "the agent's wallet"),
    agent: argument(agentId, "the agent's id or name"),
  },
  flags: {
    task: neededValue(text("TEXT"), "what to do", "say what to do"),
    model: neededList(
      text("MODEL"),
      "script:FILE; the next is asked when one fails",
      "for example --model script:turns.json",
    ),
    workspace: value(folder, "the folder that its file tools work in", { default: "none" }),
    autonomy: value(
      { ...text("LEVEL"), offers: LEVELS },
      "L0 to L6: what it may do on its own (read, write, external, spend)",
      { default: "L2" },
    ),
    ...capabilityFlags(),
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
    const { task, model, workspace, autonomy } = flags;
    const { exitCodeOf, runAgent } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const { node, chain } = context.clientOptions;
    const end = await runAgent(
      machine,
      {
        wallet: args.wallet,
        agent: args.agent,
        task,
        who: personHere(),
        models: model,
        ...(workspace === undefined ? {} : { workspace }),
        ...(autonomy === undefined ? {} : { autonomy }),
        ...(node === undefined ? {} : { node }),
        ...(chain === undefined ? {} : { chain }),
        given: givenCapabilities(flags),
      },
      await listenerOf(context),
      context.signal,
    );
    return exitCodeOf(end);
  },
});
