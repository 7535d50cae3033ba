/** The main thread's end of a validator's thread. */
import type { Logger } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { MethodName, MethodParams, MethodResult } from "#internal/rpc/mod.ts";
import { createAlarm, spawnWorker } from "#internal/runtime/mod.ts";
import type { Address } from "./dialer.ts";
import { stoppingError } from "./errors.ts";
import type { FromValidator, ToValidator, ValidatorTaskData } from "./protocol.ts";
import { receivedError, VALIDATOR_TASK } from "./protocol.ts";

/** Time that a validator has to commit what it holds when it is asked to stop, ms. */
const STOP_MS = 1_000;

/** What is known of a validator once it is open. */
export interface OpenedValidator {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Port that its peers connect to; undefined when nobody can. */
  readonly port: number | undefined;
  /** Its index in the committee; null when it only follows. */
  readonly validator: number | null;
}

/** A validator in its own thread. Disposing of it stops it, and ends it if it does not stop. */
export interface ValidatorThread extends AsyncDisposable {
  /** Opens the validator; resolves to its chain and the port for its peers. */
  open(data: ValidatorTaskData): Promise<OpenedValidator>;
  /** Rejects when a fault ends it; never resolves otherwise. */
  readonly fault: Promise<never>;
  /** Lets it begin, connected to peers at these addresses. */
  start(peers: readonly Address[]): void;
  call<N extends MethodName>(
    method: N,
    params: MethodParams<N>,
    signal?: AbortSignal,
  ): Promise<MethodResult<N>>;
  /** Calls back at each executed Pulse. */
  onPulse(callback: (number: number) => void): void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Starts a validator's thread, which loads its program meanwhile and opens nothing yet.
 * @param entry URL of the program file that runs `runValidatorTask` as a worker.
 */
export function startValidatorThread(entry: string, logger: Logger): ValidatorThread {
  const worker = spawnWorker(entry, { task: VALIDATOR_TASK, data: null });
  const opened = Promise.withResolvers<OpenedValidator>();
  const failed = Promise.withResolvers<never>();
  const stopped = Promise.withResolvers<void>();
  const waiting = new Map<number, Waiting>();
  const listeners: ((number: number) => void)[] = [];
  let nextId = 1;
  let ending = false;
  const post = (message: ToValidator): void => worker.post(message);

  const fail = (error: unknown): void => {
    if (ending) return;
    ending = true;
    opened.reject(error);
    failed.reject(error);
    endCalls();
  };
  const endCalls = (): void => {
    for (const { reject } of waiting.values()) {
      reject(stoppingError());
    }
    waiting.clear();
  };
  // Whoever starts the thread looks at these when it suits.
  opened.promise.catch(() => {});
  failed.promise.catch(() => {});
  worker.ended.then(
    () => fail(new SionError("worker-failed", "A validator's thread ended")),
    fail,
  );
  worker.onMessage((message) => {
    const received = message as FromValidator;
    switch (received.type) {
      case "open":
        return opened.resolve(received);
      case "fault":
        return fail(receivedError(received.error));
      case "pulse":
        for (const listener of listeners) listener(received.number);
        return;
      case "log":
        return logger.log(received.level, received.message, received.fields);
      case "stopped":
        return stopped.resolve();
      case "result":
        waiting.get(received.id)?.resolve(received.value);
        return void waiting.delete(received.id);
      case "error":
        waiting.get(received.id)?.reject(receivedError(received.error));
        return void waiting.delete(received.id);
    }
  });

  return {
    open(data) {
      post({ type: "open", data });
      return opened.promise;
    },
    fault: failed.promise,
    start: (peers) => post({ type: "start", peers }),
    call(method, params, signal) {
      if (ending) return Promise.reject(stoppingError());
      const id = nextId++;
      const cancel = (): void => post({ type: "cancel", id });
      signal?.addEventListener("abort", cancel, { once: true });
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      post({ type: "call", id, method, params });
      return answer.finally(() => signal?.removeEventListener("abort", cancel)) as Promise<
        MethodResult<typeof method>
      >;
    },
    onPulse: (callback) => void listeners.push(callback),
    async [Symbol.asyncDispose]() {
      const wasEnding = ending;
      ending = true;
      if (!wasEnding) {
        post({ type: "stop" });
        const limit = createAlarm(stopped.resolve);
        limit.set(STOP_MS);
        await stopped.promise;
        limit.clear();
      }
      endCalls();
      await worker.terminate();
    },
  };
}
