/**
 * Control groups around commands: a bound of processes that holds for root too, whom `ulimit -u` does
 * not bind, and of memory in place of address space. Where the system gives none, limits of processes
 * alone hold.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isProcessAlive, processId } from "#internal/runtime/mod.ts";

/** A group for one command. */
export interface CommandGroup {
  /** The file that a process writes its id to, to be in the group. */
  readonly join: string;
  /** Whether the group bounds memory. */
  readonly boundsMemory: boolean;
  /** Whether something in it was killed because the memory was used up. */
  outOfMemory(): boolean;
  /** Ends all that is in it, where the kernel can (Linux 5.14, second version). */
  kill(): void;
  /** Removes it; what still ends in it is waited for, a second at most. */
  remove(): Promise<void>;
}

const MOUNT = "/sys/fs/cgroup";
const PREFIX = "sion-";
/** Pauses between tries to remove a group, ms: the first short, since nothing goes on before. */
const REMOVE_PAUSES_MS = [1, 2, 4, 8, ...Array<number>(50).fill(20)];

/** Folders in which groups may be made, the best first. Looked up once a sandbox. */
export function groupFolders(mount = MOUNT, own = textOf("/proc/self/cgroup")): readonly string[] {
  const unified = existsSync(join(mount, "cgroup.controllers")) ? mount : join(mount, "unified");
  const folders: string[] = [];
  for (const line of own.split("\n")) {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === "" || path.includes("..")) continue;
    if (controllers === "") {
      // A group that has processes gives its children no controllers: a sibling has them.
      folders.push(join(unified, dirname(path)), join(unified, path));
    } else if (controllers.split(",").includes("pids")) {
      folders.push(join(mount, controllers, path), join(mount, controllers));
    }
  }
  return [...new Set(folders)];
}

/** Makes a group, or gives none where the system does not allow it. */
export function makeGroup(
  folders: readonly string[],
  { name, processes, memoryBytes }: {
    /** Unique among those of this process. */
    readonly name: string;
    readonly processes: number;
    readonly memoryBytes: number;
  },
): CommandGroup | undefined {
  for (const folder of folders) {
    const path = join(folder, `${PREFIX}${processId()}-${name}`);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    try {
      writeFileSync(join(path, "pids.max"), String(processes));
      return groupAt(path, boundMemory(path, memoryBytes));
    } catch {
      rmdirSync(path);
    }
  }
  return undefined;
}

/** Removes what processes left that were killed themselves. */
export function removeStaleGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const pid = Number(/^sion-(\d+)-/.exec(name)?.[1] ?? NaN);
      if (!Number.isNaN(pid) && !isProcessAlive(pid)) tryRemove(join(folder, name));
    }
  }
}

function groupAt(path: string, boundsMemory: boolean): CommandGroup {
  return {
    join: join(path, "cgroup.procs"),
    boundsMemory,
    outOfMemory: () => /^oom_kill [1-9]/m.test(textOf(join(path, "memory.events"))),
    kill() {
      try {
        writeFileSync(join(path, "cgroup.kill"), "1", { flag: "r+" });
      } catch {
        // Older kernels have no such file; the processes' group is signalled besides.
      }
    },
    async remove() {
      for (const pauseMs of REMOVE_PAUSES_MS) {
        if (tryRemove(path)) return;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
  };
}

function boundMemory(path: string, bytes: number): boolean {
  if (!existsSync(join(path, "memory.max"))) return false;
  try {
    writeFileSync(join(path, "memory.max"), String(bytes));
    // Else what is beyond the bound goes to the disk instead.
    if (existsSync(join(path, "memory.swap.max"))) {
      writeFileSync(join(path, "memory.swap.max"), "0");
    }
    return true;
  } catch {
    return false;
  }
}

/** True when it is gone. */
function tryRemove(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return !existsSync(path);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
