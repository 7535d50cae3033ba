/**
 * JSON-RPC 2.0 as MCP narrows it: what a message may look like, and how answers are written. Ids are
 * strings or integers, never null; `params` is an object.
 */
import { type JsonValue, SionError } from "#internal/core/mod.ts";

/** A request's id. Integers beyond 2⁵³ are kept exactly, so that the echo is the same text. */
export type RequestId = string | number | bigint;

/** A JSON object as parsed. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/**
 * What can be wrong with a request; never renamed.
 * - `parse`: the line is no JSON.
 * - `invalid-request`: it is JSON, but no message.
 * - `method-not-found`: no such method in the request's era.
 * - `invalid-params`: the method does not take these parameters.
 * - `unsupported-version`: `data` is `{supported: string[], requested: string}`.
 * - `missing-capability`: the client does not offer what the request needs; `data` is
 *   `{requiredCapabilities}`.
 * - `resource-not-found`: no such resource, before 2026-07-28; `data` is `{uri}`.
 * - `internal`: a fault of the server.
 */
export type ProtocolErrorCode =
  | "parse"
  | "invalid-request"
  | "method-not-found"
  | "invalid-params"
  | "unsupported-version"
  | "missing-capability"
  | "resource-not-found"
  | "internal";

/** Numbers on the wire: JSON-RPC 2.0 section 5.1, and MCP 2026-07-28 for the version. */
const WIRE_CODES: Readonly<Record<ProtocolErrorCode, number>> = {
  "parse": -32700,
  "invalid-request": -32600,
  "method-not-found": -32601,
  "invalid-params": -32602,
  "unsupported-version": -32022,
  "missing-capability": -32021,
  "resource-not-found": -32002,
  "internal": -32603,
};

/** A request that is answered with a JSON-RPC error. */
export class ProtocolError extends SionError<ProtocolErrorCode> {
  constructor(
    code: ProtocolErrorCode,
    message: string,
    options: { cause?: unknown; data?: Record<string, JsonValue> } = {},
  ) {
    super(code, message, options);
    this.name = "ProtocolError";
  }
}

/** The error of parameters that are not as the method has them. @param why `uri must be a string` */
export function invalidParams(why: string): ProtocolError {
  return new ProtocolError("invalid-params", `invalid params: ${why}`);
}

/** A message as received. */
export type Incoming =
  | { readonly type: "request"; readonly id: RequestId; readonly method: string } & WithParams
  | { readonly type: "notification"; readonly method: string } & WithParams
  /** The answer to a request of the server's own; `result` is undefined for an error. */
  | {
    readonly type: "answer";
    readonly id: RequestId;
    readonly result: JsonValue | undefined;
    readonly error: JsonValue | undefined;
  }
  /** A notification that says nothing, or an answer to nothing. */
  | { readonly type: "ignored" }
  /** `id` is null when the message has none that could be echoed. */
  | { readonly type: "invalid"; readonly id: RequestId | null; readonly error: ProtocolError };

type WithParams = { readonly params: JsonObject };

/** Tells what a parsed JSON value is as a message. */
export function readMessage(value: JsonValue): Incoming {
  if (!isObject(value)) return invalid(null, "a message must be an object");
  const hasId = Object.hasOwn(value, "id");
  const id = isRequestId(value["id"]) ? value["id"] : null;
  if (value["jsonrpc"] !== "2.0") return invalid(id, 'a message must have "jsonrpc": "2.0"');
  const method = value["method"];
  if (method === undefined) {
    const { result, error } = value;
    if (result === undefined && error === undefined) {
      return invalid(id, "a message must have a method");
    }
    return id === null ? { type: "ignored" } : { type: "answer", id, result, error };
  }
  if (typeof method !== "string") return invalid(id, "a method must be a string");
  if (hasId && id === null) return invalid(null, "an id must be a string or an integer");
  const params = value["params"] ?? {};
  if (!isObject(params)) {
    // A notification is never answered, whatever is wrong inside it.
    if (!hasId) return { type: "ignored" };
    return { type: "invalid", id, error: invalidParams("params must be an object") };
  }
  return id === null
    ? { type: "notification", method, params }
    : { type: "request", id, method, params };
}

function invalid(id: RequestId | null, why: string): Incoming {
  const error = new ProtocolError("invalid-request", `invalid request: ${why}`);
  return { type: "invalid", id, error };
}

/** True for what a request may be named by: what is echoed as the very text that was sent. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "bigint" || Number.isSafeInteger(value);
}

/** One key for each id: `1` and `"1"` differ. */
export function idKey(id: RequestId): string {
  return typeof id === "string" ? `"${id}` : String(id);
}

/** True for a JSON object (not an array, not null). */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The answer to a request. */
export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { id, jsonrpc: "2.0", result };
}

/** The answer to what went wrong; `id` is null when the request had none that could be read. */
export function errorMessage(id: RequestId | null, thrown: unknown): JsonObject {
  const error = thrown instanceof ProtocolError
    ? thrown
    : new ProtocolError("internal", "internal error: the server failed inside");
  const data = error.data as Record<string, JsonValue>;
  return {
    error: {
      code: WIRE_CODES[error.code],
      message: error.message,
      ...(Object.keys(data).length === 0 ? {} : { data }),
    },
    id,
    jsonrpc: "2.0",
  };
}

/** A request of the server's own. */
export function requestMessage(id: RequestId, method: string, params: JsonObject): JsonObject {
  return { id, jsonrpc: "2.0", method, params };
}

/** A message that is not answered. */
export function notificationMessage(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, params };
}
