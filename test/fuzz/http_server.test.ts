/** The HTTP server of a node stands whatever bytes a client sends, and answers the next client. */
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import { stringifyJson, utf8 } from "#internal/core/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import { createEventFeed } from "../../internal/node/event_feed.ts";
import type { HttpServer } from "../../internal/node/http_server.ts";
import { startHttpServer } from "../../internal/node/http_server.ts";
import { Random } from "../sim/random.ts";
import { mutated } from "./_mutate.ts";

const INPUTS = 400;
/** Connections at once. */
const AT_ONCE = 8;
const SEED = 1;

const failed: string[] = [];
const logger: Logger = {
  log(level, message, fields) {
    if (level === "error") failed.push(`${message} ${JSON.stringify(fields)}`);
  },
};
const calls = new Proxy({}, {
  get: () => () => Promise.reject(new RpcError("not-found", "There is none here")),
}) as RpcCalls;

let server: HttpServer;
beforeAll(async () => {
  server = await startHttpServer({
    host: "127.0.0.1",
    port: 0,
    calls,
    events: createEventFeed(calls, () => {}),
    logger,
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const body = stringifyJson({ account: "ab".repeat(32) });
const samples = [
  `POST /rpc/account HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  "POST /rpc/status HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
  "GET /events?from=3 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
].map(utf8);

/** Sends the bytes and no more; resolves when the server has closed or has nothing to add. */
function send(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.on("data", () => socket.destroy());
    socket.end(bytes);
  });
}

test("startHttpServer() answers or closes whatever comes, and goes on", async () => {
  using http = createHttpClient();
  for (let first = 0; first < INPUTS; first += AT_ONCE) {
    await Promise.all(
      Array.from(
        { length: AT_ONCE },
        (_, i) => send(mutated(samples, new Random(SEED, "http", first + i))),
      ),
    );
    const answer = await http.request({
      url: `${server.url}/rpc/status`,
      method: "POST",
      body: utf8("{}"),
    });
    expect(answer.status).toBe(404);
  }
  expect(failed).toEqual([]);
});
