import { argument, defineCommand } from "../command.ts";
import { oneOf } from "../readers.ts";

export const command = defineCommand({
  path: "completion",
  brief: "Print what completes sion's words in a shell: commands, options, wallets.",
  args: { shell: argument(oneOf("bash", "zsh", "fish"), "bash, zsh or fish") },
  flags: {},
  examples: [
    ["sion completion bash >> ~/.bashrc", "complete in bash from the next shell on"],
    ["sion completion fish > ~/.config/fish/completions/sion.fish", "in fish"],
  ],
  json: null,
  node: false,
  async run({ output, completionScript }, { args }) {
    output.stdout.write(await completionScript(args.shell));
  },
});
