/** Telling a process from a later one of the same number, and whether it is still there. */
import { isProcessAlive, processId, processSpace, processStart } from "#internal/runtime/mod.ts";

/** Who holds leases here: a process id, and what tells it from a later process of that id. */
export interface ProcessMark {
  readonly pid: number;
  readonly started: string;
}

/** Between when a process started and the space that its id is of. */
const OF = "@";

/** This process. */
export function ownMark(): ProcessMark {
  const [pid, space] = [processId(), processSpace()];
  const start = processStart(pid);
  return { pid, started: space === "" ? start : `${start}${OF}${space}` };
}

/** False when it is certain that the process is gone: of one in another container it never is. */
export function isAlive({ pid, started }: ProcessMark): boolean {
  const [start, space] = started.split(OF);
  if (space !== undefined && space !== processSpace()) return true;
  return isProcessAlive(pid) && processStart(pid) === start;
}
