/** Asking a provider's server whose answers are server-sent events of JSON. */
import { SionError } from "#internal/core/mod.ts";
import type { EventAnswer, EventClient } from "#internal/runtime/mod.ts";
import { isOfWhole, WholeAnswer } from "./_errors.ts";
import type { ModelRequest } from "./_model.ts";
import { EVENT_BOUNDS } from "./_vendor.ts";

/** What a server answered instead of an answer, in the form that `_errors.ts` reads. */
class ApiError extends Error {
  /** Missing of what an event of a stream said. */
  readonly status: number | undefined;
  readonly headers: EventAnswer["headers"];
  /** The body: JSON as what it says, else its text. */
  readonly error: unknown;

  constructor({ status, headers, error }: Pick<ApiError, "status" | "headers" | "error">) {
    super(status === undefined ? "The stream ends in an error" : `The status is ${status}`);
    this.status = status;
    this.headers = headers;
    this.error = error;
  }
}

/**
 * Makes a request and reads the events of its answer.
 * @param body stringified as JSON
 * @throws {ApiError}; `SyntaxError` for an event that is no JSON; an error for a connection, with its cause
 */
export async function* eventsOf<Event extends { readonly type: string }>(
  client: EventClient,
  { url, headers, body }: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  },
  { signal, heard }: ModelRequest,
): AsyncGenerator<Event> {
  try {
    const answer = await client.post({
      url,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
      bounds: { ...EVENT_BOUNDS, onBytes: heard },
    });
    const { status } = answer;
    if (status < 200 || status >= 300) {
      throw new ApiError({ ...answer, error: jsonOrText(await answer.text()) });
    }
    if (isOfWhole(answer.headers.get("content-type"))) {
      throw new WholeAnswer(jsonOrText(await answer.text()));
    }
    for await (const data of answer.events()) {
      const event = JSON.parse(data) as Event;
      if (event.type === "error") {
        throw new ApiError({ ...answer, status: undefined, error: event });
      }
      yield event;
    }
  } catch (thrown) {
    // Its code is one of this program, not of the server.
    throw thrown instanceof SionError
      ? new Error("The connection failed", { cause: thrown })
      : thrown;
  }
}

/** A body as what it says: JSON, or its text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
