import { defineCommand, toggle, value } from "../command.ts";
import { account } from "../readers.ts";
import { stateOf } from "./_tasks.ts";

export const command = defineCommand({
  path: "task list",
  brief: "List tasks, one a line: id, who posted it, how much, how it stands.",
  args: {},
  flags: {
    poster: value(account, "only those that this wallet or account posted"),
    worker: value(account, "only those for this wallet or account, or that paid it"),
    open: toggle("only those that can be settled"),
  },
  examples: [
    ["sion task list --open", "what there is to earn"],
    ["sion task list --worker bob", "what is for bob, or was paid to him"],
  ],
  json: "a list of tasks as sion_task_show returns each",
  node: true,
  async run({ client, output, json, signal }, { flags }) {
    const opened = await client();
    const { poster, worker, open } = flags;
    const all = await opened.tasks.list({ poster, worker }, { signal });
    const tasks = all.filter(({ state }) => !open || state === "open");
    if (json) return output.json(tasks);
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const task of tasks) {
      const kind = task.worker === null ? "bounty" : `for ${name(task.worker)}`;
      output.line(
        `${output.id(task.task)} ${name(task.poster)} ${task.escrow} USD ${kind}: ${
          stateOf(task, name)
        }`,
      );
    }
    if (tasks.length > 0) return;
    output.note(
      poster === undefined && worker === undefined && !open
        ? "no tasks: `sion task post` makes one"
        : "no such tasks: `sion task list` lists all",
    );
  },
});
