import { openWallets } from "#internal/store/mod.ts";
import { shownSentence } from "./_sentence.ts";
import type { Check } from "./_check.ts";
import { failed, fine } from "./_check.ts";

/** Every wallet's file holds a seed and is closed to others. */
export const wallets: Check = {
  name: "wallets",
  ofAgents: false,
  async run({ home, shown }) {
    const all = openWallets(home, shown);
    const names = await all.list();
    for (const name of names) {
      try {
        (await all.seed(name))?.fill(0);
      } catch (error) {
        const { what, fix } = shownSentence(error);
        return failed(what, fix);
      }
    }
    return fine(names.length === 0 ? "none is kept" : `${names.length} kept, and they open`);
  },
};
