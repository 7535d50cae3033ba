import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { pathExists } from "#internal/runtime/mod.ts";
import type { Check } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

/** Below this a session or a node soon stops, bytes. */
const WANTED = 1 << 30;
/** Below this nothing is begun, bytes. */
const LEAST = 100 << 20;

/** Room where sion keeps its state. */
export const disk: Check = {
  name: "disk",
  ofAgents: true,
  async run({ home, shown }) {
    let folder = home;
    while (!await pathExists(folder) && dirname(folder) !== folder) folder = dirname(folder);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const says = `${(free / (1 << 30)).toFixed(1)} GiB are free at ${shown(home)}`;
    if (free >= WANTED) return fine(says);
    const fix = "make room there, or give another folder as SION_HOME";
    return free >= LEAST ? look(says, fix) : failed(says, fix);
  },
};
