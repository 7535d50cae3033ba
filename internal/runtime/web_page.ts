/**
 * A page of the web: one GET, followed where it is redirected, each hop looked at as the first one is,
 * and its body unpacked within bounds. Nothing goes along that says who asks.
 */
import { promisify } from "node:util";
import { SionError } from "#internal/core/mod.ts";
import { codeOf } from "./error_code.ts";
import { monotonicMs } from "./time.ts";
import type { Reach, WebErrorCode, WebNetwork, WebResponse } from "./web_client.ts";
import { webRequest } from "./web_client.ts";

/** Redirects that are followed. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Packings of one body, one inside the other. */
const MAX_ENCODINGS = 2;

/** What is asked for. */
export interface PageRequest {
  readonly url: URL;
  /** They go wherever it is redirected to, so none of them may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reach: Reach;
  /** Until all of it is there, redirects included, ms. */
  readonly timeoutMs: number;
  /** Bytes of the body at most, both as it comes and unpacked. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** @default this machine's */
  readonly network?: WebNetwork;
}

/** What came. */
export interface WebPage extends WebResponse {
  /** Where it came from: the last redirect's address. */
  readonly url: URL;
}

/**
 * What a URL leads to.
 * @throws {SionError} `WebErrorCode`, `web-redirects` for whatever is wrong behind a redirect; or the
 * signal's reason
 */
export async function fetchPage(request: PageRequest): Promise<WebPage> {
  const endMs = monotonicMs() + request.timeoutMs;
  let url = request.url;
  for (let redirects = 0;; redirects++) {
    const found = await askOnce({ ...request, url, timeoutMs: Math.max(1, endMs - monotonicMs()) })
      .catch((error: unknown) => {
        throw redirects === 0 || !(error instanceof SionError)
          ? error
          : ledAstray(request.url, `to what cannot be read: ${error.message}`, error);
      });
    if (found.to === undefined) return found.page;
    if (redirects === MAX_REDIRECTS) {
      throw ledAstray(request.url, `more than ${MAX_REDIRECTS} times: give another URL`);
    }
    url = found.to;
  }
}

/** One hop: the page, and where it leads. */
async function askOnce(
  request: PageRequest,
): Promise<{ readonly page: WebPage; readonly to?: URL }> {
  const { url } = request;
  requireNoCredentials(url);
  const headers = { ...request.headers, "accept-encoding": "gzip, deflate, br" };
  const response = await webRequest({ ...request, method: "GET", headers });
  const to = redirectOf(response, url);
  if (to !== undefined) return { page: { ...response, url }, to };
  return { page: { ...response, url, body: await unpacked(response, url, request) } };
}

function ledAstray(url: URL, how: string, cause?: unknown): SionError<WebErrorCode> {
  return new SionError(
    "web-redirects",
    `${url.host} leads on ${how}`,
    cause === undefined ? {} : { cause },
  );
}

/** They would be sent, and shown in every message about it. */
function requireNoCredentials(url: URL): void {
  if (url.username === "" && url.password === "") return;
  throw new SionError<WebErrorCode>(
    "address-refused",
    `${url.host} is not asked, the URL has a name or a password in it: give it without`,
  );
}

function redirectOf({ status, headers }: WebResponse, url: URL): URL | undefined {
  const location = headers["location"];
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  return URL.parse(location, url) ?? undefined;
}

async function unpacked(
  { body, headers }: WebResponse,
  url: URL,
  { maxBytes }: PageRequest,
): Promise<Uint8Array> {
  const encodings = (headers["content-encoding"] ?? "").toLowerCase().split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "" && encoding !== "identity");
  if (encodings.length > MAX_ENCODINGS) throw unreadable(url, "it is packed more than twice");
  let bytes = body;
  for (const encoding of encodings.reverse()) {
    if (bytes.length === 0) return bytes;
    bytes = await unpack(bytes, encoding, url, maxBytes);
  }
  return bytes;
}

async function unpack(
  bytes: Uint8Array,
  encoding: string,
  url: URL,
  maxBytes: number,
): Promise<Uint8Array> {
  const { brotliDecompress, gunzip, inflate, inflateRaw } = await import("node:zlib");
  const options = { maxOutputLength: maxBytes };
  try {
    switch (encoding) {
      case "gzip":
      case "x-gzip":
        return await promisify(gunzip)(bytes, options);
      case "br":
        return await promisify(brotliDecompress)(bytes, options);
      case "deflate":
        // Servers differ on whether it has zlib's header, whose first byte ends in 8 (RFC 1950).
        return await promisify(((bytes[0] ?? 0) & 0xf) === 8 ? inflate : inflateRaw)(
          bytes,
          options,
        );
      default:
        throw unreadable(url, "it is packed in a way that was not asked for");
    }
  } catch (error) {
    if (error instanceof SionError) throw error;
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") {
      throw new SionError<WebErrorCode>(
        "web-too-large",
        `${url.host} answers with more than ${maxBytes} bytes, unpacked: ask for less`,
        { cause: error },
      );
    }
    throw unreadable(url, `what it sent cannot be unpacked (${codeOf(error)})`, error);
  }
}

function unreadable(url: URL, why: string, cause?: unknown): SionError<WebErrorCode> {
  return new SionError(
    "web-unreadable",
    `${url.host} gave an answer that cannot be read, ${why}: give another URL`,
    cause === undefined ? {} : { cause },
  );
}
