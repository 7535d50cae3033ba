/**
 * The first step of a devnet's start, and a node's: threads, which load their program while the main thread loads
 * and reads what it needs itself. So this file imports next to nothing.
 */
import { availableParallelism } from "node:os";
import { keepThreadsSmall } from "#internal/runtime/mod.ts";
import type { ServingOptions } from "./serving_options.ts";
import type { ValidatorThread } from "./validator_thread.ts";
import { startValidatorThreads, validatorsPerThread } from "./validator_thread.ts";

/** Starts threads that load their program and open nothing yet; they end with `opened`. */
export function startThreads(
  count: number,
  { workerEntry, logger }: Pick<ServingOptions, "workerEntry" | "logger">,
  opened: AsyncDisposableStack,
): readonly ValidatorThread[] {
  const entry = workerEntry ?? new URL("./validator_worker.ts", import.meta.url).href;
  const cores = availableParallelism();
  keepThreadsSmall(validatorsPerThread(count, cores));
  const threads = startValidatorThreads(entry, { count, cores, logger });
  opened.defer(async () => {
    await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
  });
  return threads;
}
