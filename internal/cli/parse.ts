/** From words to a command's input. What does not fit is an error with one suggestion. */
import { closest, quoteOddWord } from "#internal/core/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";
import type { AnyCommand, Argument, Arguments, CommonFlags, Flag, Flags } from "./command.ts";
import { allFlags, argumentName, calledAs, flagName } from "./command.ts";
import { usageError } from "./errors.ts";

/** What the words come to. */
export type Parsed =
  | { readonly kind: "help"; readonly path: string }
  | { readonly kind: "version" }
  | { readonly kind: "command"; readonly path: string; readonly words: readonly string[] };

const HELP = new Set(["-h", "--help"]);
/** What other programs call it. */
const VERSION_SLIPS = new Set(["-v", "-V", "-version"]);

/**
 * Which command the words name.
 * @param paths the paths of all commands.
 * @throws {SionError} `usage`
 */
export function findCommand(words: readonly string[], paths: readonly string[]): Parsed {
  const own = ownWords(words);
  const help = own.some((word) => HELP.has(word));
  if (own[0] === "--version") return { kind: "version" };
  let path = "";
  let used = 0;
  while (used < words.length) {
    const longer = join(path, words[used] as string);
    if (!isPath(longer, paths) && !isGroup(longer, paths)) break;
    path = longer;
    used++;
  }
  if (isPath(path, paths)) {
    return help ? { kind: "help", path } : { kind: "command", path, words: words.slice(used) };
  }
  const word = words[used];
  if (word === undefined || HELP.has(word)) return { kind: "help", path };
  if (word.startsWith("-")) {
    throw usageError(
      `sion has no option ${quoteOddWord(word)}: ` +
        (VERSION_SLIPS.has(word)
          ? "did you mean --version"
          : "options stand after the command, see `sion help`"),
    );
  }
  throw unknownCommand(path, word, paths);
}

/** What is asked of a program that is one command. */
export function findAlone(words: readonly string[]): Parsed["kind"] {
  if (words[0] === "--version") return "version";
  return ownWords(words).some((word) => HELP.has(word)) ? "help" : "command";
}

/** The words before `--`. */
function ownWords(words: readonly string[]): readonly string[] {
  const ended = words.indexOf("--");
  return ended < 0 ? words : words.slice(0, ended);
}

function unknownCommand(group: string, word: string, paths: readonly string[]): Error {
  const path = join(group, word);
  const depth = path.split(" ").length;
  const heads = new Set(paths.map((known) => known.split(" ").slice(0, depth).join(" ")));
  const meant = closest(
    path,
    [...heads].filter((head) => group === "" || head.startsWith(`${group} `)),
  );
  const all = group === "" ? "`sion help`" : `\`sion ${group} --help\``;
  return usageError(
    `there is no command ${join(group, quoteOddWord(word))}: ` +
      (meant === undefined ? `${all} lists those there are` : `did you mean \`sion ${meant}\``),
  );
}

/** True when commands begin with these words. */
function isGroup(path: string, paths: readonly string[]): boolean {
  return paths.some((known) => known.startsWith(`${path} `));
}

function isPath(path: string, paths: readonly string[]): boolean {
  return paths.includes(path);
}

function join(path: string, word: string): string {
  return path === "" ? word : `${path} ${word}`;
}

/** A command's input, common options apart. */
export interface ParsedInput {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly common: CommonFlags;
}

/** What is given as text, before it is read. */
interface Given {
  readonly positional: string[];
  readonly flags: Map<string, string[]>;
}

/**
 * The input of a command from the words after its path.
 * @param env is looked at for options that have a variable.
 * @throws {SionError} `usage` and more
 */
export function parseInput(
  command: AnyCommand,
  words: readonly string[],
  env: Environment = {},
): ParsedInput {
  const flags = allFlags(command);
  const given = sortWords(command, flags, words);
  const variables = takeVariables(flags, given, env);
  const values = readFlags(flags, given.flags, variables);
  const args = readArguments(command, given.positional, values);
  checkNeeded(command, given.flags);
  const own = Object.keys(command.flags as Flags);
  const common = Object.fromEntries(Object.entries(values).filter(([name]) => !own.includes(name)));
  return {
    args,
    flags: Object.fromEntries(own.map((name) => [name, values[name]])),
    common: { json: false, ...common } as unknown as CommonFlags,
  };
}

/** The common options that are among the words, as far as they can be made out. Never throws. */
export function commonAtLeast(words: readonly string[]): { json: boolean; verbose: boolean } {
  const own = ownWords(words);
  return { json: own.includes("--json"), verbose: own.includes("--verbose") };
}

function sortWords(command: AnyCommand, flags: Flags, words: readonly string[]): Given {
  const names = new Map(Object.keys(flags).map((name) => [flagName(name), name]));
  const given: Given = { positional: [], flags: new Map() };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") {
      given.positional.push(...words.slice(at + 1));
      break;
    }
    // A dash alone is standard input; one before a digit or a point is a number.
    if (!word.startsWith("-") || /^-($|[\d.])/.test(word)) {
      given.positional.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const outside = equals < 0 ? word : word.slice(0, equals);
    const name = names.get(outside);
    if (name === undefined) throw unknownOption(command, outside, [...names.keys()]);
    const flag = flags[name] as Flag<unknown>;
    const inline = equals < 0 ? undefined : word.slice(equals + 1);
    const next = words[at + 1];
    const value = valueOf(command, outside, flag, inline, next);
    if (value.usedNext) at++;
    const before = given.flags.get(name) ?? [];
    if (before.length > 0 && flag.kind !== "list") {
      throw usageError(`${outside} is given twice: give it once`);
    }
    given.flags.set(name, [...before, value.text]);
  }
  return given;
}

function valueOf(
  command: AnyCommand,
  outside: string,
  flag: Flag<unknown>,
  inline: string | undefined,
  next: string | undefined,
): { readonly text: string; readonly usedNext: boolean } {
  if (flag.kind === "toggle") {
    if (inline === undefined) return { text: "", usedNext: false };
    throw usageError(`${outside} takes no value: write it without =${inline}`);
  }
  if (inline !== undefined) return { text: inline, usedNext: false };
  const isOption = next === undefined || /^--?[a-z]/i.test(next);
  if (!isOption) return { text: next, usedNext: true };
  if (flag.bare !== undefined) return { text: flag.bare, usedNext: false };
  throw usageError(
    `${outside} needs ${flag.reader?.placeholder ?? "a value"}: ` +
      `see \`${calledAs(command)} --help\``,
  );
}

function unknownOption(command: AnyCommand, outside: string, names: readonly string[]): Error {
  const meant = closest(outside, names);
  return usageError(
    `${calledAs(command)} has no option ${quoteOddWord(outside)}: ` +
      (meant === undefined ? `see \`${calledAs(command)} --help\`` : `did you mean ${meant}`),
  );
}

/** Takes what variables say of options that are not given; the names of those that were taken. */
function takeVariables(
  flags: Flags,
  given: Given,
  env: Environment,
): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const [name, { variable }] of Object.entries(flags)) {
    if (variable === undefined || given.flags.has(name)) continue;
    const text = env[variable] ?? "";
    if (text === "") continue;
    given.flags.set(name, [text]);
    taken.set(name, variable);
  }
  return taken;
}

/** @param variables where values are from that are not from options; errors name them. */
function readFlags(
  flags: Flags,
  given: Given["flags"],
  variables: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    const texts = given.get(name);
    const called = variables.get(name) ?? flagName(name);
    const read = (text: string): unknown => flag.reader?.read(text, called);
    if (flag.kind === "toggle") values[name] = texts !== undefined;
    else if (flag.kind === "list") values[name] = (texts ?? []).map(read);
    else values[name] = texts === undefined ? undefined : read(texts[0] as string);
  }
  return values;
}

function checkNeeded(command: AnyCommand, given: Given["flags"]): void {
  for (const [name, { needed, variable }] of Object.entries(command.flags as Flags)) {
    if (needed === undefined || given.has(name)) continue;
    const either = variable === undefined ? "" : ` or ${variable}`;
    throw usageError(`${calledAs(command)} needs ${flagName(name)}${either}: ${needed}`);
  }
}

function readArguments(
  command: AnyCommand,
  positional: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const wanted = Object.entries(command.args as Arguments);
  const values: Record<string, unknown> = {};
  for (const [index, [name, argument]] of wanted.entries()) {
    const text = positional[index];
    const { unless } = argument;
    if (unless !== undefined && flags[unless] !== undefined) {
      if (text === undefined) continue;
      throw usageError(
        `${calledAs(command)} takes no <${argumentName(name)}> with ${flagName(unless)}: ` +
          "leave one of them out",
      );
    }
    if (text === undefined) {
      if (argument.required) throw missingArgument(command, name);
      continue;
    }
    const read = (given: string): unknown =>
      (argument as Argument<unknown>).reader.read(given, `<${argumentName(name)}>`);
    values[name] = argument.rest === true ? positional.slice(index).map(read) : read(text);
  }
  const takesRest = wanted.at(-1)?.[1].rest === true;
  const surplus = takesRest ? undefined : positional[wanted.length];
  if (surplus !== undefined) {
    const shown = surplus.length > 40 ? `${surplus.slice(0, 40)}…` : surplus;
    if (command.asksSecret === true) {
      throw usageError(
        `${calledAs(command)} takes no value from the command line, where others can read it: ` +
          "leave it out, it is asked for, or give it through standard input",
      );
    }
    throw usageError(`${calledAs(command)} takes no ${quoteOddWord(shown)}: ${exampleOf(command)}`);
  }
  return values;
}

function missingArgument(command: AnyCommand, name: string): Error {
  return usageError(`${calledAs(command)} needs <${argumentName(name)}>: ${exampleOf(command)}`);
}

function exampleOf(command: AnyCommand): string {
  const [first] = command.examples;
  return first === undefined
    ? `see \`${calledAs(command)} --help\``
    : `for example \`${first[0]}\``;
}
