/** The clock and waiting. */
import { setImmediate } from "node:timers";
import type { Clock } from "#internal/core/mod.ts";
import { owned } from "./faults.ts";

/** The machine's clock. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Milliseconds of a clock that never goes back, from an arbitrary start. */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * Waits `ms` milliseconds.
 * @throws the signal's reason when it aborts first.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(reasonOf(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(reasonOf(signal as AbortSignal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Lets other work of this thread run: sockets, timers, promises. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A timer that can be set again; at most one callback waits at a time. */
export interface Alarm {
  /** Calls back in `ms` milliseconds, instead of what was set before. */
  set(ms: number): void;
  clear(): void;
}

/** An alarm that calls `onDue`. It alone does not keep the process alive when `background`. */
export function createAlarm(onDue: () => void, options: { background?: boolean } = {}): Alarm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = owned(onDue);
  const clear = (): void => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
  };
  return {
    clear,
    set(ms) {
      clear();
      timer = setTimeout(() => {
        timer = undefined;
        call();
      }, Math.max(0, ms));
      if (options.background === true) (timer as unknown as { unref(): void }).unref();
    },
  };
}

/** The reason of an aborted signal, always an Error. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error("Stopped", { cause: reason });
}
