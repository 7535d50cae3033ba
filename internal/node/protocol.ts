/** What the devnet's main thread and its validators' threads say to each other. */
import type { LogLevel } from "#internal/core/mod.ts";
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { Genesis } from "#internal/proofs/mod.ts";
import type { MethodName, RpcErrorCode } from "#internal/rpc/mod.ts";
import { RPC_ERROR_STATUS, RpcError } from "#internal/rpc/mod.ts";
import type { Address } from "./dialer.ts";
import type { NodePlace } from "./node_key.ts";
import type { Peering } from "./validator.ts";

/** The name of the task of a validator's thread. */
export const VALIDATOR_TASK = "validator";

/** What the task is told: how many validators share the thread. */
export interface ValidatorTaskSize {
  readonly validators: number;
}

/** A message to or from one of a thread's validators. */
export interface Placed<Message> {
  /** Its place in the thread, from 0. */
  readonly place: number;
  readonly message: Message;
}

/** What a validator is opened with. */
export interface ValidatorTaskData {
  readonly genesis: Genesis;
  readonly place: NodePlace;
  readonly fresh: boolean;
  readonly shown: string;
  readonly peering: Peering;
}

/** From the main thread. */
export type ToValidator =
  | { readonly type: "open"; readonly data: ValidatorTaskData }
  | { readonly type: "start"; readonly peers: readonly Address[] }
  | {
    readonly type: "call";
    readonly id: number;
    readonly method: MethodName;
    readonly params: unknown;
  }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "stop" };

/** From a validator. */
export type FromValidator =
  | {
    readonly type: "open";
    readonly chain: string;
    readonly port: number | undefined;
    readonly validator: number | null;
  }
  | { readonly type: "result"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: SentError }
  | { readonly type: "pulse"; readonly number: number }
  | {
    readonly type: "log";
    readonly level: LogLevel;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }
  /** It could not open, or a fault ended it. */
  | { readonly type: "fault"; readonly error: SentError }
  | { readonly type: "stopped" };

/** An error between threads: classes do not survive the way, codes and sentences do. */
export interface SentError {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The form in which an error is sent. */
export function sendableError(error: unknown): SentError {
  if (error instanceof SionError) {
    const plain = Object.entries(error.data).filter(([, value]) => typeof value !== "object");
    return { code: error.code, message: error.message, data: Object.fromEntries(plain) };
  }
  const stack = error instanceof Error ? error.stack ?? "" : "";
  return { code: "internal", message: messageOf(error), data: { stack } };
}

/** The error that was sent. */
export function receivedError({ code, message, data }: SentError): SionError {
  return Object.hasOwn(RPC_ERROR_STATUS, code)
    ? new RpcError(code as RpcErrorCode, message, { data: { ...data } })
    : new SionError(code, message, { data: { ...data } });
}
