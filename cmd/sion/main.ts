/**
 * The whole command line. The same file is what a devnet's threads run where the program is one
 * file; so nothing is awaited at the top, which a single executable's format does not know.
 */
import { runMain } from "#internal/cli/mod.ts";
import { isWorker, workerTask } from "#internal/runtime/mod.ts";

if (isWorker()) {
  void workerTask();
  void import("#internal/node/mod.ts").then(({ runNodeWorker }) => runNodeWorker());
} else {
  void runMain(import.meta.url);
}
