import { shellWord } from "#internal/core/mod.ts";
import { argument, defineCommand } from "../command.ts";
import { integer } from "../readers.ts";

export const command = defineCommand({
  path: "agent hooks remove",
  brief: "Remove a hook by its number; those after it move up.",
  args: {
    number: argument(integer(1, 100, "NUMBER"), "as `sion agent hooks list` shows it"),
  },
  flags: {},
  examples: [["sion agent hooks remove 2", "the second one"]],
  json: "the hook that was removed",
  node: false,
  async run({ output, json, home, env }, { args: { number } }) {
    const { removeHook } = await import("#internal/agent/mod.ts");
    const hook = await removeHook({ home, env }, number);
    if (json) output.json({ number, ...hook });
    else {output.line(
        `removed hook ${number}: ${hook.event} ${hook.command.map(shellWord).join(" ")}`,
      );}
  },
});
