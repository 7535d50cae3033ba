/** Writes a skill's instructions, never its scripts. */
import * as z from "zod";
import { refused } from "#internal/mcp/mod.ts";
import { MAX_INSTRUCTIONS_BYTES, writeInstructions } from "../skills/mod.ts";
import { skillFailure, skillsOf } from "./_skills.ts";
import { defineAgentTool } from "./_tool.ts";

const DONE = { changed: "wrote", made: "made", same: "nothing to change in" } as const;

/** Not in the journal: writing the same again changes nothing. */
export const skillWrite = defineAgentTool({
  name: "skill_write",
  title: "Write a skill's instructions",
  description:
    "Write the instructions (SKILL.md) of a skill of yours, or make a new skill that is " +
    "instructions alone: what you learned and will need again. Installed releases stay as they are.",
  input: () =>
    z.strictObject({
      content: z.string().min(1).max(MAX_INSTRUCTIONS_BYTES).describe(
        "The whole new SKILL.md: front matter between --- lines with name and description, then the " +
          "instructions",
      ),
      name: z.string().min(1).describe("The skill's name: small letters, digits and -"),
    }),
  needs: ["skills"],
  highestEffect: "external",
  // Later sessions do as it says: nothing that strangers wrote gets there unseen.
  effect: (_input, { outside }) => outside.length > 0 ? "external" : "write",
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "name",
  fromPrograms: false,
  says: ({ name }) => `writes the instructions of skill ${name}, which later sessions go by`,
  async run(context, { name, content }) {
    const skills = skillsOf(context);
    if (!content.isWellFormed()) {
      return refused("argument", "content holds half of a character: give whole ones");
    }
    try {
      if (!skills.all) await skills.find(name);
      const done = await writeInstructions(skills.place, {
        name,
        text: content,
        mayMake: skills.all,
      });
      return { ok: true, text: `${DONE[done]} skill ${name}` };
    } catch (error) {
      return skillFailure(error);
    }
  },
  recover: () => Promise.resolve("not-made"),
});
