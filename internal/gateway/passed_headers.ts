/**
 * Which headers pass through the gateway. What ends at a connection (RFC 9110, 7.6.1) does not, nor what
 * is about payment, nor what would make the server behind read another request than was paid for.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Headers } from "./answers.ts";

/** Headers of one connection only. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const OF_PAYMENT = /^(x-)?payment-|^x-payment$/;
/** What an upstream is told of the client is told by the gateway alone. */
const OF_CLIENT = /^(x-forwarded-.*|forwarded|x-real-ip|x-client-ip|true-client-ip)$/;
/** A payment is for a method and a URL: frameworks that know these headers would take others from them. */
const OF_PLACE = /^(x-http-method(-override)?|x-method-override|x-original-ur[il]|x-rewrite-url)$/;
/** The gateway's own: where the request goes, and how long its body is. */
const OWN = new Set(["host", "expect", "content-length"]);

/** The headers of a request as the server behind gets them, all but its name. */
export function requestHeaders(request: IncomingMessage): Record<string, string | string[]> {
  const passing = passedOn(
    request.headers,
    (name) => OWN.has(name) || OF_CLIENT.test(name) || OF_PLACE.test(name),
  );
  return { ...passing, ...forwarded(request), ...framing(request) };
}

/** The headers of an answer as the client gets them. */
export function answerHeaders(headers: IncomingHttpHeaders): Headers {
  return passedOn(headers, () => false);
}

/** Whether a request's body has a form that can be passed on: its length, or chunks and nothing else. */
export function isFramed({ headers }: IncomingMessage): boolean {
  return /^(chunked)?$/i.test(headers["transfer-encoding"] ?? "");
}

/** Whether a body comes with a request, and goes on. What costs nothing has none. */
export function hasBody({ headers, method }: IncomingMessage): boolean {
  if (method === "OPTIONS") return false;
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}

/**
 * How the body is told from what follows: as it came, whatever other headers say. Without it the body of a
 * GET would stand there as a request of its own, which nobody paid for.
 */
function framing(request: IncomingMessage): Record<string, string> {
  if (!hasBody(request)) return {};
  const length = request.headers["content-length"];
  return length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": length };
}

function passedOn(
  headers: IncomingHttpHeaders,
  stays: (name: string) => boolean,
): Record<string, string | string[]> {
  const named = String(headers["connection"] ?? "").toLowerCase().split(",")
    .map((one) => one.trim());
  const passing = Object.entries(headers).flatMap(([name, value]) => {
    const ends = HOP_BY_HOP.has(name) || named.includes(name) || OF_PAYMENT.test(name);
    return ends || stays(name) || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passing);
}

function forwarded(request: IncomingMessage): Record<string, string> {
  const address = request.socket.remoteAddress;
  return {
    ...(address === undefined ? {} : { "x-forwarded-for": address }),
    ...(request.headers.host === undefined ? {} : { "x-forwarded-host": request.headers.host }),
    "x-forwarded-proto": "http",
  };
}
