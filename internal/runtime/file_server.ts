/** Serves files by name over HTTP, to whoever asks: `GET /<name>`. */
import { createReadStream } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { shownAddress } from "./addresses.ts";
import { listenError } from "./frames.ts";
import { arrivalLimits } from "./http_limits.ts";

/** Connections at once; more are closed as they come. */
const MAX_CONNECTIONS = 64;
/** Time for a request to arrive, ms. */
const REQUEST_MS = 15_000;
/** A connection on which nothing moves for this long is closed, ms. */
const IDLE_MS = 30_000;

/** What is served. */
export interface FileServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The file of a name, or undefined. Names are as they are asked for, without the first `/`. */
  readonly find: (name: string) => Promise<ServedFile | undefined>;
}

/** A file that is served. */
export interface ServedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** A server that listens. Disposing of it ends all connections. */
export interface FileServer extends AsyncDisposable {
  /** As in `http://127.0.0.1:8600`. */
  readonly url: string;
}

/** Listens. @throws {SionError} `address-in-use`, `listen-failed` */
export async function serveFiles(options: FileServerOptions): Promise<FileServer> {
  const { createServer } = await import("node:http");
  const server: Server = createServer(
    arrivalLimits(REQUEST_MS),
    (request, response) => void answer(options, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://${shownAddress({ host: options.host, port })}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { find }: FileServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    }
    const name = URL.parse(request.url ?? "/", "http://files")?.pathname.slice(1) ?? "";
    const file = await find(name);
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": "application/octet-stream",
      "content-length": file.sizeBytes,
      "x-content-type-options": "nosniff",
    });
    if (request.method === "HEAD") return void response.end();
    const { pipeline } = await import("node:stream/promises");
    await pipeline(createReadStream(file.path), response);
  } catch {
    // The reader went away, or the file did: the answer ends early, which the reader notices.
    response.destroy();
  }
}
