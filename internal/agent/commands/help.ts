/** `/help`: the commands. */
import { defineChatCommand } from "./_command.ts";

/** Made of what the commands say of themselves. */
export const help = defineChatCommand({
  name: "help",
  usage: [["/help", "these commands"]],
  needsDecider: false,
  whileWorking: true,
  run({ commands }) {
    const lines = commands.flatMap(({ usage }) => usage);
    const width = Math.max(...lines.map(([written]) => written.length));
    return { said: lines.map(([written, does]) => `${written.padEnd(width)}  ${does}`).join("\n") };
  },
});
