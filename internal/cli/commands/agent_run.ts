import { argumentUnless, defineCommand, list, neededValue, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agentId, path, profileName, text, walletName } from "../readers.ts";
import { readSentFile } from "../sent_file.ts";
import { listenerOf, openMachine, personHere } from "./_conversation.ts";
import { askAboutProject } from "./_project.ts";
import { profileOptionsOf, sessionFlags, sessionOptionsOf } from "./_session_options.ts";

export const command = defineCommand({
  path: "agent run",
  brief: "Run an agent on a task until it is done, waits for a person, or stops.",
  args: {
    wallet: argumentUnless("profile", walletName, "the agent's wallet"),
    agent: argumentUnless("profile", agentId, "the agent's id or name"),
  },
  flags: {
    task: neededValue(text("TEXT"), "what to do", "say what to do"),
    file: list(path, "a file sent along: a picture is shown, others are put into its inbox/"),
    profile: value(profileName, "the agent and options of this profile; given options go first"),
    ...sessionFlags,
  },
  examples: [
    [
      "sion agent run coder d85ed254 --task 'pay bob 1' --model script:turns.json",
      "from a script, at L2: writing asks, spending is refused",
    ],
    ["sion agent run --profile lead --task 'pay bob 1'", "as the profile says"],
    ["sion agent run --profile lead --task 'What is on it?' --file cart.png", "with a picture"],
  ],
  json: "one object an event on a line: session, delta, tool, waiting, done, error",
  node: true,
  exits: [EXIT.waiting, EXIT.stopped, EXIT.interrupted],
  async run(context, { args: { wallet = "", agent = "" }, flags }) {
    const { exitCodeOf, runAgent } = await import("#internal/agent/mod.ts");
    const options = flags.profile === undefined
      ? sessionOptionsOf(context, { wallet, agent }, flags)
      : await profileOptionsOf(context, flags.profile, flags);
    const files = await Promise.all(flags.file.map((one) => readSentFile(one, context)));
    await askAboutProject(context, options);
    using machine = await openMachine(context);
    const end = await runAgent(
      machine,
      { ...options, task: flags.task, files, who: personHere() },
      await listenerOf(context),
      context.signal,
    );
    return exitCodeOf(end);
  },
});
