/** The requests of one connection that still run: their ids, their signals, their end. */
import { idKey, type JsonObject, ProtocolError, type RequestId } from "./json_rpc.ts";

/** Requests that may run at once; a client that asks more is told so. */
const MAX_IN_FLIGHT = 1024;

/** How a request ended. */
export type Outcome = PromiseSettledResult<JsonObject>;

/** A request that may come to run. */
export interface Flight {
  readonly signal: AbortSignal;
  /** True until it ended. */
  isRunning(): boolean;
  /** Tells the outcome of `work`, or nothing when its client cancelled it; part of `idle`. */
  take(work: Promise<JsonObject>, done: (outcome: Outcome | undefined) => void): void;
}

/** All requests that run. */
export interface InFlight {
  /** @throws {ProtocolError} when the id is in use, or too many run. */
  open(id: RequestId): Flight;
  /** True while a request of the id runs. */
  has(id: RequestId): boolean;
  /** Aborts a request and drops its outcome; an id that does not run is no error. */
  cancel(id: RequestId): void;
  /** Aborts every request; outcomes are kept. */
  abort(): void;
  /** Resolves when no request runs. */
  idle(): Promise<void>;
}

/** None runs yet. */
export function createInFlight(): InFlight {
  const running = new Map<string, { controller: AbortController; cancelled: boolean }>();
  const pending = new Set<Promise<void>>();
  return {
    open(id) {
      const key = idKey(id);
      if (running.has(key)) {
        const message = `invalid request: id ${id} is in use by a request that still runs`;
        throw new ProtocolError("invalid-request", message);
      }
      if (running.size >= MAX_IN_FLIGHT) {
        const message = `internal error: ${MAX_IN_FLIGHT} requests run already, ask again later`;
        throw new ProtocolError("internal", message);
      }
      const entry = { controller: new AbortController(), cancelled: false };
      let ended = false;
      return {
        signal: entry.controller.signal,
        isRunning: () => !ended,
        take(work, done) {
          running.set(key, entry);
          const settled = Promise.allSettled([work]).then(([outcome]) => {
            ended = true;
            running.delete(key);
            pending.delete(settled);
            done(entry.cancelled ? undefined : outcome);
          });
          pending.add(settled);
        },
      };
    },
    has: (id) => running.has(idKey(id)),
    cancel(id) {
      const entry = running.get(idKey(id));
      if (entry === undefined) return;
      entry.cancelled = true;
      entry.controller.abort();
    },
    abort() {
      for (const { controller } of running.values()) controller.abort();
    },
    async idle() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
