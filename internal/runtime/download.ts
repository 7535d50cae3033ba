/**
 * Takes what a stranger's URL serves: no more of it than is wanted, for no longer than it may take, from
 * public addresses only. A name is resolved once, and the connection goes to the very address that was
 * looked at: a name that leads elsewhere a moment later (DNS rebinding) leads nowhere.
 */
import type { Socket } from "node:net";
import { connect as connectPlain, isIP } from "node:net";
import { messageOf, quoteOddWord, SionError, utf8 } from "#internal/core/mod.ts";
import { isPublicAddress } from "./addresses.ts";
import { codeOf } from "./error_code.ts";
import type { HttpHead } from "./http_parser.ts";
import { createHttpParser } from "./http_parser.ts";
import { monotonicMs, reasonOf } from "./time.ts";

/** `download`: what a URL leads to cannot be taken. */
export type DownloadErrorCode = "download";

/** What is to be taken. */
export interface Download {
  readonly url: string;
  /** More than this is refused, however much of it is served. */
  readonly mostBytes: number;
  /** Take what a private address serves too, this machine's among them. @default false */
  readonly allowPrivate?: boolean;
  /** Take `http:` too, from whom the user names, where the bytes are checked. @default false */
  readonly allowPlain?: boolean;
  readonly signal?: AbortSignal;
  /** Addresses of a name. @default as the system resolves it */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Certificates to trust instead of the system's: PEM. */
  readonly ca?: string;
  /** Milliseconds without a byte after which it is given up. @default 30,000 */
  readonly idleMs?: number;
  /** Milliseconds of waiting over which the rate is measured, again and again. @default 60,000 */
  readonly rateMs?: number;
}

const IDLE_MS = 30_000;
/** What comes slower than this is given up: bytes a millisecond, over each minute that is waited. */
const LEAST_RATE = 128;
const RATE_MS = 60_000;
const MAX_REDIRECTS = 5;
/** Addresses of a name that are tried. */
const MAX_ADDRESSES = 4;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The bytes that a URL serves, piece by piece. Leaving the loop ends the connection.
 * @throws {SionError} `download`, also when they end early; the signal's reason.
 */
export async function* download(request: Download): AsyncGenerator<Uint8Array> {
  let url = urlOf(request.url, request);
  for (let redirects = 0;; redirects++) {
    const answer = await ask(url, request);
    try {
      const to = redirectOf(answer.head);
      if (to === undefined) {
        checkHead(url, answer.head, request);
        yield* bodyOf(url, answer, request);
        return;
      }
      if (redirects === MAX_REDIRECTS) {
        throw refused(request.url, `it leads on more than ${MAX_REDIRECTS} times`);
      }
      url = urlOf(to, request, url);
    } finally {
      answer.socket.destroy();
    }
  }
}

function refused(url: string | URL, why: string, cause?: unknown): SionError<DownloadErrorCode> {
  return new SionError(
    "download",
    `cannot get ${quoteOddWord(String(url))}: ${why}`,
    cause === undefined ? {} : { cause },
  );
}

function urlOf(text: string, { allowPlain = false }: Download, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null) throw refused(text, "it is no URL");
  const isPlain = url.protocol === "http:";
  if (url.protocol !== "https:" && !(isPlain && allowPlain)) {
    throw refused(url, "it is no https:// URL");
  }
  // Not shown: it may be a secret.
  if (url.username !== "" || url.password !== "") {
    throw refused(url.host, "the URL has a name or a password in it");
  }
  return url;
}

function redirectOf({ status, headers }: HttpHead): string | undefined {
  return REDIRECTS.has(status) ? headers["location"] : undefined;
}

function checkHead(url: URL, { status, headers }: HttpHead, { mostBytes }: Download): void {
  if (status !== 200) throw refused(url, `it answers ${status}`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") throw refused(url, `it serves ${encoding} where none was asked for`);
  const length = Number(headers["content-length"] ?? 0);
  if (length > mostBytes) throw tooLarge(url, mostBytes);
}

function tooLarge(url: URL, mostBytes: number): SionError {
  return refused(url, `it serves more than ${mostBytes} bytes`);
}

/** An answer whose head has come. */
interface Answer {
  readonly head: HttpHead;
  readonly socket: Socket;
  /** More of the body; undefined at its end. */
  readonly more: () => Promise<readonly Uint8Array[] | undefined>;
}

async function* bodyOf(url: URL, { more }: Answer, request: Download): AsyncGenerator<Uint8Array> {
  let size = 0;
  for (let parts = await more(); parts !== undefined; parts = await more()) {
    for (const part of parts) {
      size += part.length;
      if (size > request.mostBytes) throw tooLarge(url, request.mostBytes);
      yield part;
    }
  }
}

/** Sends the request and waits for the head of the answer. */
async function ask(url: URL, request: Download): Promise<Answer> {
  const { signal, idleMs = IDLE_MS } = request;
  const socket = await openSocket(url, request);
  const pace = createPace(request);
  const abort = (): void => void socket.destroy(reasonOf(signal as AbortSignal));
  signal?.addEventListener("abort", abort, { once: true });
  socket.once("close", () => {
    signal?.removeEventListener("abort", abort);
  });
  let head: HttpHead | undefined;
  let ready: Uint8Array[] = [];
  const parser = createHttpParser({
    onHead: (found) => void (head = found),
    onBody: (part) => void ready.push(part),
  });
  const input = socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let ended = false;
  const read = async (): Promise<void> => {
    const idle = setTimeout(
      () => socket.destroy(refused(url, "nothing comes from it any more")),
      idleMs,
    );
    const askedMs = monotonicMs();
    try {
      const next = await input.next();
      const isTooSlow = pace(next.value?.length ?? 0, monotonicMs() - askedMs);
      if (isTooSlow && next.done !== true) throw refused(url, "it comes too slowly");
      ended = next.done === true ? parser.end() : parser.take(next.value);
      if (next.done === true && !ended) throw new Error("the connection ended early");
    } catch (error) {
      if (signal?.aborted === true) throw reasonOf(signal);
      throw error instanceof SionError ? error : refused(url, messageOf(error), error);
    } finally {
      clearTimeout(idle);
    }
  };
  socket.write(requestBytes(url));
  try {
    while (head === undefined) await read();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const more = async (): Promise<readonly Uint8Array[] | undefined> => {
    while (ready.length === 0 && !ended) await read();
    const parts = ready;
    ready = [];
    return parts.length === 0 ? undefined : parts;
  };
  return { head, socket, more };
}

/**
 * Measures how fast bytes come while they are waited for; time that they wait for us does not count. What
 * it returns takes bytes with the milliseconds that they took, and says whether a whole span was too slow.
 */
function createPace({ rateMs = RATE_MS }: Download): (bytes: number, ms: number) => boolean {
  let [bytes, waitedMs] = [0, 0];
  return (more, ms) => {
    bytes += more;
    waitedMs += ms;
    if (waitedMs < rateMs) return false;
    const isTooSlow = bytes < waitedMs * LEAST_RATE;
    [bytes, waitedMs] = [0, 0];
    return isTooSlow;
  };
}

function requestBytes(url: URL): Uint8Array {
  return utf8(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n` +
      "accept: */*\r\naccept-encoding: identity\r\nconnection: close\r\nuser-agent: sion\r\n\r\n",
  );
}

/** A connection to one of the host's addresses, the first that takes one. */
async function openSocket(url: URL, request: Download): Promise<Socket> {
  const addresses = await addressesOf(url, request);
  let last: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await connectTo(address, url, request);
    } catch (error) {
      if (request.signal?.aborted === true) throw reasonOf(request.signal);
      last = error;
    }
  }
  throw refused(url, `no connection (${codeOf(last)})`, last);
}

async function addressesOf(url: URL, request: Download): Promise<readonly string[]> {
  // A URL writes an IPv6 address in brackets; the system wants it bare.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const found = isIP(host) > 0 ? [host] : await resolved(host, url, request);
  // One private address among them is enough: it is a name that is meant to lead there.
  if (request.allowPrivate !== true && !found.every(isPublicAddress)) {
    throw refused(url, "it is at a private address, which only --allow-private takes");
  }
  return found;
}

async function resolved(
  host: string,
  url: URL,
  { resolve, signal }: Download,
): Promise<readonly string[]> {
  const found = await (resolve?.(host) ?? resolveAll(host)).catch((error: unknown) => {
    throw refused(url, `there is no host ${host} (${codeOf(error)})`, error);
  });
  if (signal?.aborted === true) throw reasonOf(signal);
  if (found.length === 0) throw refused(url, `there is no host ${host}`);
  return found;
}

async function resolveAll(host: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function connectTo(address: string, url: URL, request: Download): Promise<Socket> {
  const { signal, ca, idleMs = IDLE_MS } = request;
  // Loading it takes longer than most programs take to start.
  const tls = url.protocol === "https:" ? await import("node:tls") : undefined;
  const port = Number(url.port || (tls === undefined ? "80" : "443"));
  return await new Promise((resolve, reject) => {
    const socket = tls !== undefined
      ? tls.connect({
        host: address,
        port,
        // The name that the certificate has to be for; an address is no server name.
        ...(isIP(address) > 0 && url.hostname.includes(address)
          ? {}
          : { servername: url.hostname }),
        ...(ca === undefined ? {} : { ca }),
      })
      : connectPlain({ host: address, port });
    const end = (error: Error): void => {
      settle();
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => end(reasonOf(signal as AbortSignal));
    const timer = setTimeout(() => end(new Error("no answer")), idleMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      socket.off("error", end);
    };
    if (signal?.aborted === true) return onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("error", end);
    socket.once(tls !== undefined ? "secureConnect" : "connect", () => {
      settle();
      // What ends it later is told to who reads.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}
