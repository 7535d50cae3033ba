/** Telling a process from a later one of the same number, and whether it is still there. */
import process from "node:process";
import { readFileSync } from "node:fs";

/** Who holds leases here: a process id, and what tells it from a later process of that id. */
export interface ProcessMark {
  readonly pid: number;
  readonly started: string;
}

/** This process. */
export function ownMark(): ProcessMark {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** When a process started, as Linux tells it (fields 3 and 22 of its stat); empty elsewhere. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent has not asked yet.
    return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19] ?? "";
  } catch {
    return "";
  }
}

/** False when it is certain that the process is gone. */
export function isAlive({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return startOf(pid) === started;
}
