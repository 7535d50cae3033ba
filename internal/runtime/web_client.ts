/**
 * HTTP to addresses that a page, a model or a server chose. A name is resolved once, every address of it is
 * looked at, and the connection goes to one that was looked at. Nothing is redirected here: the caller
 * looks at where it leads, and asks again.
 */
import type { LookupFunction } from "node:net";
import { isIP, isIPv4 } from "node:net";
import { concatBytes, SionError } from "#internal/core/mod.ts";
import { isPublicAddress } from "./addresses.ts";
import { codeOf } from "./error_code.ts";
import { reasonOf } from "./time.ts";

/**
 * - `address-refused`: the place is not one that may be asked; nothing was sent.
 * - `web-unreachable`: no connection could be made, so nothing was sent.
 * - `web-lost`: no whole answer came; the request may have been carried out.
 * - `web-too-large`: the answer has more bytes than are taken.
 * - `web-redirects`: it leads on and on, or to what cannot be read.
 * - `web-unreadable`: the answer is whole and cannot be unpacked.
 */
export type WebErrorCode =
  | "address-refused"
  | "web-unreachable"
  | "web-lost"
  | "web-too-large"
  | "web-redirects"
  | "web-unreadable";

/** Headers of an answer that are taken, bytes; policies and cookies of large sites have more than 16 KiB. */
const MAX_HEADER_BYTES = 64 << 10;

/** Which places may be asked besides public ones. */
export interface Reach {
  /** Of this machine, where the URL names it: an address of it, or localhost. */
  readonly loopback: boolean;
  /** Of private networks too. */
  readonly private: boolean;
}

/** The network, for tests: what names resolve to, and where the connections really go. */
export interface WebNetwork {
  /** Every address of a name. @throws {Error} with a `code` when there is none */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Where a connection to a name's address goes, once that was looked at. @default there */
  readonly reached?: (address: string) => string;
}

/** One request. */
export interface WebRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly reach: Reach;
  /** Until the whole answer is there, ms. */
  readonly timeoutMs: number;
  /** Bytes of the answer's body that are taken at most. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** @default this machine's */
  readonly network?: WebNetwork;
}

/** One answer; header names in lower case, several of one name joined. */
export interface WebResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** @throws {SionError} `WebErrorCode`, or the signal's reason */
export async function webRequest(request: WebRequest): Promise<WebResponse> {
  const { url, signal } = request;
  signal?.throwIfAborted();
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(url, "only http: and https: are asked");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) requireReachable(url, host, request.reach);
  if (namesThisMachine(url) && !request.reach.loopback && !request.reach.private) {
    throw refused(url, "it leads to this machine");
  }
  const { request: send } = url.protocol === "https:"
    ? await import("node:https")
    : await import("node:http");
  const lookup = checkedLookup(request);
  return await new Promise((resolve, reject) => {
    let connected = false;
    const onAbort = (): void => fail(reasonOf(signal as AbortSignal));
    const sending = send(url, {
      method: request.method,
      headers: { ...request.headers, connection: "close" },
      lookup,
      agent: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const timer = setTimeout(() => {
      fail(failed(url, connected, "it did not answer in time"));
    }, request.timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      sending.destroy();
      reject(
        error instanceof SionError || signal?.aborted === true
          ? error
          : failed(url, connected, whyOf(error), error),
      );
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    sending.once("socket", (socket) => {
      socket.once("connect", () => (connected = true));
    });
    sending.on("error", fail);
    sending.once("response", (answer) => {
      connected = true;
      const parts: Uint8Array[] = [];
      let size = 0;
      answer.on("data", (part: Uint8Array) => {
        size += part.length;
        if (size > request.maxBytes) {
          return fail(
            new SionError<WebErrorCode>(
              "web-too-large",
              `${url.host} answers with more than ${request.maxBytes} bytes: ask for less`,
            ),
          );
        }
        parts.push(part);
      });
      answer.once("error", fail);
      answer.once("close", () => {
        if (!answer.complete) fail(failed(url, true, "it broke off"));
      });
      answer.once("end", () => {
        settle();
        resolve({
          status: answer.statusCode ?? 0,
          headers: joined(answer.headers),
          body: concatBytes(...parts),
        });
      });
    });
    sending.end(request.body);
  });
}

function joined(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
  );
  return Object.fromEntries(entries);
}

/** Resolves a name, refusing it when any of its addresses may not be asked. */
function checkedLookup({ url, reach, network }: WebRequest): LookupFunction {
  const { resolve, reached = sameAddress }: WebNetwork = network ?? { resolve: resolveAll };
  return (hostname, options, callback) => {
    resolve(hostname).then((addresses) => {
      for (const address of addresses) requireReachable(url, address, reach);
      const found = addresses.map(reached).map((address) => ({ address, family: isIP(address) }));
      const [first] = found;
      if (first === undefined) throw refused(url, "its name has no address");
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    }).catch((error: unknown) => callback(error as Error, "", 0));
  };
}

function sameAddress(address: string): string {
  return address;
}

async function resolveAll(host: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}

/** @throws {SionError} `address-refused` */
function requireReachable(url: URL, address: string, reach: Reach): void {
  if (reach.private || isPublicAddress(address)) return;
  const loopback = isLoopback(address);
  if (loopback && reach.loopback && namesThisMachine(url)) return;
  throw refused(url, loopback ? "it leads to this machine" : "it leads into a private network");
}

/** True where a URL says itself that it is about this machine. */
export function namesThisMachine(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return /^localhost\.?$/.test(host) || isLoopback(host);
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith("127.") : address === "::1";
}

function refused(url: URL, why: string): SionError<WebErrorCode> {
  const place = url.host === "" ? `A ${url.protocol} address` : url.host;
  return new SionError("address-refused", `${place} is not asked, ${why}: give another URL`);
}

/** What went wrong, in words where Node's parser has a code for it that says nothing to anybody else. */
function whyOf(error: unknown): string {
  const code = String(codeOf(error));
  if (code === "HPE_HEADER_OVERFLOW") return `its headers have more than ${MAX_HEADER_BYTES} bytes`;
  return code.startsWith("HPE_") ? `it is no HTTP (${code})` : code;
}

function failed(url: URL, sent: boolean, why: string, cause?: unknown): SionError<WebErrorCode> {
  return new SionError(
    sent ? "web-lost" : "web-unreachable",
    sent
      ? `${url.host} gave no whole answer, ${why}: try again`
      : `${url.host} cannot be reached, ${why}: check the URL`,
    { cause },
  );
}
