/**
 * A command as data: what it is called, what it takes, examples, and what it does. Parsing, help,
 * completion and the reference all derive from it.
 */
import type { CommandContext } from "./context.ts";

/** How one value is read from its text. */
export interface Reader<T> {
  /** What stands for the value in help: `USD`, `NAME`, `URL`. */
  readonly placeholder: string;
  /** @throws {SionError} `usage` or a code of its own, with a sentence that names the value. */
  read(text: string, what: string): T;
  /** What completion offers. */
  readonly offers?: "wallets" | "profiles" | "profiles-wallets" | "files" | readonly string[];
}

/** An argument by position. */
export interface Argument<T> {
  readonly reader: Reader<unknown>;
  readonly about: string;
  readonly required: boolean;
  /** The option, by the name that `run` knows it by, that takes its place. */
  readonly unless?: string;
  /** All words from here on, as a list; only the last argument can be. Options end at `--`. */
  readonly rest?: true;
  /** Carries the type only. */
  readonly type?: T;
}

/** An option `--name`; `value` options take one, `toggle` options none, `list` options repeat. */
export interface Flag<T> {
  readonly kind: "toggle" | "value" | "list";
  /** Missing for a toggle. */
  readonly reader?: Reader<unknown>;
  readonly about: string;
  /** Help says what holds without it. */
  readonly default?: string;
  /** It must be given: what to do about it, after `needs --option: `. */
  readonly needed?: string;
  /** A value that may be left out: `--option` alone is this text. */
  readonly bare?: string;
  /** The environment variable that is looked at without the option. */
  readonly variable?: string;
  readonly type?: T;
}

/** Arguments in order, by the name that `run` knows them by. */
export type Arguments = { readonly [name: string]: Argument<unknown> };
/** Options by the name that `run` knows them by; `validFor` is `--valid-for` outside. */
export type Flags = { readonly [name: string]: Flag<unknown> };

/** What `run` gets. */
export interface Input<A extends Arguments, F extends Flags> {
  readonly args: { readonly [K in keyof A]: A[K] extends Argument<infer T> ? T : never };
  readonly flags: { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };
}

/** A line to type and what it does. */
export type Example = readonly [line: string, does: string];

/** What a command declares. */
export interface Command<A extends Arguments = Arguments, F extends Flags = Flags> {
  /** The words after `sion`, as in `wallet new`. */
  readonly path: string;
  /** The name of the program that this command alone is, if it is one. */
  readonly program?: string;
  /** One sentence or two. */
  readonly brief: string;
  readonly args: A;
  readonly flags: F;
  readonly examples: readonly Example[];
  /** What `--json` prints, as in `as sion_pay returns it`; `null`: it has no such option. */
  readonly json: string | null;
  /** Whether it talks to a node, and so takes `--node` and `--chain`. */
  readonly node: boolean;
  /** Whether it goes on until it is stopped, and so ends when nobody reads it. */
  readonly endless?: boolean;
  /** Set where a word too many may be a secret: errors do not quote it. */
  readonly asksSecret?: true;
  /** Codes in which it may end besides 0 and 1, for the reference. */
  readonly exits?: readonly number[];
  /** Exit codes of errors, by their codes, that are others here than the table of errors has. */
  readonly errorExits?: { readonly [code: string]: number };
  /** @returns the exit code; nothing is 0. */
  run(context: CommandContext, input: Input<A, F>): Promise<number | void>;
}

// deno-lint-ignore no-explicit-any -- a registry holds commands of all inputs
export type AnyCommand = Command<any, any>;

/** Declares a command; what `run` gets is derived from its arguments and options. */
export function defineCommand<const A extends Arguments, const F extends Flags>(
  command: Command<A, F>,
): Command<A, F> {
  return command;
}

/** An argument that must be given. */
export function argument<T>(reader: Reader<T>, about: string): Argument<T> {
  return { reader, about, required: true };
}

/** An argument that must be given, but not with the option that takes its place. Only the last ones can be. */
export function argumentUnless<T>(
  unless: string,
  reader: Reader<T>,
  about: string,
): Argument<T | undefined> {
  return { reader, about, required: true, unless };
}

/** An argument that may be left out. Only the last ones can be. */
export function optionalArgument<T>(reader: Reader<T>, about: string): Argument<T | undefined> {
  return { reader, about, required: false };
}

/** All the words that are left, at least one: what stands after `--`. Only the last one can be. */
export function restArguments<T>(reader: Reader<T>, about: string): Argument<readonly T[]> {
  return { reader, about, required: true, rest: true };
}

/** An option without a value. */
export function toggle(about: string): Flag<boolean> {
  return { kind: "toggle", about };
}

/** An option with a value. */
export function value<T>(
  reader: Reader<T>,
  about: string,
  options: { readonly default?: string; readonly bare?: string } = {},
): Flag<T | undefined> {
  return { kind: "value", reader, about, ...options };
}

/** An option with a value that must be given. @param needed what to do when it is not. */
export function neededValue<T>(reader: Reader<T>, about: string, needed: string): Flag<T> {
  return { kind: "value", reader, about, needed };
}

/** An option that can be given several times. */
export function list<T>(reader: Reader<T>, about: string): Flag<readonly T[]> {
  return { kind: "list", reader, about };
}

/** An option that must be given, and can be several times. @param needed what to do when it is not. */
export function neededList<T>(
  reader: Reader<T>,
  about: string,
  needed: string,
): Flag<readonly T[]> {
  return { kind: "list", reader, about, needed };
}

/** `validFor` → `--valid-for`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const COMMON = {
  node: value<string>(
    { placeholder: "URL", read: (text) => text },
    "the node to use",
    { default: "SION_NODE; default http://127.0.0.1:8400" },
  ),
  chain: value<string>(
    { placeholder: "HEX", read: (text) => text },
    "insist on the chain of this identity",
  ),
  home: value<string>(
    { placeholder: "DIR", read: (text) => text, offers: "files" },
    "where wallets and sessions are kept",
    { default: "SION_HOME; default ~/.sion" },
  ),
  verbose: toggle("say more about an error: what lies below it"),
  noColor: toggle("no colour, as with NO_COLOR"),
  plain: toggle("lines only, nothing redrawn, as with ACCESSIBLE=1"),
};

/** The values of the options that every command has. */
export type CommonFlags = Input<Arguments, typeof COMMON>["flags"] & { readonly json: boolean };

/** All options of a command, its own first. */
export function allFlags(command: AnyCommand): Flags {
  const { node, chain, ...everywhere } = COMMON;
  return {
    ...command.flags as Flags,
    ...(command.node ? { node, chain } : {}),
    ...(command.json === null ? {} : { json: toggle(jsonAbout(command.json)) }),
    ...everywhere,
  };
}

/** What `--json` does, from what a command says it prints. */
function jsonAbout(prints: string): string {
  if (prints.startsWith("one object")) return `JSON on stdout, ${prints}`;
  return `one JSON value on stdout${prints.startsWith("as ") ? "," : ":"} ${prints}`;
}

/** What is typed before its arguments: `sion wallet new`, or a program's name. */
export function calledAs({ program, path }: Pick<AnyCommand, "program" | "path">): string {
  return program ?? `sion ${path}`;
}

/** How a command is called: `sion pay <wallet> <to> <amount>`. */
export function usageOf(command: AnyCommand): string {
  return usageWith(command, Object.entries(command.args as Arguments));
}

/** Each way in which a command is called: `sion pay <wallet> --batch <file>` too. */
export function usagesOf(command: AnyCommand): readonly string[] {
  const args = Object.entries(command.args as Arguments);
  const instead = new Set(args.flatMap(([, { unless }]) => unless ?? []));
  const others = [...instead].map((option) => {
    const rest = args.filter(([, { unless }]) => unless !== option);
    const flag = (command.flags as Flags)[option] as Flag<unknown>;
    return `${usageWith(command, rest)} ${optionUsage(option, flag)}`;
  });
  return [usageOf(command), ...others];
}

function usageWith(
  command: AnyCommand,
  args: readonly (readonly [string, Argument<unknown>])[],
): string {
  const words = args.filter(([, { rest }]) => rest !== true).map(([name, { required }]) =>
    required ? `<${argumentName(name)}>` : `[<${argumentName(name)}>]`
  );
  const rest = args.filter(([, one]) => one.rest === true)
    .map(([name]) => `-- <${argumentName(name)}> …`);
  const needed = Object.entries(command.flags as Flags).filter(([, flag]) => flag.needed)
    .map(([name, flag]) => optionUsage(name, flag));
  return [calledAs(command), ...words, ...needed, ...rest].join(" ");
}

function optionUsage(name: string, { reader }: Flag<unknown>): string {
  return flagName(name) + (reader === undefined ? "" : ` <${reader.placeholder.toLowerCase()}>`);
}

/** `agentId` → `agent-id`, as help shows it between angle brackets. */
export function argumentName(name: string): string {
  return flagName(name).slice(2);
}
