/**
 * Whose a fault is that nothing catches: of several who work in one thread, the one in whose work it came up ends
 * alone. A fault that is nobody's ends the thread.
 *
 * What is begun in somebody's work is theirs: promises, timers, sockets. Callbacks that a runtime calls
 * without saying for whom are handed over through `owned`: Node forgets it for sockets that it
 * accepts, Deno for timers.
 */
import type { AsyncLocalStorage } from "node:async_hooks";
import process from "node:process";
import { isDeno } from "./platform.ts";

/** Told each fault of an owner's work that nothing catches. */
export type FaultTaker = (error: unknown) => void;

/** The owner of what runs now; made with the first of them. */
let owners: AsyncLocalStorage<FaultTaker | undefined> | undefined;

/** Runs the work of an owner, who is told of its faults, and of those of what it begins. */
export function runOwned(onFault: FaultTaker, work: () => void): void {
  owners ??= watch();
  runAs(owners, onFault, work);
}

/** The callback as part of the present owner's work, whoever calls it; itself where there is no owner. */
export function owned<A extends readonly unknown[]>(
  callback: (...args: A) => void,
): (...args: A) => void {
  const storage = owners;
  const owner = storage?.getStore();
  if (storage === undefined || owner === undefined) return callback;
  return (...args) => runAs(storage, owner, () => callback(...args));
}

function runAs(
  storage: AsyncLocalStorage<FaultTaker | undefined>,
  owner: FaultTaker,
  work: () => void,
): void {
  storage.run(owner, () => {
    try {
      work();
    } catch (error) {
      owner(error);
    }
  });
}

/** Looks at this thread's faults from now on. */
function watch(): AsyncLocalStorage<FaultTaker | undefined> {
  const { AsyncLocalStorage } = process.getBuiltinModule("node:async_hooks");
  const storage = new AsyncLocalStorage<FaultTaker | undefined>();
  if (isDeno) watchWebWorker(storage);
  else {
    process.on("uncaughtException", (error) => {
      const owner = storage.getStore();
      // What comes next and is nobody's would else run as the same owner's.
      storage.enterWith(undefined);
      if (owner === undefined) throw error;
      owner(error);
    });
  }
  return storage;
}

function watchWebWorker(storage: AsyncLocalStorage<FaultTaker | undefined>): void {
  const take = (event: Event, error: unknown): void => {
    const owner = storage.getStore();
    if (owner === undefined) return;
    event.preventDefault();
    owner(error);
  };
  addEventListener("error", (event) => take(event, (event as ErrorEvent).error));
  addEventListener(
    "unhandledrejection",
    (event) => take(event, (event as PromiseRejectionEvent).reason),
  );
}
