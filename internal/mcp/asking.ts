/** The requests of the server's own on one link, which only clients before 2026-07-28 answer. */
import { type JsonValue, SionError } from "#internal/core/mod.ts";
import {
  idKey,
  type Incoming,
  isObject,
  type JsonObject,
  notificationMessage,
  requestMessage,
} from "./json_rpc.ts";

/** What was asked of the client. */
export interface Asking {
  /**
   * Sends a request and gives its result. When the signal aborts, the client is told to give it up.
   * @throws {SionError} `client-answer` when the client answers with an error, or is gone
   */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Takes an answer; one to nothing is ignored. */
  answer(message: Extract<Incoming, { type: "answer" }>): void;
  /** The client sends nothing any more. */
  end(): void;
}

/** Nothing was asked yet. */
export function createAsking(send: (message: JsonValue) => void): Asking {
  const open = new Map<string, PromiseWithResolvers<JsonObject>>();
  let count = 0;
  let isOver = false;
  return {
    async ask(method, params, signal) {
      signal.throwIfAborted();
      if (isOver) throw gone(method);
      const id = `sion-${++count}`;
      const key = idKey(id);
      const waiting = Promise.withResolvers<JsonObject>();
      open.set(key, waiting);
      const abort = (): void => {
        send(notificationMessage("notifications/cancelled", { requestId: id }));
        waiting.reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      try {
        send(requestMessage(id, method, params));
        return await waiting.promise;
      } finally {
        open.delete(key);
        signal.removeEventListener("abort", abort);
      }
    },
    answer({ id, result, error }) {
      const waiting = open.get(idKey(id));
      if (isObject(result)) waiting?.resolve(result);
      else waiting?.reject(refusal(error));
    },
    end() {
      isOver = true;
      for (const { reject } of open.values()) reject(gone("a question"));
    },
  };
}

function refusal(error: JsonValue | undefined): SionError {
  const said = isObject(error) && typeof error["message"] === "string" ? error["message"] : "no";
  return new SionError("client-answer", `the client refused to answer: ${said.slice(0, 256)}`);
}

function gone(what: string): SionError {
  return new SionError("client-answer", `the client is gone and does not answer ${what}`);
}
