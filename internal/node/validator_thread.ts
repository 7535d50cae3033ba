/** The main thread's ends of threads and the validators in them. */
import type { Logger } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { MethodName, MethodParams, MethodResult } from "#internal/rpc/mod.ts";
import type { WorkerHandle } from "#internal/runtime/mod.ts";
import { createAlarm, spawnWorker } from "#internal/runtime/mod.ts";
import type { Address } from "./dialer.ts";
import { stoppingError } from "./errors.ts";
import type {
  FromValidator,
  Placed,
  ToValidator,
  ValidatorTaskData,
  ValidatorTaskSize,
} from "./protocol.ts";
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

/**
 * A validator in a thread. Disposing of it stops it; the thread ends with the last of its validators,
 * and then in any case.
 */
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
 * Starts threads for so many validators, which load their program meanwhile and open nothing yet.
 * Validators share threads where there are fewer cores: what each could do at once with a thread of its own it
 * would wait for a core to do.
 * @param entry URL of the program file that runs `runValidatorTask` as a worker.
 */
export function startValidatorThreads(
  entry: string,
  { count, cores, logger }: {
    readonly count: number;
    readonly cores: number;
    readonly logger: Logger;
  },
): readonly ValidatorThread[] {
  const perThread = validatorsPerThread(count, cores);
  const ends: WorkerHandle[] = [];
  for (let left = count; left > 0; left -= perThread) {
    ends.push(...spawnShared(entry, Math.min(perThread, left)));
  }
  return ends.map((end) => validatorIn(end, logger));
}

/** How many validators share a thread, where so many have so many cores. */
export function validatorsPerThread(count: number, cores: number): number {
  return Math.ceil(count / Math.max(1, Math.min(count, cores)));
}

/** A thread as its validators see it, one end for each. */
function spawnShared(entry: string, validators: number): readonly WorkerHandle[] {
  const data: ValidatorTaskSize = { validators };
  const worker = spawnWorker(entry, { task: VALIDATOR_TASK, data });
  const takers = new Map<number, (message: unknown) => void>();
  const left = new Set(Array.from({ length: validators }, (_, place) => place));
  worker.onMessage((received) => {
    const { place, message } = received as Placed<unknown>;
    takers.get(place)?.(message);
  });
  return [...left].map((place): WorkerHandle => {
    const terminate = async (): Promise<void> => {
      left.delete(place);
      if (left.size === 0) await worker.terminate();
    };
    return {
      post: (message) => worker.post({ place, message }),
      onMessage: (callback) => void takers.set(place, callback),
      ended: worker.ended,
      terminate,
      [Symbol.asyncDispose]: terminate,
    };
  });
}

function validatorIn(worker: WorkerHandle, logger: Logger): ValidatorThread {
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
      // One that a fault ended has sockets and a store all the same, and others may live in its thread.
      post({ type: "stop" });
      if (!wasEnding) {
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
