/**
 * The whole command line. The same file is what a devnet's threads run where the program is one
 * file; so nothing is awaited at the top, which a single executable's format does not know.
 */
import process from "node:process";
import { runMain } from "#internal/cli/mod.ts";
import { beginWithOneArena, isWorker, workerTask } from "#internal/runtime/mod.ts";

/** Commands with busy threads for as long as they run. */
const BUSY: readonly (string | undefined)[] = ["devnet", "node"];

if (isWorker()) {
  void workerTask();
  void runWorker();
} else {
  // Before a command is loaded, which would be for nothing.
  if (BUSY.includes(process.argv[2])) beginWithOneArena();
  void runMain(import.meta.url);
}

/** What a thread does: a validator's work, whose start people wait for, or a search. */
async function runWorker(): Promise<void> {
  const { runNodeWorker } = await import("#internal/node/mod.ts" as string);
  if (await runNodeWorker()) return;
  const { runSearchWorker } = await import("#internal/search/mod.ts" as string);
  if (!await runSearchWorker()) {
    throw new TypeError("Cannot run a thread's task: there is none of its name");
  }
}
