/** Skills as commands take and show them. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Asks, Declaration, SkillFile, SkillsPlace } from "#internal/agent/mod.ts";
import { concatBytes, shortId } from "#internal/core/mod.ts";
import { displayPath, download, readFileIfThere } from "#internal/runtime/mod.ts";
import type { Reader } from "../command.ts";
import { list, toggle } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { usageError } from "../errors.ts";
import { oneOf, text } from "../readers.ts";

/** Characters of an answer to a question. */
const MAX_ANSWER_BYTES = 1_000;
const KINDS = ["hosts", "secrets", "pre-approvals"] as const;

/** The name of a skill. */
export const skillName: Reader<string> = text("NAME");

/** What every command has that grants. */
export const grantFlags = {
  without: list(
    oneOf(...KINDS),
    "grant everything that it asks for but these: hosts, secrets or pre-approvals",
  ),
  yes: toggle("go on without asking, as where nobody sits at a terminal"),
};

/** Where this command's skills are. */
export function skillsPlace({ home, env }: CommandContext): SkillsPlace {
  return { home, env };
}

/** What is granted of what is asked for. */
export function grantedOf(
  { hosts, secrets, preApproved }: Asks,
  without: readonly (typeof KINDS)[number][],
): Asks {
  const unless = (kind: (typeof KINDS)[number], asked: readonly string[]): readonly string[] =>
    without.includes(kind) ? [] : asked;
  return {
    hosts: unless("hosts", hosts),
    secrets: unless("secrets", secrets),
    preApproved: unless("pre-approvals", preApproved),
  };
}

/** What a skill asks for or was granted, as a value. */
export function asksValue({ hosts, secrets, preApproved }: Asks): object {
  return { hosts, pre_approvals: preApproved, secrets };
}

/** Files that may be a skill: a bundle's or a folder's. */
export interface GivenSkill {
  readonly declaration: Declaration;
  readonly files: readonly SkillFile[];
  /** Of a bundle. */
  readonly digest?: string;
}

/** The bundle of a file or URL. @throws {SionError} `skill`, `download`, `usage` */
export async function givenBundle(
  context: CommandContext,
  where: string,
  allowPrivate = false,
): Promise<GivenSkill & { readonly digest: string }> {
  const { MAX_BUNDLE_BYTES, readBundle } = await import("#internal/agent/mod.ts");
  const { env, cwd, signal, output } = context;
  if (isUrl(where)) {
    output.waiting("the bundle");
    const pieces: Uint8Array[] = [];
    // Its digest is known beforehand, so that it does not matter who could change it on its way.
    const request = {
      url: where,
      mostBytes: MAX_BUNDLE_BYTES,
      allowPlain: true,
      allowPrivate,
      signal,
    };
    for await (const piece of download(request)) pieces.push(piece);
    output.waiting(undefined);
    return await readBundle(concatBytes(...pieces), where);
  }
  const path = resolve(cwd, where);
  const shown = displayPath(path, env);
  const bytes = await readFileIfThere(path, { mostBytes: MAX_BUNDLE_BYTES, shownAs: shown });
  if (bytes === undefined) throw usageError(`there is no file ${where}: give a bundle of a skill`);
  return await readBundle(bytes, shown);
}

/** Whether a word names a URL rather than a path. */
export function isUrl(where: string): boolean {
  return /^https?:\/\//i.test(where);
}

/** The skill in a folder, or of a bundle, that a path names; nothing where it names none. */
export async function skillAt(
  context: CommandContext,
  where: string,
): Promise<GivenSkill | undefined> {
  const path = resolve(context.cwd, where);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !/[./\\]/.test(where)) return undefined;
  if (!found.isDirectory()) return await givenBundle(context, where);
  const { packBundle, readBundle, readSkillFolder } = await import("#internal/agent/mod.ts");
  const shown = displayPath(path, context.env);
  const files = await readSkillFolder(path, { shown });
  const { declaration } = await readBundle(packBundle(files), shown);
  return { declaration, files };
}

/**
 * Whether somebody at the terminal says yes; with `--yes` nobody is asked.
 * @param wanted what to give where nobody can be asked
 * @throws {SionError} `usage` where nobody can be asked
 */
export async function agreed(
  context: CommandContext,
  yes: boolean,
  question: string,
): Promise<boolean> {
  if (yes) return true;
  const { input, json, output } = context;
  if (!input.isTty || json) {
    throw usageError(
      "this asks first, and nobody can answer here: give --yes, nothing was changed",
    );
  }
  output.stderr.write(`${question} [y/N] `);
  for await (const line of context.readLines(MAX_ANSWER_BYTES)) {
    return /^\s*y(?:es)?\s*$/i.test(line);
  }
  return false;
}

/** A release's claim as a sentence names it. */
export function claimText(claim: string | undefined): string {
  return claim === undefined ? "no claim" : `claim ${shortId(claim)}`;
}
