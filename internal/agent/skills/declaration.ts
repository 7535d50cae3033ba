/**
 * What a skill says of itself: the front matter of its `SKILL.md`, as the open Agent Skills format has
 * it, with what sion reads besides in `metadata`. All of it is a claim of its author's: what a skill
 * may really do is what the operator granted.
 */
import type * as yaml from "yaml";
import * as z from "zod";
import { messageOf } from "#internal/core/mod.ts";
import { isCredentialName } from "#internal/store/mod.ts";
import { AgentError } from "../errors.ts";
import { parseRule, ruleText } from "../standing.ts";

/** Where a skill's instructions are. */
export const SKILL_FILE = "SKILL.md";
/** Bytes of that file; the format recommends far fewer, as models read it whole. */
export const MAX_INSTRUCTIONS_BYTES = 128 << 10;
const MAX_FRONT_MATTER = 16 << 10;
/** The format has 1,024 characters; some that are used have more, of which models are shown so many. */
const MAX_DESCRIPTION = 4_096;
const SHOWN_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const MAX_LICENSE = 500;
const MAX_METADATA = 64;
/** Hosts, secrets and rules of one skill, each. */
const MAX_DECLARED = 32;
/** Small letters, digits and single hyphens, as the format has it. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** `--skill none` means no skill. */
const RESERVED = ["none"];
const HOST =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
/** Variables by which programs are led to run something else; a skill's secret never is one. */
const LEADING =
  /^(?:LD_|DYLD_|PYTHON|NODE_|PERL5|RUBY|BASH_|GIT_|(?:PATH|HOME|ENV|IFS|SHELL)$)|_PROXY$/;

/** What a skill asks for beyond reading its files and writing the workspace. */
export interface Asks {
  /** Hosts that its scripts want to reach, lower case. */
  readonly hosts: readonly string[];
  /** Names of credentials that its scripts want as environment variables. */
  readonly secrets: readonly string[];
  /** Calls that are to run without asking, as `shell(git status:*)`. */
  readonly preApproved: readonly string[];
}

/** A skill's `SKILL.md`. */
export interface Declaration extends Asks {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  /** Further facts, as they stand there. */
  readonly metadata: ReadonlyMap<string, string>;
  /** What of `allowed-tools` is no rule here, for whoever reviews. */
  readonly passedOver: readonly string[];
  /** The whole file, with its front matter. */
  readonly text: string;
}

/** Whether a text can be a skill's name. */
export function isSkillName(text: string): boolean {
  return NAME.test(text) && !RESERVED.includes(text);
}

const text = (most: number) => z.string().trim().min(1).max(most);

/** Other members are other programs' and mean nothing here. */
const frontMatterSchema = z.object({
  name: z.string(),
  description: text(MAX_DESCRIPTION),
  license: text(MAX_LICENSE).optional(),
  compatibility: text(MAX_COMPATIBILITY).optional(),
  metadata: z.map(z.string().max(256), z.unknown()).refine(
    ({ size }) => size <= MAX_METADATA,
    `at most ${MAX_METADATA} are taken`,
  ).optional(),
  "allowed-tools": z.union([z.string(), z.array(z.string())]).optional(),
});

/**
 * Reads the text of a `SKILL.md`.
 * @param where how errors name it @throws {AgentError} `skill`
 */
export async function readDeclaration(text: string, where: string): Promise<Declaration> {
  const wrong = (why: string, cause?: unknown): AgentError =>
    new AgentError("skill", `${where} is no skill's (${why}): mend it`, { cause });
  const plain = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const matter = /^---[ \t]*\n(.*?)^---[ \t]*$/ms.exec(plain)?.[1];
  if (matter === undefined) throw wrong("it does not begin with front matter between --- lines");
  if (matter.length > MAX_FRONT_MATTER) {
    throw wrong(`its front matter has more than ${MAX_FRONT_MATTER} characters`);
  }
  const found = frontMatterSchema.safeParse(Object.fromEntries(await membersOf(matter, wrong)));
  if (!found.success) {
    const [issue] = found.error.issues;
    const at = issue?.path.join(".") ?? "";
    throw wrong(`${at === "" ? "" : `${at}: `}${issue?.message ?? "unreadable"}`);
  }
  const { name, description, license, compatibility, metadata = new Map() } = found.data;
  if (!isSkillName(name)) {
    throw wrong(`its name ${JSON.stringify(name.slice(0, 70))} is none: small letters, digits, -`);
  }
  const facts = new Map(
    [...metadata].flatMap(([key, value]): [string, string][] =>
      typeof value === "string" ? [[key, value]] : []
    ),
  );
  const { rules, passedOver } = rulesOf(found.data["allowed-tools"] ?? "");
  const asks: Asks = {
    hosts: wordsOf(facts.get("sion-network")).map((host) => host.toLowerCase()),
    secrets: wordsOf(facts.get("sion-secrets")),
    preApproved: rules,
  };
  const problem = askingProblem(asks);
  if (problem !== undefined) throw wrong(problem);
  return {
    ...asks,
    name,
    description: shownDescription(description),
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    metadata: facts,
    passedOver,
    text,
  };
}

function shownDescription(given: string): string {
  const line = given.replaceAll(/\s+/g, " ");
  if (line.length <= SHOWN_DESCRIPTION) return line;
  return `${line.slice(0, SHOWN_DESCRIPTION - 2).toWellFormed()} …`;
}

/**
 * The members of front matter, every scalar as its text: a version `1.0` is no number. Aliases, tags
 * and merges, by which a few bytes become many or something else, are refused.
 */
async function membersOf(
  matter: string,
  wrong: (why: string, cause?: unknown) => AgentError,
): Promise<readonly (readonly [string, unknown])[]> {
  const { parseDocument } = await import("yaml");
  let value: unknown;
  let document: yaml.Document.Parsed;
  try {
    document = parseDocument(matter, { schema: "failsafe", merge: false, version: "1.2" });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw fault;
    value = document.toJS({ mapAsMap: true, maxAliasCount: 0 });
  } catch (cause) {
    const line = messageOf(cause).split("\n")[0] ?? "";
    throw wrong(`its front matter is no YAML: ${line.replace(/:$/, "")}`, cause);
  }
  if (!(value instanceof Map)) throw wrong("its front matter has no members");
  return [...value as Map<unknown, unknown>].filter((entry): entry is [string, unknown] =>
    typeof entry[0] === "string" && Object.hasOwn(frontMatterSchema.shape, entry[0])
  );
}

/** Words of one text, between spaces or commas. */
function wordsOf(given = ""): string[] {
  return [...new Set(given.split(/[\s,]+/).filter((word) => word !== ""))];
}

/** `allowed-tools`: between spaces or commas, but not in a rule's brackets. */
function rulesOf(given: string | readonly string[]): {
  readonly rules: readonly string[];
  readonly passedOver: readonly string[];
} {
  const words = typeof given === "string"
    ? given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []
    : given.map((word) => word.trim());
  const rules: string[] = [];
  const passedOver: string[] = [];
  for (const word of new Set(words)) {
    // The format's first program calls its shell so.
    const known = word.replace(/^Bash\(/, "shell(");
    try {
      rules.push(ruleText(parseRule(known)));
    } catch {
      passedOver.push(word);
    }
  }
  return { rules, passedOver };
}

function askingProblem({ hosts, secrets, preApproved }: Asks): string | undefined {
  const host = hosts.find((one) => !HOST.test(one));
  if (host !== undefined) return `sion-network: ${JSON.stringify(host.slice(0, 80))} is no host`;
  const secret = secrets.find((one) => !isCredentialName(one) || LEADING.test(one.toUpperCase()));
  if (secret !== undefined) {
    return `sion-secrets: ${JSON.stringify(secret.slice(0, 80))} is no name of a secret`;
  }
  return [hosts, secrets, preApproved].some(({ length }) => length > MAX_DECLARED)
    ? `it declares more than ${MAX_DECLARED} hosts, secrets or rules`
    : undefined;
}
