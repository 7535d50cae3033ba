/**
 * Help from the command data: examples first, then arguments and options. Lines end at words and fit
 * the terminal, from 40 columns on; nothing is wider than 80.
 */
import type { AnyCommand, Arguments, Example, Flag } from "./command.ts";
import { allFlags, argumentName, flagName, usageOf, usagesOf } from "./command.ts";
import type { Group } from "./groups.ts";

const MAX_WIDTH = 80;
const MIN_WIDTH = 40;
/** Where the second column begins at the latest. */
const MAX_LEFT = 34;
/** The least width of a second column; a narrower one stands below the first. */
const MIN_RIGHT = 24;

/** The width of help where a stream has so many columns; a pipe has as many as a page. */
export function helpWidth({ isTty, columns }: { isTty: boolean; columns: number }): number {
  return isTty ? Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)) : MAX_WIDTH;
}

/** The help of one command. */
export function commandHelp(command: AnyCommand, width = MAX_WIDTH): string {
  const rows = [...argumentRows(command), ...optionRows(command)];
  return [
    ...wrap(command.brief, width),
    ...twoColumns(command.examples, width),
    ...usagesOf(command).flatMap((usage) => wrap(usage, width, "    ")),
    ...twoColumns(rows, width),
    ...wrap(`More: sion help output, docs/reference/cli.md#${anchorOf(command)}`, width),
  ].join("\n");
}

/** What is listed in a group's help: a command, or a group within it. */
export type Member = AnyCommand | { readonly path: string; readonly group: Group };

/** The help of a group of commands, as of `sion wallet`; its members in the group's order. */
export function groupHelp(
  name: string,
  { brief, examples, order }: Group,
  members: readonly Member[],
  width = MAX_WIDTH,
): string {
  const place = ({ path }: Member): number => order.indexOf(path.slice(name.length + 1));
  const rows = members.toSorted((a, b) => place(a) - place(b)).map((member): Example =>
    "group" in member
      ? [`sion ${member.path} <command>`, firstSentence(member.group.brief)]
      : [usageOf(member), firstSentence(member.brief)]
  );
  return [
    ...wrap(brief, width),
    ...twoColumns(examples, width),
    "Commands:",
    ...twoColumns(rows, width),
    ...wrap(`More: sion ${name} <command> --help`, width),
  ].join("\n");
}

/** A heading of the root's help, and the commands and groups under it. */
export interface Section {
  readonly heading: string;
  /** Paths of commands or groups, with what they are for. */
  readonly entries: readonly Example[];
}

/** What `sion help` prints. */
export function rootHelp(
  sections: readonly Section[],
  topics: readonly string[],
  width = MAX_WIDTH,
): string {
  const left = Math.max(...sections.flatMap(({ entries }) => entries.map(([line]) => line.length)));
  return [
    ...wrap("sion lets AI agents act and spend under rules that a ledger enforces.", width),
    ...sections.flatMap(({ heading, entries }) => [heading, ...twoColumns(entries, width, left)]),
    ...wrap(`More: sion <command> --help, sion help ${topics.join("|")}`, width),
  ].join("\n");
}

/** Text that has its lines, made to fit: what is too wide goes on below itself, indented by two. */
export function fitLines(text: string, width: number): string {
  return text.split("\n").flatMap((line) => {
    if (line.length <= width) return [line];
    const indent = /^ */.exec(line)?.[0] ?? "";
    return wrap(line.trimStart(), width - indent.length, "  ").map((part) => indent + part);
  }).join("\n");
}

/** Where a command stands in docs/reference/cli.md. */
function anchorOf({ program, path }: AnyCommand): string {
  return program ?? path.replaceAll(" ", "-");
}

/** `--node URL`, `--offline`, `--payee NAME…`. */
export function optionLabel(name: string, flag: Flag<unknown>): string {
  if (flag.reader === undefined) return flagName(name);
  const placeholder = flag.bare === undefined
    ? flag.reader.placeholder
    : `[${flag.reader.placeholder}]`;
  return `${flagName(name)} ${placeholder}${
    flag.kind === "list" && !placeholder.endsWith("…") ? "…" : ""
  }`;
}

/** What an option does, with what holds without it or that there is no without. */
export function optionAbout(flag: Flag<unknown>): string {
  const repeat = flag.kind === "list" ? " (can be given several times)" : "";
  const otherwise = [flag.variable, flag.needed === undefined ? flag.default : "needed"]
    .filter((part) => part !== undefined);
  return flag.about + repeat + (otherwise.length === 0 ? "" : ` (${otherwise.join("; ")})`);
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
function twoColumns(rows: readonly Example[], width: number, atLeast = 0): string[] {
  const most = Math.min(MAX_LEFT, width - MIN_RIGHT - 4);
  const fitting = rows.map(([left]) => left.length).filter((length) => length <= most);
  const left = Math.min(most, Math.max(atLeast, ...fitting));
  const indent = " ".repeat(left + 4);
  return rows.flatMap(([label, text]) => {
    const lines = wrap(text, width - indent.length);
    if (label.length > left) {
      const labels = wrap(label, width - 2, "    ").map((line) => `  ${line}`);
      return [...labels, ...lines.map((line) => indent + line)];
    }
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
