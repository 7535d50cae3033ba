/** Help from the command data: examples first, then arguments and options, 80 columns. */
import type { AnyCommand, Arguments, Example, Flag } from "./command.ts";
import { allFlags, argumentName, flagName, usageOf } from "./command.ts";

const WIDTH = 80;
/** Where the second column begins at the latest. */
const MAX_LEFT = 34;

/** The help of one command. */
export function commandHelp(command: AnyCommand): string {
  const rows = [...argumentRows(command), ...optionRows(command)];
  return [
    ...wrap(command.brief, WIDTH),
    ...twoColumns(command.examples.map(([line, does]) => [line, does])),
    ...wrap(usageOf(command), WIDTH, "    "),
    ...twoColumns(rows),
    `More: sion help output, docs/reference/cli.md#${anchorOf(command.path)}`,
  ].join("\n");
}

/** The help of a group of commands, as of `sion wallet`. */
export function groupHelp(group: string, commands: readonly AnyCommand[]): string {
  const rows = commands.map((command): Example => [
    usageOf(command),
    firstSentence(command.brief),
  ]);
  return [`sion ${group}:`, ...twoColumns(rows), `More: sion ${group} <command> --help`].join("\n");
}

/** A heading of the root's help, and the commands and groups under it. */
export interface Section {
  readonly heading: string;
  /** Paths of commands or groups, with what they are for. */
  readonly entries: readonly Example[];
}

/** What `sion help` prints. */
export function rootHelp(sections: readonly Section[], topics: readonly string[]): string {
  const all = sections.flatMap(({ entries }) => entries);
  const left = Math.max(...all.map(([line]) => line.length));
  const parts = sections.map(({ heading, entries }) => [
    heading,
    ...entries.map(([line, does]) => `  ${line.padEnd(left)}  ${does}`),
  ]);
  return [
    "sion lets AI agents act and spend under rules that a ledger enforces.",
    ...parts.flat(),
    `More: sion <command> --help, sion help ${topics.join("|")}`,
  ].join("\n");
}

/** Where a command stands in docs/reference/cli.md. */
function anchorOf(path: string): string {
  return path.replaceAll(" ", "-");
}

/** `--node URL`, `--offline`, `--payee NAME…`. */
export function optionLabel(name: string, flag: Flag<unknown>): string {
  if (flag.reader === undefined) return flagName(name);
  const placeholder = flag.bare === undefined
    ? flag.reader.placeholder
    : `[${flag.reader.placeholder}]`;
  return `${flagName(name)} ${placeholder}${flag.kind === "list" ? "…" : ""}`;
}

/** What an option does, with what holds without it. */
export function optionAbout(flag: Flag<unknown>): string {
  const repeat = flag.kind === "list" ? " (can be given several times)" : "";
  return flag.about + repeat + (flag.default === undefined ? "" : ` (${flag.default})`);
}

/** The first sentence of a text, without its full stop. */
function firstSentence(text: string): string {
  return text.replace(/\.( .*)?$/s, "");
}

function argumentRows(command: AnyCommand): Example[] {
  return Object.entries(command.args as Arguments).map(([name, { about, required }]) => [
    required ? `<${argumentName(name)}>` : `[<${argumentName(name)}>]`,
    about,
  ]);
}

function optionRows(command: AnyCommand): Example[] {
  return Object.entries(allFlags(command)).map(([name, flag]) => [
    optionLabel(name, flag),
    optionAbout(flag),
  ]);
}

/** Indented by two; the second column wraps under itself, or stands below a long first. */
function twoColumns(rows: readonly Example[]): string[] {
  const fitting = rows.map(([left]) => left.length).filter((length) => length <= MAX_LEFT);
  const left = Math.max(0, ...fitting);
  const indent = " ".repeat(left + 4);
  return rows.flatMap(([label, text]) => {
    const lines = wrap(text, WIDTH - indent.length);
    if (label.length > left) return [`  ${label}`, ...lines.map((line) => indent + line)];
    return lines.map((line, at) => at === 0 ? `  ${label.padEnd(left)}  ${line}` : indent + line);
  });
}

function wrap(text: string, width: number, indent = ""): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > width && line !== "") {
      lines.push(line);
      line = indent + word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
