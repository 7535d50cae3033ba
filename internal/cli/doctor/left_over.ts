import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isLeftFolder, leftContainers } from "#internal/sandbox/mod.ts";
import type { Check } from "./_check.ts";
import { fine, look } from "./_check.ts";

/** Folders of sandboxes and containers whose processes were killed. */
export const leftOver: Check = {
  name: "left over",
  ofAgents: true,
  async run({ home, env, shown }) {
    const parent = join(home, "sandbox");
    const folders = (await readdir(parent).catch(() => []))
      .filter(isLeftFolder);
    const containers = await leftContainers(env);
    if (folders.length + containers.ids.length === 0) {
      return fine("no sandbox was left by a process that is gone");
    }
    const parts = [
      ...(folders.length === 0 ? [] : [`${count(folders.length, "folder")} in ${shown(parent)}`]),
      ...(containers.ids.length === 0 ? [] : [count(containers.ids.length, "container")]),
    ];
    return look(`sandboxes of processes that are gone left ${parts.join(" and ")}`, "--fix", [
      ...folders.map((name) => ({
        does: `remove ${shown(join(parent, name))}`,
        run: () => rm(join(parent, name), { recursive: true, force: true }),
      })),
      ...(containers.ids.length === 0 ? [] : [{
        does: `remove ${containers.ids.map((id) => `container ${id}`).join(", ")}`,
        run: () => containers.remove(),
      }]),
    ]);
  },
};

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
