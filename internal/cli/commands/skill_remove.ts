import { argument, defineCommand, toggle } from "../command.ts";
import { EXIT } from "../errors.ts";
import { agreed, skillName, skillsPlace } from "./_skills.ts";

export const command = defineCommand({
  path: "skill remove",
  brief:
    "Remove a skill and what it was granted. One that you put there is asked about: its files " +
    "go too.",
  args: { name: argument(skillName, "the skill's name") },
  flags: { yes: toggle("go on without asking, as where nobody sits at a terminal") },
  examples: [["sion skill remove word-count", "sessions no longer have it"]],
  json: "{name, removed}",
  node: false,
  exits: [EXIT.no],
  async run(context, { args: { name }, flags: { yes } }) {
    const { output, json } = context;
    const { findSkill, listSkills, ownFolder, removeSkill } = await import(
      "#internal/agent/mod.ts"
    );
    const { displayPath } = await import("#internal/runtime/mod.ts");
    const place = skillsPlace(context);
    const listed = (await listSkills(place)).find((one) => one.name === name);
    // What cannot be used can still be removed; what is not there is an error that says so.
    const found = listed ?? await findSkill(place, name);
    const isRelease = "release" in found && found.release !== undefined;
    const folder = displayPath(`${ownFolder(place.home)}/${name}`, place.env);
    if (!isRelease && !await agreed(context, yes, `remove ${folder} with all that is in it?`)) {
      output.note("nothing was removed");
      return EXIT.no;
    }
    const removed = await removeSkill(place, name);
    if (json) output.json({ name, removed });
    else output.line(`removed ${name}`);
    return EXIT.done;
  },
});
