/**
 * `fetch` for the clients of model providers: what comes back is bounded while it streams, redirects
 * are not followed (they would take the key along), and somebody hears each piece arrive.
 */
import { SionError } from "#internal/core/mod.ts";

/** The bounds of one answer, bytes after decompression. */
export interface FetchBounds {
  /** Of an answer with a 2xx status. */
  readonly maxBytes: number;
  /** Of any other: it holds a message. */
  readonly maxErrorBytes: number;
  /** Called for each piece of a body. */
  readonly onBytes?: () => void;
}

/** `answer-too-large`: more bytes came than are taken; the connection was closed. */
export type FetchErrorCode = "answer-too-large";

/** As `fetch`; the body fails with `answer-too-large` when it outgrows its bound. */
export function boundedFetch(bounds: FetchBounds): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: "manual" });
    if (answer.body === null) return answer;
    const limit = answer.ok ? bounds.maxBytes : bounds.maxErrorBytes;
    const body = boundedStream(answer.body, limit, bounds.onBytes);
    const { status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers });
  };
}

function boundedStream(
  body: ReadableStream<Uint8Array>,
  limit: number,
  onBytes: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      onBytes?.();
      size += value.length;
      if (size > limit) {
        const tooLarge = new SionError<FetchErrorCode>(
          "answer-too-large",
          `the answer has more than ${limit} bytes`,
        );
        controller.error(tooLarge);
        return await reader.cancel(tooLarge);
      }
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
