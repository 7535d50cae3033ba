/** Errors that a node answers with: codes, their HTTP status, and their form on the wire. */
import { SionError } from "#internal/core/mod.ts";
import { count, optional, record, string } from "./wire.ts";
import type { WireOf } from "./wire.ts";

/**
 * Every code, with the HTTP status it travels under. Never renamed.
 * - `bad-request`: the parameters have not the shape of the contract.
 * - `unknown-method`: the node has no such method.
 * - `forbidden`: the request comes from a web page of another origin, or names another host.
 * - `not-found`: no such Pulse, header or certificate here (yet).
 * - `too-large`: the request's body is over the limit.
 * - `refused`: the node will not do it; the message says why.
 * - `not-devnet`: the method exists on a devnet only.
 * - `busy`: too much waits already; `retry_after_ms` says when to come again. Nothing was taken.
 * - `limited`: this client asks too often; `retry_after_ms` says when to come again.
 * - `read-only`: what answers is a gateway, and passes on nothing that changes something.
 * - `node-unreachable`: what answers is a gateway, and the node behind it does not answer.
 * - `unconnected`: the node follows and has no validator to hand it in at. Nothing was taken.
 * - `stopping`: the node is going down. Nothing was taken.
 * - `internal`: a fault of the node.
 */
export const RPC_ERROR_STATUS = {
  "bad-request": 400,
  "unknown-method": 404,
  "forbidden": 403,
  "not-found": 404,
  "too-large": 413,
  "refused": 409,
  "not-devnet": 409,
  "busy": 503,
  "limited": 429,
  "read-only": 403,
  "node-unreachable": 502,
  "unconnected": 503,
  "stopping": 503,
  "internal": 500,
} as const;

/** A code of `RPC_ERROR_STATUS`. */
export type RpcErrorCode = keyof typeof RPC_ERROR_STATUS;

/** An error of a method. `data.retry_after_ms` is set for `busy` and `limited`. */
export class RpcError extends SionError<RpcErrorCode> {
  constructor(
    code: RpcErrorCode,
    message: string,
    options: { cause?: unknown; data?: Record<string, unknown> } = {},
  ) {
    super(code, message, options);
    this.name = "RpcError";
  }
}

/** The body of an answer that is an error: `{"error": {"code", "message", "retry_after_ms"?}}`. */
export const errorBody = record({
  error: record({
    code: string(64),
    message: string(4096),
    retry_after_ms: optional(count()),
  }),
});

/** The program form of `errorBody`. */
export type ErrorBody = WireOf<typeof errorBody>;

/** The wire form of anything thrown: an `RpcError` as it is, all else as `internal`. */
export function toErrorBody(thrown: unknown): { status: number; body: ErrorBody } {
  const error = thrown instanceof RpcError
    ? thrown
    : new RpcError("internal", "Cannot answer: the node failed inside");
  const retry = error.data["retry_after_ms"];
  return {
    status: RPC_ERROR_STATUS[error.code],
    body: {
      error: {
        code: error.code,
        message: error.message,
        ...(typeof retry === "number" ? { retry_after_ms: retry } : {}),
      },
    },
  };
}

/** The error of an answer's body; a code of a newer node is kept by its text. */
export function fromErrorBody(body: ErrorBody): SionError {
  const { code, message, retry_after_ms } = body.error;
  const data = retry_after_ms === undefined ? {} : { retry_after_ms };
  return Object.hasOwn(RPC_ERROR_STATUS, code)
    ? new RpcError(code as RpcErrorCode, message, { data })
    : new SionError(code, message, { data });
}
