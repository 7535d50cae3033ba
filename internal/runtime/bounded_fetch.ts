/**
 * `fetch` for the clients of model providers: what comes back is bounded while it streams, redirects
 * are not followed (they would take the key along), and somebody hears each piece arrive.
 */
import { SionError } from "#internal/core/mod.ts";
import { createEventFilter } from "./event_filter.ts";

/** The bounds of one answer, bytes after decompression. */
export interface FetchBounds {
  /** Of an answer with a 2xx status. */
  readonly maxBytes: number;
  /** Of any other: it holds a message. */
  readonly maxErrorBytes: number;
  /**
   * Given where answers with a 2xx status are server-sent events: bytes of one event. Comments are
   * left out. @default they are something else
   */
  readonly maxEventBytes?: number;
  /** Called for each piece of a body. */
  readonly onBytes?: () => void;
}

/** `answer-too-large`: more bytes came, or in one event, than are taken; the connection was closed. */
export type FetchErrorCode = "answer-too-large";

/** As `fetch`; the body fails with `answer-too-large` when it outgrows its bound. */
export function boundedFetch(bounds: FetchBounds): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: "manual" });
    if (answer.body === null) return answer;
    const { maxBytes, maxErrorBytes, maxEventBytes, onBytes } = bounds;
    const body = answer.ok
      ? boundedStream(answer.body, {
        maxBytes,
        ...(maxEventBytes === undefined ? {} : { maxEventBytes }),
        onBytes,
      })
      : boundedStream(answer.body, { maxBytes: maxErrorBytes, onBytes });
    const { status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers });
  };
}

interface StreamBounds {
  readonly maxBytes: number;
  readonly maxEventBytes?: number;
  readonly onBytes: (() => void) | undefined;
}

function boundedStream(
  body: ReadableStream<Uint8Array>,
  { maxBytes, maxEventBytes, onBytes }: StreamBounds,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const filter = maxEventBytes === undefined ? undefined : createEventFilter(maxEventBytes);
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      // A piece that is all comments gives nothing, and nobody would ask again.
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        onBytes?.();
        size += value.length;
        const kept = filter === undefined ? value : filter.push(value);
        if (size > maxBytes || kept === undefined) {
          const what = size > maxBytes
            ? `the answer has more than ${maxBytes} bytes`
            : `an event of the answer has more than ${maxEventBytes} bytes`;
          const tooLarge = new SionError<FetchErrorCode>("answer-too-large", what);
          controller.error(tooLarge);
          return await reader.cancel(tooLarge);
        }
        if (kept.length > 0) return controller.enqueue(kept);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
