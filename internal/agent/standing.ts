/**
 * Rules of what a session may do without asking: `tool(exact)` is that call again, `tool(prefix:*)`
 * any whose main argument begins so. A bare tool's name is no rule. They come from a person who
 * approved a call always, and from skills that were reviewed with theirs.
 */
import { stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { AgentError } from "./errors.ts";
import type { CallRule } from "./state.ts";

/** Characters of a rule. */
const MAX_LENGTH = 2_000;
const RULE = /^([A-Za-z0-9_-]{1,64})\((.*)\)$/su;
/** What in a command line begins another one, sends it elsewhere, or is filled in by the shell. */
const NOT_PLAIN = /[;&|<>$`(){}[\]*?~!#\\\p{Cc}]|^\s*\w+=/u;
/** Programs that run what they are given, or others. */
const RUNS_OTHERS = new Set(
  ("sh bash dash zsh fish ksh env sudo su doas exec eval source . xargs find nohup timeout time nice " +
    "watch parallel ssh docker podman python python2 python3 node deno bun perl ruby php lua awk gawk " +
    "sed osascript pwsh make npx pipx uvx").split(" "),
);
/** Programs, and words after a program, that delete. */
const DELETES = new Set(
  "rm rmdir unlink shred truncate dd mkfs clean reset prune purge".split(" "),
);

/** What of a tool rules go by. */
interface RuledTool {
  readonly name: string;
  /** The argument that a rule is about; missing where it is the whole input. */
  readonly mainArgument?: string | undefined;
  /** Set where calls name files. */
  readonly paths?: unknown;
}

/** Reads a rule. @throws {AgentError} `rule` in one sentence */
export function parseRule(text: string): CallRule {
  const wanted = text.trim();
  const [, tool, inner] = RULE.exec(wanted) ?? [];
  if (tool === undefined || inner === undefined || wanted.length > MAX_LENGTH) {
    throw noRule(wanted, "give a tool and what it may be called with");
  }
  const prefix = inner.endsWith(":*");
  const of = prefix ? inner.slice(0, -2) : inner;
  if (of.trim() === "" || of.trim() === "*") throw noRule(wanted, "it would allow every call");
  return { tool, text: of, prefix };
}

/** A rule as it is written. */
export function ruleText({ tool, text, prefix }: CallRule): string {
  return `${tool}(${text}${prefix ? ":*" : ""})`;
}

/** The rule of this very call, or why there is none for it. */
export function ruleOf(tool: RuledTool, input: JsonValue): CallRule | { readonly none: string } {
  const main = mainOf(tool, input);
  const problem = main === undefined ? undefined : commandProblem(tool, main);
  if (problem !== undefined) return { none: problem };
  const only = main !== undefined && Object.keys(input as object).length === 1;
  const text = only ? main : stringifyJson(input);
  const rule = { tool: tool.name, text, prefix: false };
  if (ruleText(rule).length > MAX_LENGTH || text.endsWith(":*")) {
    return { none: "the call is too long or unusual for a rule" };
  }
  return rule;
}

/**
 * The rule that a person is offered for a call: of the same file, or the same command, whatever else
 * the call has; of other tools, this very call. Nothing where there is none.
 */
export function offeredRule(tool: RuledTool, input: JsonValue): CallRule | undefined {
  const exact = ruleOf(tool, input);
  if ("none" in exact) return undefined;
  const main = mainOf(tool, input);
  if (main === undefined || (tool.paths === undefined && !isCommand(tool))) return exact;
  const rule = { tool: tool.name, text: main, prefix: false };
  const isUnusual = main.endsWith(":*") || main.trim() === "*" || main.startsWith("{") ||
    main !== main.trim();
  return isUnusual ? exact : rule;
}

/** What keeps a rule from being given for calls of a tool, whatever the call. */
export function ruleProblem(tool: RuledTool, { text, prefix }: CallRule): string | undefined {
  if (prefix && tool.mainArgument === undefined) {
    return `${tool.name} has no main argument, so a rule for it names the whole call`;
  }
  return text.startsWith("{") ? undefined : commandProblem(tool, text);
}

/** Whether a rule is about a call. */
export function ruleMatches(rule: CallRule, tool: RuledTool, input: JsonValue): boolean {
  if (rule.tool !== tool.name) return false;
  const main = mainOf(tool, input);
  if (main !== undefined && commandProblem(tool, main) !== undefined) return false;
  if (!rule.prefix) return rule.text === main || rule.text === stringifyJson(input);
  return main !== undefined && beginsWith(main, rule.text, isCommand(tool));
}

/** A prefix ends where a part of the argument does: a word of a command, a component of a path. */
function beginsWith(main: string, prefix: string, command: boolean): boolean {
  if (main.split(/[/\\]/).includes("..") || !main.startsWith(prefix)) return false;
  const next = main.charAt(prefix.length);
  if (next === "" || /\s$/u.test(prefix)) return true;
  return command ? /\s/u.test(next) : /[\s/?#]/u.test(next) || /[/?#]$/u.test(prefix);
}

function mainOf({ mainArgument }: RuledTool, input: JsonValue): string | undefined {
  if (mainArgument === undefined || input === null || typeof input !== "object") return undefined;
  const value = (input as { readonly [name: string]: JsonValue | undefined })[mainArgument];
  return typeof value === "string" ? value : undefined;
}

function isCommand({ mainArgument }: RuledTool): boolean {
  return mainArgument === "command";
}

/** Why a command line is approved one at a time. */
function commandProblem(tool: RuledTool, line: string): string | undefined {
  if (!isCommand(tool)) return undefined;
  const [odd] = NOT_PLAIN.exec(line) ?? [];
  if (odd !== undefined) {
    return `the command holds ${JSON.stringify(odd)}, so it is approved one at a time`;
  }
  const words = line.trim().split(/\s+/u);
  const program = words[0]?.replace(/^.*\//u, "").replace(/[\d.]+$/u, "") ?? "";
  if (RUNS_OTHERS.has(program) || RUNS_OTHERS.has(words[0] ?? "")) {
    return `${program} runs what it is given, so it is approved one at a time`;
  }
  const deleting = [program, ...words.slice(1)].find((word) =>
    DELETES.has(word) || /^--?(?:delete|remove|force|hard)$/u.test(word)
  );
  return deleting === undefined
    ? undefined
    : `${deleting} deletes, so it is approved one at a time`;
}

function noRule(text: string, why: string): AgentError {
  const shown = text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}…`;
  return new AgentError(
    "rule",
    `${shown} is no rule (${why}): write one like write_file(notes:*) or shell(git status)`,
  );
}
