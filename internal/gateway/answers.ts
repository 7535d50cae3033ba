/** How the gateway answers: JSON, the headers of x402, what is copied of a stream. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { concatBytes, stringifyJson, utf8 } from "#internal/core/mod.ts";
import { encodeHeader, HEADERS } from "#internal/x402/mod.ts";
import type { PaymentRequired, SettleResponse } from "#internal/x402/mod.ts";

/** Headers of an answer, in lower case. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Sends a value, unless something was sent already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const body = utf8(stringifyJson(value));
  response.writeHead(status, {
    ...writable(headers),
    "content-type": "application/json",
    "content-length": body.length,
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Sends what is wrong, in one line. */
export function sendError(
  response: ServerResponse,
  status: number,
  error: string,
  headers: Headers = {},
): void {
  sendJson(response, status, { error }, { "cache-control": "no-store", ...headers });
}

/** Sends the answer 402, in the header and, since many read that, in the body. */
export function sendRequired(
  response: ServerResponse,
  required: PaymentRequired,
  settlement?: SettleResponse,
): void {
  sendJson(response, 402, required, {
    "cache-control": "no-store",
    [HEADERS.required]: encodeHeader(required),
    ...(settlement === undefined ? {} : { [HEADERS.response]: encodeHeader(settlement) }),
  });
}

/** As Node takes them. */
export function writable(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : [...value],
    ]),
  );
}

/** A request's body. @returns undefined when it has more bytes than are taken, or breaks off */
export async function readBody(
  request: IncomingMessage,
  most: number,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > most) return undefined;
      parts.push(part);
    }
  } catch {
    // Its client hung up in the middle.
    return undefined;
  }
  return concatBytes(...parts);
}
