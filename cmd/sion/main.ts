/**
 * The whole command line. The same file is what a devnet's threads run where the program is one
 * file; so nothing is awaited at the top, which a single executable's format does not know.
 */
import { type Program, runMain } from "#internal/cli/mod.ts";
import { isWorker, workerTask } from "#internal/runtime/mod.ts";

/** What made this program; set by the bundler, missing when the source runs. */
const build = (globalThis as { SION_BUILD?: string }).SION_BUILD;

const ORIGINS: { readonly [build: string]: Program["origin"] } = {
  npm: "npm",
  deno: "binary",
  node: "binary",
};

if (isWorker()) {
  void workerTask();
  void import("#internal/node/mod.ts").then(({ runNodeWorker }) => runNodeWorker());
} else {
  void runMain({ url: import.meta.url, origin: ORIGINS[build ?? ""] ?? "source" });
}
