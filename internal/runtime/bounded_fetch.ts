/**
 * `fetch` for the clients of model providers: what comes back is bounded while it streams, redirects
 * are not followed (they would take the key along), and somebody hears each piece arrive.
 */
import type { FetchBounds } from "./body_bounds.ts";
import { createBodyBounds } from "./body_bounds.ts";

/** As `fetch`; the body fails with `answer-too-large` when it outgrows its bound. */
export function boundedFetch(bounds: FetchBounds): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: "manual" });
    if (answer.body === null) return answer;
    const { status, statusText, headers } = answer;
    const body = boundedStream(answer.body, createBodyBounds(bounds, answer.ok));
    return new Response(body, { status, statusText, headers });
  };
}

function boundedStream(
  body: ReadableStream<Uint8Array>,
  bounded: (piece: Uint8Array) => Uint8Array,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      // A piece that is all comments gives nothing, and nobody would ask again.
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        try {
          const kept = bounded(value);
          if (kept.length > 0) return controller.enqueue(kept);
        } catch (tooLarge) {
          controller.error(tooLarge);
          return await reader.cancel(tooLarge);
        }
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
