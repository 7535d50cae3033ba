/** Reads a skill's instructions, or another text of its files. */
import * as z from "zod";
import { utf8Text } from "#internal/core/mod.ts";
import { refused } from "#internal/mcp/mod.ts";
import { MAX_INSTRUCTIONS_BYTES, readSkillFile, SKILL_FILE } from "../skills/mod.ts";
import { NAME_DESCRIPTION, skillFailure, skillsOf } from "./_skills.ts";
import { defineAgentTool } from "./_tool.ts";

/** Text of an answer, characters: instructions fit whole. */
const ANSWER_LENGTH = MAX_INSTRUCTIONS_BYTES + 1_024;
const MAX_PATH_LENGTH = 500;

export const skillRead = defineAgentTool({
  name: "skill_read",
  title: "Read a skill",
  description:
    "Read a skill's instructions (SKILL.md), or another of its text files that they name.",
  input: () =>
    z.strictObject({
      name: z.string().min(1).describe(NAME_DESCRIPTION),
      path: z.string().min(1).max(MAX_PATH_LENGTH).exactOptional()
        .describe(`A file of the skill, like references/api.md (default ${SKILL_FILE})`),
    }),
  needs: ["skills"],
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "name",
  fromPrograms: true,
  outputLimitBytes: ANSWER_LENGTH,
  async run(context, { name, path = SKILL_FILE }) {
    const skills = skillsOf(context);
    try {
      const bytes = await readSkillFile(skills.place, await skills.find(name), path);
      return { ok: true, text: utf8Text(bytes).trimEnd() };
    } catch (error) {
      if (!(error instanceof SyntaxError)) return skillFailure(error);
      return refused("skill-file", `${path} is no text: its scripts may use it, with skill_run`);
    }
  },
});
