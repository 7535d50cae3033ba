import { openProfiles } from "#internal/store/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine } from "./_check.ts";

/** Profiles can be read. */
export const profiles: Check = {
  name: "profiles",
  ofAgents: true,
  async run({ home, shown }) {
    try {
      const kept = await openProfiles(home, shown).list();
      return fine(kept.length === 0 ? "there are none" : `${kept.length} kept`);
    } catch (error) {
      const { what, fix } = shownSentence(error);
      return failed(what, fix);
    }
  },
};
