/** Which runtime this is, on what machine. The differences between runtimes end in this unit. */
import { readFileSync } from "node:fs";
import process from "node:process";

/** True under Deno. */
export const isDeno: boolean = "Deno" in globalThis;

/** The runtime's name and version, as `node 26.10.0`. */
export function runtimeVersion(): string {
  return isDeno ? `deno ${process.versions["deno"]}` : `node ${process.versions.node}`;
}

/** Operating system and processor, as `linux-x64`. */
export function platformName(): string {
  return `${process.platform}-${process.arch}`;
}

/** This process's id. */
export function processId(): number {
  return process.pid;
}

/** Memory that this process holds resident, in bytes. */
export function residentBytes(): number {
  return process.memoryUsage().rss;
}

/** Processor time this process has used, all threads together, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

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

/** The processor, as Node names it: `x64`, `arm64`. */
export function processorName(): string {
  return process.arch;
}

/** The user this process acts as; `undefined` where users have no numbers. */
export function userId(): number | undefined {
  return process.getuid?.();
}
