import { shellWord } from "#internal/core/mod.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  path: "agent hooks list",
  brief: "List your hooks, by the numbers that remove them, in the order in which they run.",
  args: {},
  flags: {},
  examples: [["sion agent hooks list", "what runs around your agents' calls and runs"]],
  json: "the hooks, in their order",
  node: false,
  async run({ output, json, home, env }) {
    const { readHooks } = await import("#internal/agent/mod.ts");
    const hooks = await readHooks({ home, env });
    if (json) {
      output.json(hooks.map((hook, index) => ({ number: index + 1, ...hook })));
      return;
    }
    for (const [index, { event, tool, timeout_s, command: words }] of hooks.entries()) {
      const tools = event.endsWith("-tool") ? ` ${tool ?? "*"}` : "";
      output.line(
        `${index + 1} ${event}${tools} (${timeout_s} s): ${words.map(shellWord).join(" ")}`,
      );
    }
    if (hooks.length === 0) output.note("no hooks: `sion agent hooks add --help` says how");
  },
});
