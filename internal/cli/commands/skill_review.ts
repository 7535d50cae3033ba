import { argument, defineCommand, toggle } from "../command.ts";
import { EXIT, usageError } from "../errors.ts";
import { text } from "../readers.ts";
import {
  agreed,
  asksValue,
  claimText,
  grantedOf,
  grantFlags,
  skillAt,
  skillsPlace,
} from "./_skills.ts";
import type { GivenSkill } from "./_skills.ts";
import type { Asks, Skill } from "#internal/agent/mod.ts";

export const command = defineCommand({
  path: "skill review",
  brief:
    "What a skill may do, by its files: scripts, hosts, secrets, calls without asking. Of one " +
    "that is here, grant it what it asks for, or take that back.",
  args: { skill: argument(text("NAME|PATH"), "a skill that is here, or a bundle or folder") },
  flags: { ...grantFlags, revoke: toggle("take back all that it was granted") },
  examples: [
    ["sion skill review word-count", "shows it, and asks where something is not granted"],
    ["sion skill review ./word-count.skill.tar", "before it is installed"],
    ["sion skill review release-notes --without secrets --yes", "grants its hosts and rules"],
  ],
  json: "{name, description, digest, claim, files, scripts, asks, granted}",
  node: false,
  exits: [EXIT.no],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const { without, yes, revoke } = flags;
    const { asksForMore, checkedSkill, findSkill, grantSkill, NOTHING, reviewLines } = await import(
      "#internal/agent/mod.ts"
    );
    const given = await skillAt(context, args.skill);
    if (given !== undefined) {
      if (yes || revoke) {
        throw usageError(`${args.skill} is not installed, so nothing can be granted: install it`);
      }
      if (json) output.json(await reviewValue(given));
      else reviewLines(given).forEach(output.line);
      return EXIT.done;
    }
    const place = skillsPlace(context);
    const found = await findSkill(place, args.skill);
    const files = await checkedSkill(place, found);
    const { name, declaration, release } = found;
    const show = async (skill: Skill): Promise<void> => {
      const { granted } = skill;
      const digest = release === undefined ? {} : { digest: release.digest };
      if (json) output.json(await reviewValue({ declaration, files, ...digest }, skill));
      else reviewLines({ declaration, files, granted, ...digest }).forEach(output.line);
      if (!json && release !== undefined) {
        output.line(`installed from ${release.source}, ${claimText(release.claim)}`);
      }
    };
    if (revoke) {
      await show(await grantSkill(place, name, NOTHING));
      return EXIT.done;
    }
    const granted = grantedOf(declaration, without);
    const mayAsk = context.input.isTty && !json;
    if (yes || (mayAsk && asksForMore(declaration) && !same(granted, found.granted))) {
      if (!yes) await show(found);
      if (!await agreed(context, yes, `grant ${name} that?`)) {
        output.note("nothing was changed");
        return EXIT.no;
      }
      await show(await grantSkill(place, name, granted));
      return EXIT.done;
    }
    await show(found);
    return EXIT.done;
  },
});

function same(one: Asks, other: Asks): boolean {
  return JSON.stringify(asksValue(one)) === JSON.stringify(asksValue(other));
}

async function reviewValue(
  { declaration, files, digest }: GivenSkill,
  skill?: Skill,
): Promise<object> {
  const { scriptsOf } = await import("#internal/agent/mod.ts");
  return {
    asks: asksValue(declaration),
    claim: skill?.release?.claim ?? null,
    description: declaration.description,
    digest: digest ?? null,
    files: files.map(({ path }) => path),
    granted: skill === undefined ? null : asksValue(skill.granted),
    name: declaration.name,
    scripts: scriptsOf(files),
  };
}
