/** What a devnet and a single node start alike: threads that load early, and the HTTP before them. */
import { availableParallelism } from "node:os";
import type { Logger } from "#internal/core/mod.ts";
import { DEFAULT_CLIENT_PORT } from "#internal/rpc/mod.ts";
import { keepThreadsSmall } from "#internal/runtime/mod.ts";
import { createEventFeed } from "./event_feed.ts";
import type { HttpServer } from "./http_server.ts";
import { startHttpServer } from "./http_server.ts";
import type { ThreadGroup } from "./thread_group.ts";
import type { ValidatorThread } from "./validator_thread.ts";
import { startValidatorThreads, validatorsPerThread } from "./validator_thread.ts";

/** Where clients reach a node, unless said otherwise. */
export const DEFAULT_HOST = "127.0.0.1";

/** How a process serves clients. */
export interface ServingOptions {
  /** Where clients reach it. @default 127.0.0.1:8400 */
  readonly host?: string;
  /** 0 takes any free port. @default 8400 */
  readonly port?: number;
  /** Names besides the host and localhost that clients may call it by. @default none */
  readonly allowHosts?: readonly string[];
  readonly logger: Logger;
  /**
   * URL of the program file that calls `runNodeWorker` first thing, for programs that are one file.
   * @default the source file of validators' threads
   */
  readonly workerEntry?: string;
}

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

/** Listens for clients of a group; the server ends with `opened`, also while it starts. */
export function serve(
  group: ThreadGroup,
  { host = DEFAULT_HOST, port = DEFAULT_CLIENT_PORT, allowHosts = [], logger }: ServingOptions,
  opened: AsyncDisposableStack,
): Promise<HttpServer> {
  const starting = startHttpServer({
    host,
    port,
    allowHosts,
    calls: group.calls,
    events: createEventFeed(group.calls, group.onPulse),
    logger,
  });
  opened.defer(async () => {
    await starting.then((started) => started[Symbol.asyncDispose](), () => {});
  });
  return starting;
}
