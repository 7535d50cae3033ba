import { chmod, lstat, readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "#internal/runtime/mod.ts";
import type { Check, Repair } from "./_check.ts";
import { failed, fine, look } from "./_check.ts";

/** What holds seeds, keys and sessions: who reads them acts as their owner. */
const FOLDERS = ["", "wallets", "agents", "agents/profiles", "agents/skill-records"];
/** What sion makes in it: a folder with other things and none of these is somebody else's. */
const OWN = new Set(
  ("agents client.db compiled devnet light.db locks mcp-install memory node sandbox storage wallets x402")
    .split(" "),
);
/** File systems of other machines, by the numbers Linux gives them: NFS, SMB, CIFS, 9p, AFS. */
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f]);
const GROUP_AND_OTHERS = 0o077;

/** The folder of all state: there, on this machine's disk, and closed to others. */
export const home: Check = {
  name: "home",
  ofAgents: true,
  async run({ home: folder, shown }) {
    let mode: number;
    try {
      const found = await lstat(folder);
      if (!found.isDirectory() && !found.isSymbolicLink()) {
        return failed(`${shown(folder)} is no folder`, "give another folder as SION_HOME");
      }
      mode = found.mode;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return fine(`${shown(folder)} is made when it is needed`);
      return failed(`${shown(folder)} cannot be read (${codeOf(error)})`, "see who owns it");
    }
    if (await isOfOthers(folder)) {
      return failed(
        `${shown(folder)} holds other things, and nothing of sion's`,
        "give a folder of sion's own as SION_HOME",
      );
    }
    const open = await openedIn(folder, mode);
    const [first] = open;
    if (first !== undefined) {
      const more = open.length > 1 ? ` and ${open.length - 1} more` : "";
      return failed(
        `others can get at ${shown(first.path)} (mode 0${(first.mode & 0o777).toString(8)})${more}`,
        `\`chmod ${first.isFolder ? "700" : "600"} ${shown(first.path)}\`, or --fix`,
        open.map((one) => closing(one, shown)),
      );
    }
    if (REMOTE.has((await statfs(folder)).type >>> 0)) {
      return look(
        `${shown(folder)} lies on a network's file system, where locks may not hold`,
        "give a folder of this machine as SION_HOME",
      );
    }
    return fine(`${shown(folder)} is there, on this machine, and closed to others`);
  },
};

interface Opened {
  readonly path: string;
  readonly mode: number;
  readonly isFolder: boolean;
}

function closing({ path, mode }: Opened, shown: (path: string) => string): Repair {
  const to = mode & 0o700;
  return {
    does: `chmod ${to.toString(8)} ${shown(path)}`,
    run: () => chmod(path, to),
  };
}

/** Whether a folder is in use for something else; its modes are not sion's to change. */
async function isOfOthers(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.length > 0 && !names.some((name) => OWN.has(name));
}

/** The folder and what it keeps that others can get at. */
async function openedIn(home: string, homeMode: number): Promise<readonly Opened[]> {
  const open: Opened[] = [];
  const see = (path: string, mode: number, isFolder: boolean): void => {
    if ((mode & GROUP_AND_OTHERS) !== 0) open.push({ path, mode, isFolder });
  };
  see(home, homeMode, true);
  for (const name of FOLDERS) {
    const folder = join(home, name);
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const isKept = FOLDERS.includes(name === "" ? entry.name : `${name}/${entry.name}`);
      if (!entry.isFile() && !isKept) continue;
      const path = join(folder, entry.name);
      const found = await lstat(path).catch(() => undefined);
      if (found !== undefined && !found.isSymbolicLink()) {
        see(path, found.mode, found.isDirectory());
      }
    }
  }
  return open;
}
