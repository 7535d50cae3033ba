/** What `sion help …` and `--help` print. Read when help is asked for. */
import type { AnyCommand } from "./command.ts";
import { commandPaths, loadCommand } from "./commands/mod.ts";
import { usageError } from "./errors.ts";
import { groups } from "./groups.ts";
import type { Member } from "./help.ts";
import { commandHelp, fitLines, groupHelp, helpWidth, rootHelp } from "./help.ts";
import type { Output } from "./output.ts";
import { findCommand } from "./parse.ts";
import { sections } from "./sections.ts";
import { topics } from "./topics/mod.ts";

/** Prints the help on what the words name: a command, a group, a topic; on all when there are none. */
export async function tellHelp(words: readonly string[], output: Output): Promise<void> {
  const path = words.filter((word) => word !== "").join(" ");
  const width = helpWidth(output.stdout);
  const topic = topics.find(({ name }) => name === path);
  const text = topic === undefined ? await helpText(path, width) : fitLines(topic.text(), width);
  output.stdout.write(`${text}\n`);
}

async function helpText(path: string, width: number): Promise<string> {
  if (path === "" || path === "help") {
    return rootHelp(sections, topics.map(({ name }) => name), width);
  }
  if (commandPaths.includes(path)) return commandHelp(await loadCommand(path), width);
  const group = groups[path];
  if (group !== undefined) {
    return groupHelp(path, group, await membersOf(path), width);
  }
  findCommand(path.split(" "), commandPaths);
  throw usageError(`there is no help on ${path}: see \`sion help\``);
}

/** What is right below a group: its commands, and the groups within it. */
async function membersOf(path: string): Promise<Member[]> {
  const isRightBelow = (known: string): boolean =>
    known.startsWith(`${path} `) && !known.slice(path.length + 1).includes(" ");
  const within = Object.entries(groups).filter(([known]) => isRightBelow(known))
    .map(([known, group]) => ({ path: known, group }));
  return [...await Promise.all(commandPaths.filter(isRightBelow).map(loadCommand)), ...within];
}

/** Prints the help of one command. */
export function tellCommandHelp(command: AnyCommand, { stdout }: Output): void {
  stdout.write(`${commandHelp(command, helpWidth(stdout))}\n`);
}
