/**
 * Posts questions whose answers are server-sent events: what models' servers speak. Redirects are not
 * followed, since they would take the key along.
 *
 * On Node over sockets of our own, since loading Node's `fetch` takes longer than all else that a first
 * question needs; `fetch`, which knows proxies, where the environment names one, and on Deno, which has
 * its own loaded.
 */
import { concatBytes, utf8 } from "#internal/core/mod.ts";
import type { FetchBounds } from "./body_bounds.ts";
import { createBodyBounds } from "./body_bounds.ts";
import { boundedFetch } from "./bounded_fetch.ts";
import type { Environment } from "./environment.ts";
import { createEventReader } from "./event_reader.ts";
import { createHttpClient } from "./http_client.ts";
import { isDeno } from "./platform.ts";

/** One question. */
export interface EventRequest {
  /** `http:` or `https:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly bounds: FetchBounds;
}

/** An answer whose head has come; one of `events` and `text` may be read, once. */
export interface EventAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The data of each event. Leaving the loop ends the connection. @throws as `post` */
  events(): AsyncGenerator<string>;
  /** All of the body. @throws as `post` */
  text(): Promise<string>;
}

/** Keeps connections between questions. Idle ones do not keep the process alive. */
export interface EventClient {
  /**
   * @throws {SionError} `answer-too-large`, the signal's reason, and what says that no connection was
   * made or kept: `HttpErrorCode`, or as `fetch` has it
   */
  post(request: EventRequest): Promise<EventAnswer>;
}

/** Until there must be a connection, ms. */
const CONNECT_MS = 10_000;
/** Until an answer must begin, ms; whoever asks gives up sooner, by the signal. */
const BEGIN_MS = 600_000;

/** A client with no connections yet. @param env names proxies, if there are any */
export function createEventClient(env: Environment): EventClient {
  return isDeno || namesProxy(env) ? { post: fetched } : overSockets();
}

/** Whether some program's requests go through a proxy, as most programs read it. */
function namesProxy(env: Environment): boolean {
  return Object.entries(env).some(([name, value]) =>
    /^(?:https?|all)_proxy$/i.test(name) && value !== undefined && value !== ""
  );
}

function overSockets(): EventClient {
  const http = createHttpClient();
  return {
    async post({ url, headers, body, signal, bounds }) {
      const answer = await http.stream({
        url,
        method: "POST",
        headers: { ...headers, "accept-encoding": "identity" },
        body: utf8(body),
        signal,
        connectMs: CONNECT_MS,
        timeoutMs: BEGIN_MS,
        // A kept connection that the server has closed meanwhile: it has read nothing.
        repeatable: true,
      });
      return answerOf(answer.status, {
        get: (name) => answer.headers[name.toLowerCase()] ?? null,
      }, boundedChunks(answer, bounds));
    },
  };
}

async function* boundedChunks(
  { status, chunks }: { readonly status: number; readonly chunks: AsyncIterable<Uint8Array> },
  bounds: FetchBounds,
): AsyncGenerator<Uint8Array> {
  const bounded = createBodyBounds(bounds, isOk(status));
  for await (const chunk of chunks) yield bounded(chunk);
}

async function fetched(
  { url, headers, body, signal, bounds }: EventRequest,
): Promise<EventAnswer> {
  const answer = await boundedFetch(bounds)(url, { method: "POST", headers, body, signal });
  return answerOf(answer.status, answer.headers, answer.body ?? []);
}

function answerOf(
  status: number,
  headers: EventAnswer["headers"],
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): EventAnswer {
  return {
    status,
    headers,
    async *events() {
      const read = createEventReader();
      for await (const chunk of chunks) yield* read(chunk);
    },
    async text() {
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      return new TextDecoder().decode(concatBytes(...parts));
    },
  };
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}
