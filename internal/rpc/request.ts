/**
 * A call as an HTTP request: a JSON object of parameters, or, of methods that declare a `body`, that
 * parameter's bytes as they are, with each other parameter in the query, its value as JSON.
 */
import {
  isHex64,
  messageOf,
  OUTSIDE_DEPTH,
  parseJson,
  stringifyJson,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import { RpcError } from "./errors.ts";
import type { Method } from "./method.ts";

/** Content type of parameters as a JSON object, and of any request that names no other. */
export const JSON_TYPE = "application/json";
/** Content type of one parameter's bytes. */
export const BYTES_TYPE = "application/octet-stream";

/** What of a request says which parameters it has. */
export interface RpcRequest {
  /** Its query, with `?` unless it is empty. */
  readonly query: string;
  /** A media type with its parameters, in any case. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

// deno-lint-ignore no-explicit-any -- a method of whatever parameters
type AnyMethod = Method<any, { readonly pulse: number }>;

/** Parameters in their program form as a request: bytes where the method has them. */
export function encodeRequest({ body: name }: AnyMethod, params: unknown): RpcRequest {
  const given = params as Readonly<Record<string, unknown>>;
  const bytes = name === undefined ? undefined : given[name];
  if (!(bytes instanceof Uint8Array)) {
    return { query: "", contentType: JSON_TYPE, body: utf8(stringifyJson(params)) };
  }
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given)) {
    if (key !== name && value !== undefined) query.set(key, stringifyJson(value));
  }
  const text = query.toString();
  return { query: text && `?${text}`, contentType: BYTES_TYPE, body: bytes };
}

/** The parameters of a request, in their program form. @throws {RpcError} `bad-request` */
export function decodeRequest(method: AnyMethod, request: RpcRequest): unknown {
  try {
    return method.params.parse(
      method.body !== undefined && mediaTypeOf(request.contentType) === BYTES_TYPE
        ? { ...readQuery(request.query), [method.body]: request.body }
        : readJson(request.body),
      "parameters",
    );
  } catch (error) {
    throw new RpcError("bad-request", messageOf(error), { cause: error });
  }
}

/**
 * The parameters of a request that has them all in its query: each value as JSON, or, where it is
 * none, as text. @throws {RpcError} `bad-request`
 */
export function decodeQuery(method: AnyMethod, query: string): unknown {
  const given = [...new URLSearchParams(query)].map(([name, value]) => [name, plainValue(value)]);
  try {
    return method.params.parse(Object.fromEntries(given), "parameters");
  } catch (error) {
    throw new RpcError("bad-request", messageOf(error), { cause: error });
  }
}

/** An id may have no digits but decimal ones. */
function plainValue(text: string): unknown {
  if (isHex64(text)) return text;
  try {
    return parseJson(text, { maxDepth: OUTSIDE_DEPTH });
  } catch {
    return text;
  }
}

/** Without parameters, in lower case: RFC 9110, section 8.3.1. */
function mediaTypeOf(contentType: string): string {
  return (contentType.split(";", 1)[0] as string).trim().toLowerCase();
}

function readJson(body: Uint8Array): unknown {
  return body.length === 0 ? {} : jsonOf(utf8Text(body), "parameters");
}

/** The engine's own words would show what came, whatever characters that has. */
function jsonOf(text: string, what: string): unknown {
  try {
    return parseJson(text, { maxDepth: OUTSIDE_DEPTH });
  } catch (cause) {
    const wanted = `JSON is needed, nested at most ${OUTSIDE_DEPTH} deep`;
    throw new SyntaxError(`Cannot read ${what}: ${wanted}`, { cause });
  }
}

function readQuery(query: string): Readonly<Record<string, unknown>> {
  if (query === "") return {};
  return Object.fromEntries(
    [...new URLSearchParams(query)].map(([key, value]) => [key, jsonOf(value, "the query")]),
  );
}
