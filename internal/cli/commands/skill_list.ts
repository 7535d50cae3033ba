import type { ListedSkill } from "#internal/agent/mod.ts";
import { shortId } from "#internal/core/mod.ts";
import { defineCommand } from "../command.ts";
import { skillsPlace } from "./_skills.ts";

export const command = defineCommand({
  path: "skill list",
  brief: "List the skills of this machine: releases that were installed and those that you put " +
    "there, and what is wrong with one that cannot be used.",
  args: {},
  flags: {},
  examples: [["sion skill list", "one a line"]],
  json: "[{name, description, digest, problem}]",
  node: false,
  async run(context) {
    const { output, json } = context;
    const { listSkills } = await import("#internal/agent/mod.ts");
    const listed = await listSkills(skillsPlace(context));
    if (json) return output.json(listed.map(valueOf));
    for (const skill of listed) output.line(lineOf(skill));
    if (listed.length === 0) {
      output.note("no skills: `sion skill install --help` says how one comes here");
    }
  },
});

function valueOf(skill: ListedSkill): object {
  const { name } = skill;
  if ("problem" in skill) return { description: null, digest: null, name, problem: skill.problem };
  const { release, declaration: { description } } = skill;
  return { description, digest: release?.digest ?? null, name, problem: null };
}

function lineOf(skill: ListedSkill): string {
  if ("problem" in skill) return `${skill.name}: not used: ${skill.problem}`;
  const { name, release, declaration: { description } } = skill;
  const which = release === undefined ? "yours" : `release ${shortId(release.digest)}`;
  return `${name} (${which}): ${description}`;
}
