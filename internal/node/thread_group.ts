/**
 * The validators' threads of a process, as clients and whoever started it see them: while enough of
 * them live, the fault of one moves its clients to another and is one line in the log.
 */
import type { Logger } from "#internal/core/mod.ts";
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { MethodName, MethodParams, MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { methods, RpcError } from "#internal/rpc/mod.ts";
import { NodeError, stoppingError } from "./errors.ts";
import type { ValidatorThread } from "./validator_thread.ts";

/** What a group is made of. */
export interface ThreadGroupOptions {
  readonly threads: readonly ValidatorThread[];
  /** What messages call a thread's node: `validator 2`. */
  readonly nameOf: (index: number) => string;
  /** Whether the threads of a mask (bit i is thread i) can go on without the others. */
  readonly isEnough: (mask: number) => boolean;
  readonly logger: Logger;
}

/** Threads that answer for each other. */
export interface ThreadGroup {
  /** Answered by the first thread that lives. */
  readonly calls: RpcCalls;
  /** Rejects with `node-stopped` or `store-failed` when too few threads live, else never. */
  readonly fault: Promise<never>;
  /** From now on faults of threads are looked at: before, they are those of the start. */
  watch(): void;
  /** Calls back at each Pulse that the answering thread has executed, and when another answers. */
  onPulse(callback: () => void): void;
}

/** Calls that must not be made twice: an answer that is lost may stand for one that was carried out. */
const ONCE: ReadonlySet<MethodName> = new Set(["faucet"]);

/** A group of threads that all live. */
export function createThreadGroup(
  { threads, nameOf, isEnough, logger }: ThreadGroupOptions,
): ThreadGroup {
  const alive = new Set(threads.keys());
  const listeners: (() => void)[] = [];
  const failed = Promise.withResolvers<never>();
  // Whoever started the threads looks at it when it suits.
  failed.promise.catch(() => {});
  const tell = (): void => {
    for (const listener of listeners) listener();
  };

  const end = (index: number, cause: unknown): void => {
    alive.delete(index);
    const mask = [...alive].reduce((bits, i) => bits | (1 << i), 0);
    if (alive.size === 0 || !isEnough(mask)) {
      return failed.reject(faultOf(nameOf(index), cause));
    }
    logger.log("error", `One of the validators stopped, the others go on: ${messageOf(cause)}`, {
      validator: index,
    });
    void threads[index]?.[Symbol.asyncDispose]();
    tell();
  };
  threads.forEach((thread, index) => {
    thread.onPulse(() => {
      if (firstOf(alive) === index) tell();
    });
  });

  const call = <N extends MethodName>(name: N) =>
  async (
    params: MethodParams<N>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<MethodResult<N>> => {
    let stopping: RpcError | undefined;
    for (const index of [...alive]) {
      try {
        return await (threads[index] as ValidatorThread).call(name, params, signal);
      } catch (error) {
        if (!(error instanceof RpcError) || error.code !== "stopping" || ONCE.has(name)) {
          throw error;
        }
        stopping = error;
      }
    }
    throw stopping ?? stoppingError();
  };
  const names = Object.keys(methods) as MethodName[];
  return {
    calls: Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as RpcCalls,
    fault: failed.promise,
    watch() {
      threads.forEach((thread, index) => {
        thread.fault.catch((cause: unknown) => end(index, cause));
      });
    },
    onPulse: (callback) => void listeners.push(callback),
  };
}

function firstOf(alive: ReadonlySet<number>): number | undefined {
  for (const index of alive) return index;
  return undefined;
}

/** A thread's fault as a sentence for people. */
function faultOf(name: string, cause: unknown): unknown {
  // It names the node and says what to do already.
  if (cause instanceof SionError && cause.code === "store-failed") return cause;
  return new NodeError(
    "node-stopped",
    `${name} stopped (${messageOf(cause)}): the chain is kept, start it again`,
    { cause },
  );
}
