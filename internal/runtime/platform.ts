/** Which runtime this is, on what machine. The differences between runtimes end in this unit. */
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

/** The processor, as Node names it: `x64`, `arm64`. */
export function processorName(): string {
  return process.arch;
}

/** The user this process acts as; `undefined` where users have no numbers. */
export function userId(): number | undefined {
  return process.getuid?.();
}
