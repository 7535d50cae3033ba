/** Skills: instructions for kinds of work, and the scripts that come with them. */
import { resolve } from "node:path";
import * as z from "zod";
import { createRedactor } from "#internal/core/mod.ts";
import type { Redactor } from "#internal/core/mod.ts";
import { AgentError } from "../errors.ts";
import type { Brought } from "../pre_approvals.ts";
import type { Skill, SkillsPlace } from "../skills/mod.ts";
import { checkedSkill, findSkill, listSkills, skillNames } from "../skills/mod.ts";
import { defineCapability } from "./_capability.ts";
import type { CapabilityMachine } from "./_capability.ts";

/** Skills of one session that are named, and what the model is told of all, characters. */
const MAX_NAMED = 100;
const MAX_TOLD = 24_000;
/** `--skill none`. */
const NONE = "none";

/** Secrets of a skill, for one run of a script of its. */
export interface SkillSecrets {
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Names that were granted and are nowhere kept. */
  readonly missing: readonly string[];
  /** Cuts them out of what the script prints. */
  readonly redactor: Redactor;
}

/** What the tools of skills are handed. */
export interface SkillsService {
  readonly place: SkillsPlace;
  /** Whether it has all skills of the machine, those too that come while it works. */
  readonly all: boolean;
  /** A skill of the session, as it is now. @throws {AgentError} `skill-unknown`, `skill-changed`, `skill` */
  find(name: string): Promise<Skill>;
  secrets(skill: Skill): Promise<SkillSecrets>;
  /** As they were when the session began to work. */
  readonly known: readonly Skill[];
}

/** `--skill NAME`, as often as needed; without it, all that are here. */
export const skills = defineCapability({
  name: "skills",
  options: [{
    name: "skill",
    kind: "list",
    placeholder: "NAME",
    about: "a skill that it has; none: no skill (default all that are here)",
  }],
  settings: z.strictObject({ only: z.array(z.string()).max(MAX_NAMED).exactOptional() }),
  async read(given, machine) {
    const place = placeOn(machine);
    const names = Array.isArray(given["skill"])
      ? [...new Set(given["skill"] as readonly string[])]
      : [];
    if (names.length === 0) return (await skillNames(place)).length === 0 ? undefined : {};
    if (names.includes(NONE)) {
      if (names.length === 1) return undefined;
      throw new AgentError("option", "--skill none means no skill: give it alone, or the names");
    }
    if (names.length > MAX_NAMED) {
      throw new AgentError(
        "option",
        `--skill is given ${names.length} times: at most ${MAX_NAMED}`,
      );
    }
    for (const name of names) await checkedSkill(place, await findSkill(place, name));
    return { only: names };
  },
  async open({ only }, machine): Promise<SkillsService> {
    const place = placeOn(machine);
    const listed = (await listSkills(place)).filter(({ name }) => only?.includes(name) ?? true);
    const known: Skill[] = [];
    for (const one of listed) {
      if ("problem" in one) machine.notice(`skill ${one.name} is not used: ${one.problem}`);
      else known.push(one);
    }
    return {
      place,
      all: only === undefined,
      known,
      async find(name) {
        if (only === undefined || only.includes(name)) return await findSkill(place, name);
        throw new AgentError(
          "skill-unknown",
          `this session has no skill ${name.slice(0, 70)}, it has ${only.join(", ")}`,
        );
      },
      secrets: (skill) => secretsOf(skill, machine),
    };
  },
  instructions(_settings, { known }) {
    if (known.length === 0) return undefined;
    const lines = known.map(({ name, declaration }) => `- ${name}: ${declaration.description}`);
    const shown = upTo(lines, MAX_TOLD);
    const more = lines.length - shown.length;
    return [
      "You have skills, instructions for kinds of work. When a task is of such a kind, read the skill " +
      "with skill_read before you begin, and do as it says:",
      ...shown,
      ...(more === 0 ? [] : [`and ${more} more, which --skill would choose`]),
    ].join("\n");
  },
  preApproves: ({ known }): readonly Brought[] =>
    known.flatMap(({ name, granted: { preApproved } }) =>
      preApproved.length === 0 ? [] : [{ from: `skill ${name}`, rules: preApproved }]
    ),
});

function placeOn({ cwd, home, env }: CapabilityMachine): SkillsPlace {
  return { home: resolve(cwd, home), env };
}

async function secretsOf(
  { granted }: Skill,
  { secrets, env: all }: CapabilityMachine,
): Promise<SkillSecrets> {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of granted.secrets) {
    const value = await (secrets?.find(name) ?? all[name]);
    if (value === undefined || value === "") missing.push(name);
    else env[name] = value;
  }
  // A setting, which may be shown, is one too once a script gets it as a secret.
  return { env, missing, redactor: createRedactor(Object.entries(env)) };
}

function upTo(lines: readonly string[], most: number): readonly string[] {
  let length = 0;
  return lines.filter((line) => (length += line.length) <= most);
}
