/** Telling a process from a later one of the same number, and whether it is still there. */
import { isProcessAlive, processId, processStart } from "#internal/runtime/mod.ts";

/** Who holds leases here: a process id, and what tells it from a later process of that id. */
export interface ProcessMark {
  readonly pid: number;
  readonly started: string;
}

/** This process. */
export function ownMark(): ProcessMark {
  return { pid: processId(), started: processStart(processId()) };
}

/** False when it is certain that the process is gone. */
export function isAlive({ pid, started }: ProcessMark): boolean {
  return isProcessAlive(pid) && processStart(pid) === started;
}
