import { argument, defineCommand } from "../command.ts";
import { objectId } from "../readers.ts";
import { claimLines, taskLines } from "./_tasks.ts";

export const command = defineCommand({
  path: "task show",
  brief: "Show a task: who pays whom how much, what a result needs, how it stands, and what was " +
    "attested and handed in so far.",
  args: { task: argument(objectId, "the task's id") },
  flags: {},
  examples: [["sion task show 5bc688d4", "its rule, and whether it is paid"]],
  json: "as sion_task_show returns it, with attestations and results",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const task = await opened.tasks.show(args.task, { signal });
    const claims = await opened.tasks.claims(task.task, { signal });
    if (json) return output.json({ ...task, ...claims });
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const line of taskLines(task, name, output.id)) output.line(line);
    for (const line of claimLines(claims, name, output.id)) output.line(line);
  },
});
