import { leftReleases, listSkills, removeLeftReleases } from "#internal/agent/mod.ts";
import { escapeLine } from "#internal/core/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

/** Skills can be used, and every file of an installed release is the one of its bundle. */
export const skills: Check = {
  name: "skills",
  ofAgents: true,
  async run({ home, env }) {
    const place = { home, env };
    try {
      const listed = await listSkills(place);
      const broken = listed.flatMap((one) => "problem" in one ? [one] : []);
      const [first] = broken;
      if (first !== undefined) {
        const more = broken.length > 1 ? ` (and ${broken.length - 1} more)` : "";
        return failed(
          `skill ${first.name} cannot be used${more}: ${escapeLine(first.problem)}`,
          `install it again, or \`sion skill remove ${first.name}\``,
        );
      }
      const left = await leftReleases(place);
      if (left.length > 0) {
        return look(
          `${left.length} ${
            left.length === 1 ? "release" : "releases"
          } of no skill were left by an ` +
            "install that was cut off",
          "--fix",
          [{
            does: `remove release ${left.join(", ")}`,
            run: () => removeLeftReleases(place),
          }],
        );
      }
      const releases = listed.filter((one) => "release" in one).length;
      return fine(
        listed.length === 0
          ? "there are none"
          : `${listed.length} can be used, ${releases} of them releases with the digests of their bundles`,
      );
    } catch (error) {
      const { what, fix } = shownSentence(error);
      return failed(what, fix);
    }
  },
};
