/** The HTTP before the threads of a devnet or a node. */
import { DEFAULT_CLIENT_PORT } from "#internal/rpc/mod.ts";
import { createEventFeed } from "./event_feed.ts";
import type { HttpServer } from "./http_server.ts";
import { startHttpServer } from "./http_server.ts";
import type { ServingOptions } from "./serving_options.ts";
import { DEFAULT_HOST } from "./serving_options.ts";
import type { ThreadGroup } from "./thread_group.ts";

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
