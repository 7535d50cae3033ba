import { argument, defineCommand } from "../command.ts";
import { profileName } from "../readers.ts";
import { openMachine } from "./_conversation.ts";
import { openProfilesHere } from "./_profiles.ts";
import { sessionArguments, sessionFlags, sessionOptionsOf } from "./_session_options.ts";

export const command = defineCommand({
  path: "agent profile add",
  brief: "Keep which agent, and the options that its sessions are opened with, under a name.",
  args: {
    name: argument(profileName, "the name to give it"),
    ...sessionArguments,
  },
  flags: sessionFlags,
  examples: [
    [
      "sion agent profile add lead coder d85ed254 --model script:turns.json --autonomy L5",
      "paying waits for you",
    ],
  ],
  json: "{agent, name, options, wallet}",
  node: true,
  async run(context, { args: { name, ...args }, flags }) {
    const { output, json } = context;
    const { profileOf } = await import("#internal/agent/mod.ts");
    using machine = await openMachine(context);
    const kept = await profileOf(machine, sessionOptionsOf(context, args, flags));
    const profiles = await openProfilesHere(context);
    await profiles.add({ name, ...kept });
    if (json) return output.json({ name, ...kept });
    output.line(`profile ${name} is agent ${output.id(kept.agent)} of wallet ${kept.wallet}`);
    if (kept.options["model"] === undefined) {
      output.note(
        `profile ${name} has no model: \`sion agent profile set ${name} --model <model>\` gives ` +
          "it one",
      );
    }
    output.hint([
      `sion agent talk ${name}                      talk to it`,
      `sion agent run --profile ${name} --task '…'  give it a task`,
    ]);
  },
});
