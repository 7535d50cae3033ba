/**
 * One arena of malloc. glibc gives each thread an arena of its own, which keeps most of what was freed in it; how
 * many there are it reads from the environment at a process's start, and nowhere later.
 */
import process from "node:process";
import { isDeno } from "./platform.ts";
import { isWorker } from "./workers.ts";

const ARENAS = "MALLOC_ARENA_MAX";

/**
 * Has this process begin anew, same id, program, words and streams, with `MALLOC_ARENA_MAX=1`; returns where that was
 * chosen already, or cannot be. Nothing that matters may have begun: it goes without a word.
 */
export function beginWithOneArena(): void {
  const { argv0, execArgv, execPath, execve, platform } = process;
  if (isDeno || platform !== "linux" || execve === undefined || isWorker()) return;
  // A parent that speaks to this process through a channel would lose it.
  if (process.env[ARENAS] !== undefined || process.channel !== undefined) return;
  const isSingle = process.getBuiltinModule("node:sea").isSea();
  const words = isSingle ? process.argv.slice(2) : [...execArgv, ...process.argv.slice(1)];
  try {
    execve(execPath, [argv0, ...words], { ...process.env, [ARENAS]: "1" });
  } catch {
    // It takes more memory, and that is all.
  }
}
