/** Typed calls of the RPC contract over a transport. Everything is derived from the contract. */
import { SionError } from "#internal/core/mod.ts";
import type { Method, MethodName, RpcCalls } from "#internal/rpc/mod.ts";
import { methods, RpcError } from "#internal/rpc/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import { noNode } from "./errors.ts";
import type { Transport } from "./types.ts";

/** A node that is busy, or asked too often, takes nothing: how often and how long to come again for, ms. */
const BUSY_LIMIT_MS = 20_000;
const BUSY_RETRY_MS = 100;

/** A caller for each method. Busy nodes are asked again for a while. */
export function rpcCalls(transport: Transport, node: string): RpcCalls {
  const names = Object.keys(methods) as MethodName[];
  const calls = names.map((name) => {
    const method = methods[name] as Method<unknown, { readonly pulse: number }>;
    const call = async (params: unknown, options: { readonly signal?: AbortSignal } = {}) => {
      const answer = await whileBusy(
        () => transport(name, params, { ...options, waitsMs: method.waitsMs?.(params) ?? 0 }),
        options.signal,
      );
      try {
        return method.result.parse(answer, name);
      } catch (cause) {
        throw noNode(node, cause);
      }
    };
    return [name, call] as const;
  });
  return Object.fromEntries(calls) as unknown as RpcCalls;
}

/** True for an error that says that a node did not answer, so that asking again may help. */
export function isNodeGone(error: unknown): boolean {
  return error instanceof SionError &&
    (error.code === "node-unreachable" || error.code === "stopping" || error.code === "busy");
}

/** True for an error that says that the node itself reaches no validator. */
export function isUnconnected(error: unknown): boolean {
  return error instanceof SionError && error.code === "unconnected";
}

/** Codes that say that nothing was done and that asking again later helps. */
function isLater(code: string): boolean {
  return code === "busy" || code === "limited";
}

async function whileBusy<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let waitedMs = 0;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RpcError) || !isLater(error.code) || waitedMs >= BUSY_LIMIT_MS) {
        throw error;
      }
      const told = error.data["retry_after_ms"];
      const pauseMs = Math.max(BUSY_RETRY_MS, typeof told === "number" ? Math.min(told, 2_000) : 0);
      waitedMs += pauseMs;
      await sleep(pauseMs, signal);
    }
  }
}
