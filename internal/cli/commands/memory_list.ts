import { defineCommand } from "../command.ts";

export const command = defineCommand({
  path: "memory list",
  brief: "List the memory logs that have a file here, one a line: id, wallet, atoms, how many of " +
    "them are not committed. Asks no node.",
  args: {},
  flags: {},
  examples: [["sion memory list", "yours"]],
  json: "a list of {committed, log, sealed, size, uncommitted, wallet}",
  node: false,
  async run({ client, output, json }) {
    const opened = await client();
    const logs = await opened.memory.list();
    if (json) return output.json(logs);
    for (const { log, wallet, size, uncommitted, sealed } of logs) {
      const end = sealed ? ", sealed" : "";
      output.line(
        `${output.id(log)} ${wallet ?? "?"} ${size} atoms, ${uncommitted} not committed${end}`,
      );
    }
    if (logs.length === 0) {
      output.note("no memory logs here yet: `sion memory open <wallet>` opens one");
    }
  },
});
