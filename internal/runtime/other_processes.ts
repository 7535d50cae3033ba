/** What the system tells of other processes: whether one runs, and since when. */
import { readFileSync, readlinkSync } from "node:fs";
import process from "node:process";

/**
 * Whether a process of this id runs; its id may meanwhile be another program's. One that has ended
 * does not, though its parent has not asked yet: in containers nobody may ever ask.
 */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
  return !/^[ZX]/.test(statOf(pid)[0] ?? "");
}

/**
 * What tells a process from a later one of its id: when it started, as Linux counts it. Empty for one
 * that is gone, and where the system does not tell.
 */
export function processStart(pid: number): string {
  const [state = "Z", ...fields] = statOf(pid);
  return /^[ZX]/.test(state) ? "" : fields[18] ?? "";
}

/**
 * What tells apart the spaces in which process ids are given out, as containers have: an id of another says
 * nothing here. Empty where the system has one space.
 */
export function processSpace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** Fields of `/proc/<pid>/stat` from the state on, the third; none where there is no such file. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may hold anything; what follows its last one does not.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
