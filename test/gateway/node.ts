/** The chain of one behind a node's HTTP, for programs that bring their own client. */
import { silentLogger } from "#internal/core/mod.ts";
import { rpcCalls } from "../../internal/client/rpc.ts";
import { startHttpServer } from "../../internal/node/http_server.ts";
import type { FakeChain } from "../client/fake_chain.ts";

/** Listens until it is disposed of. @param port any free one unless given. */
export function nodeOf(chain: FakeChain, port = 0): ReturnType<typeof startHttpServer> {
  return startHttpServer({
    host: "127.0.0.1",
    port,
    calls: rpcCalls(chain.transport, "the chain of one"),
    events: {
      follow() {
        throw new TypeError("No test follows events here");
      },
    },
    logger: silentLogger,
  });
}
