/**
 * Ending what left the process group of the program that started it (`setsid`, a daemon): it still has
 * the environment that it was started with, which Linux shows to the same user.
 */
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { codeOf } from "./error_code.ts";
import { sleep } from "./time.ts";

/** What was killed may take this long to be gone before it is looked for again, ms. */
const PAUSE_MS = 2;
/** One look may miss a process that another forks at that moment and that ends then. */
const EMPTY_LOOKS = 2;
/** What forks faster than it is killed is given up on, looks. */
const MOST_LOOKS = 1_000;

/**
 * Kills every process in whose environment a mark stands, until there is none. Does nothing where the
 * system does not show environments. A process that took the mark out of its own is not found.
 * @param mark of enough random characters that nothing else has it
 */
export async function killMarked(mark: string): Promise<void> {
  let empty = 0;
  for (let looks = 0; looks < MOST_LOOKS && empty < EMPTY_LOOKS; looks++) {
    const found = pidsWith(mark);
    for (const pid of found) killOne(pid);
    empty = found.length === 0 ? empty + 1 : 0;
    if (found.length > 0) await sleep(PAUSE_MS);
  }
}

function pidsWith(mark: string): readonly number[] {
  return processIds().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`).includes(mark);
    } catch {
      // Gone, or another user's.
      return false;
    }
  });
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

function killOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (codeOf(error) !== "ESRCH" && codeOf(error) !== "EPERM") throw error;
  }
}
