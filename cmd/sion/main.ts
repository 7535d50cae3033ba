/**
 * The whole command line. The same file is what a devnet's threads run where the program is one
 * file; so nothing is awaited at the top, which a single executable's format does not know.
 */
import { runMain } from "#internal/cli/mod.ts";
import { isWorker, workerTask } from "#internal/runtime/mod.ts";

if (isWorker()) {
  void workerTask();
  void runWorker();
} else {
  void runMain(import.meta.url);
}

/** What a thread does: a search, or a validator's work. */
async function runWorker(): Promise<void> {
  const { runSearchWorker } = await import("#internal/search/mod.ts");
  if (await runSearchWorker()) return;
  const { runNodeWorker } = await import("#internal/node/mod.ts");
  await runNodeWorker();
}
