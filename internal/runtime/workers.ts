/**
 * Threads. A worker runs the same program file as its parent (a source file, a bundle, a single
 * executable), which asks `workerTask` first thing whether it is a worker and what to do there.
 *
 * Node: `worker_threads`. Deno: the web's `Worker`, which starts in a third of the time; from the
 * main thread only, since a worker's worker starts slowly there.
 */
import process from "node:process";
import type { Worker as NodeWorker } from "node:worker_threads";
import { messageOf, SionError } from "#internal/core/mod.ts";
import { isDeno } from "./platform.ts";

/** `worker-failed`: a worker ended by a fault of its own. */
export type WorkerErrorCode = "worker-failed";

/** What a worker is for: the name of a task that the entry file knows, and its data. */
export interface WorkerTask {
  readonly task: string;
  /** Anything that can be cloned between threads. */
  readonly data: unknown;
}

/** The parent's end of a worker. Messages arrive in order; none is lost before `onMessage`. */
export interface WorkerHandle extends AsyncDisposable {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(callback: (message: unknown) => void): void;
  /** Resolves when the worker is stopped; rejects with `worker-failed` when a fault ended it. */
  readonly ended: Promise<void>;
  /** Stops the worker at once, wherever it is. */
  terminate(): Promise<void>;
}

/** The worker's end. */
export interface WorkerPort {
  readonly task: string;
  readonly data: unknown;
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(callback: (message: unknown) => void): void;
}

/** The one executable's own program text, or `undefined` when this is no single executable. */
function embeddedProgram(): string | undefined {
  if (isDeno) return undefined;
  const sea = process.getBuiltinModule("node:sea");
  return sea.isSea() ? sea.getAsset("program", "utf8") : undefined;
}

/**
 * Starts a worker on a program file.
 * @param entry URL of the file; a single executable runs its embedded program instead.
 */
export function spawnWorker(entry: string, task: WorkerTask): WorkerHandle {
  return isDeno ? spawnWebWorker(entry, task) : spawnNodeWorker(entry, task);
}

/** Space for young objects of one that works in a thread, MB, of which V8 makes three. */
const YOUNG_MB = 2;

/**
 * Keeps the heaps of threads that start later small: their garbage, mostly of large byte strings, is
 * collected early, and old ones once a heap has grown by half.
 * Node only: Deno takes such settings at its start alone.
 * @param share how many work in each thread, from 1.
 */
export function keepThreadsSmall(share: number): void {
  if (isDeno) return;
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString(`--max-semi-space-size=${YOUNG_MB * share}`);
  setFlagsFromString("--heap-growing-percent=60");
}

/** True in a worker. Cheap: entries ask it before they load anything. */
export function isWorker(): boolean {
  return isDeno
    ? "WorkerGlobalScope" in globalThis
    : !process.getBuiltinModule("node:worker_threads").isMainThread;
}

let asked: Promise<WorkerPort | undefined> | undefined;

/**
 * Resolves to this worker's end, or to `undefined` on the main thread; the same each time. Asked
 * first at the entry, before anything is awaited: what is posted earlier than that can be lost.
 */
export function workerTask(): Promise<WorkerPort | undefined> {
  return asked ??= isDeno ? webWorkerPort() : Promise.resolve(nodeWorkerPort());
}

function failed(cause: unknown): SionError<WorkerErrorCode> {
  return new SionError("worker-failed", `A worker ended: ${messageOf(cause)}`, { cause });
}

// Node ---------------------------------------------------------------------------------------------

function spawnNodeWorker(entry: string, task: WorkerTask): WorkerHandle {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const program = embeddedProgram();
  const options = { workerData: { sion: task } };
  const worker = program === undefined
    ? new Worker(new URL(entry), options)
    : new Worker(program, { ...options, eval: true });
  return nodeHandle(worker);
}

function nodeHandle(worker: NodeWorker): WorkerHandle {
  const inbox = createInbox();
  worker.on("message", inbox.put);
  const ended = new Promise<void>((resolve, reject) => {
    worker.once("error", (cause) => reject(failed(cause)));
    worker.once("exit", () => resolve());
  });
  ended.catch(() => {});
  const terminate = async (): Promise<void> => {
    await worker.terminate();
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: inbox.take,
    ended,
    terminate,
    [Symbol.asyncDispose]: terminate,
  };
}

function nodeWorkerPort(): WorkerPort | undefined {
  const threads = process.getBuiltinModule("node:worker_threads");
  const { parentPort } = threads;
  const given = threads.workerData as { sion?: WorkerTask } | null;
  if (threads.isMainThread || parentPort === null || given?.sion === undefined) return undefined;
  const inbox = createInbox();
  parentPort.on("message", inbox.put);
  return {
    ...given.sion,
    post: (message, transfer = []) => parentPort.postMessage(message, [...transfer]),
    onMessage: inbox.take,
  };
}

// Deno and the web ---------------------------------------------------------------------------------

/** The members of a web worker's global scope that are used here. */
interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}

function spawnWebWorker(entry: string, task: WorkerTask): WorkerHandle {
  const worker = new Worker(entry, { type: "module" });
  const inbox = createInbox();
  let stopped = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    stopped = resolve;
    worker.onerror = (event) => {
      event.preventDefault();
      reject(failed(event.message));
    };
  });
  ended.catch(() => {});
  worker.onmessage = (event) => inbox.put(event.data);
  worker.postMessage({ sion: task });
  const terminate = (): Promise<void> => {
    worker.terminate();
    stopped();
    return Promise.resolve();
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: inbox.take,
    ended,
    terminate,
    [Symbol.asyncDispose]: terminate,
  };
}

function webWorkerPort(): Promise<WorkerPort | undefined> {
  if (!isWorker()) return Promise.resolve(undefined);
  const scope = globalThis as unknown as WorkerScope;
  return new Promise((resolve) => {
    const inbox = createInbox();
    scope.onmessage = ({ data }) => {
      scope.onmessage = (event) => inbox.put(event.data);
      resolve({
        ...(data as { sion: WorkerTask }).sion,
        post: (message, transfer = []) => scope.postMessage(message, [...transfer]),
        onMessage: inbox.take,
      });
    };
  });
}

/** Keeps messages until there is somebody to take them. */
function createInbox(): {
  put: (message: unknown) => void;
  take: (callback: (message: unknown) => void) => void;
} {
  let waiting: unknown[] = [];
  let taker: ((message: unknown) => void) | undefined;
  return {
    put(message) {
      if (taker === undefined) waiting.push(message);
      else taker(message);
    },
    take(callback) {
      taker = callback;
      const early = waiting;
      waiting = [];
      for (const message of early) callback(message);
    },
  };
}
