import { inspectStores } from "#internal/store/mod.ts";
import type { Check } from "./_check.ts";
import { failed, fine } from "./_check.ts";

/** Every SQLite file opens and is whole. */
export const stores: Check = {
  name: "stores",
  ofAgents: true,
  run({ home, shown }) {
    const all = inspectStores(home);
    const broken = all.filter(({ problem }) => problem !== undefined);
    const [first] = broken;
    if (first !== undefined) {
      const more = broken.length > 1 ? ` (and ${broken.length - 1} more are damaged)` : "";
      return failed(
        `${shown(first.path)} is not whole: ${first.problem}${more}`,
        "put a backup in its place; keep the damaged file, most of it can be read",
      );
    }
    if (all.length === 0) return fine("there are no stores yet");
    const large = all.filter(({ openedOnly }) => openedOnly === true).length;
    const rest = large === 0 ? "" : `, ${large} of them too large to be read through here`;
    return fine(`${all.length} ${all.length === 1 ? "store opens" : "stores open"}${rest}`);
  },
};
