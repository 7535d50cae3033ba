/** The way to a node: `POST /rpc/<method>` with exact JSON, over kept connections. */
import {
  messageOf,
  OUTSIDE_DEPTH,
  parseJson,
  quoteOddWord,
  SionError,
  utf8Text,
} from "#internal/core/mod.ts";
import {
  DEFAULT_NODE_URL,
  encodeRequest,
  errorBody,
  fromErrorBody,
  methods,
} from "#internal/rpc/mod.ts";
import type { Environment, HttpClient, HttpResponse } from "#internal/runtime/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";
import { badArgument, nodeUnreachable, noNode } from "./errors.ts";
import type { Transport } from "./types.ts";

/** How long an answer may take beyond what the method says it waits, ms. */
const ANSWER_LIMIT_MS = 10_000;

/** What a method that changes something may not be sent twice unasked. */
const NOT_REPEATABLE: ReadonlySet<string> = new Set(["faucet"]);

/**
 * The node's address: what is given, else `SION_NODE`, else the default. `host:port` is taken for
 * `http://host:port`.
 * @throws {SionError} `argument`
 */
export function nodeAddress(given: string | undefined, env: Environment): string {
  const text = given ?? (env["SION_NODE"] || DEFAULT_NODE_URL);
  const source = given === undefined ? "SION_NODE" : "--node";
  const bare = !/^[a-z]+:\/\//i.test(text);
  const url = URL.parse(bare ? `http://${text}` : text);
  if (url !== null && (url.username !== "" || url.password !== "")) {
    // Not shown: it may be a secret.
    throw badArgument(
      `${source} has a name or a password in it, a node asks for none: ` +
        `write it like ${DEFAULT_NODE_URL}`,
    );
  }
  if (url?.protocol === "https:") {
    throw badArgument(`${source} ${text} is an https address: a node answers at http:// only`);
  }
  // A word alone would be taken for a host, and asked for at port 80.
  const wordAlone = bare && !/:\d+(\/|$)/.test(text);
  if (url === null || url.protocol !== "http:" || url.hostname === "" || wordAlone) {
    throw badArgument(
      `${source} ${quoteOddWord(text)} is no address: write it like ${DEFAULT_NODE_URL}`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** A transport over HTTP; disposing of it closes its connections. */
export function httpTransport(node: string): Transport & Disposable {
  const http: HttpClient = createHttpClient();
  const call: Transport = async (method, params, { signal, waitsMs }) => {
    const { query, contentType, body } = encodeRequest(methods[method], params);
    const response = await http.request({
      url: `${node}/rpc/${method}${query}`,
      method: "POST",
      headers: { "content-type": contentType },
      body,
      timeoutMs: ANSWER_LIMIT_MS + waitsMs,
      repeatable: !NOT_REPEATABLE.has(method),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw isLost(error) ? nodeUnreachable(node, error) : error;
    });
    return readAnswer(node, response);
  };
  return Object.assign(call, { [Symbol.dispose]: () => http[Symbol.dispose]() });
}

function isLost(error: unknown): boolean {
  return error instanceof SionError && ["unreachable", "lost", "timeout"].includes(error.code);
}

function readAnswer(node: string, { status, body }: HttpResponse): unknown {
  let value: unknown;
  try {
    value = parseJson(utf8Text(body), { maxDepth: OUTSIDE_DEPTH });
  } catch (cause) {
    throw noNode(node, cause);
  }
  if (status === 200) return value;
  let error: SionError;
  try {
    error = fromErrorBody(errorBody.parse(value, "answer"));
  } catch (cause) {
    throw noNode(node, new Error(`HTTP ${status}: ${messageOf(cause)}`, { cause }));
  }
  throw error;
}
