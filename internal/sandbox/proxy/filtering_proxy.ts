/**
 * The proxy through which a sandbox without network reaches the hosts that were declared, and no
 * other: by exact name, on the web's ports, at public addresses that it resolves itself. Each plain
 * connection carries one request; in a tunnel the name of the greeting must be the tunnel's.
 */
import { lookup } from "node:dns/promises";
import { chmod } from "node:fs/promises";
import { connect, createServer, isIP } from "node:net";
import type { Server, Socket } from "node:net";
import { isPublicAddress } from "#internal/runtime/mod.ts";
import { serverNameOf } from "./client_hello.ts";
import { readRequestHead } from "./request_head.ts";
import type { ProxyRequest } from "./request_head.ts";

/** Bytes of a head, and of a greeting. */
const HEAD_BYTES = 16 << 10;
/** Time for a head, a greeting, a connection, ms. */
const STEP_MS = 10_000;
/** Connections at a time. */
const MOST_CONNECTIONS = 64;

/** A host that a command asked for. */
export interface HostUse {
  readonly host: string;
  readonly port: number;
  /** Why it was not reached; missing when it was. */
  readonly refused?: string;
}

/** What a proxy is started with. */
export interface ProxyOptions {
  /** Names that may be reached, exact. */
  readonly hosts: readonly string[];
  /** Hears of each host that is asked for. */
  readonly onHost?: (use: HostUse) => void;
  /** Addresses of a name. @default as the system resolves it */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Opens a connection. @default over the network */
  readonly dial?: (address: string, port: number) => Socket;
}

/** Listens at a path of the file system until it is disposed of. */
export async function startProxy(path: string, options: ProxyOptions): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    serve(socket, options).catch(() => socket.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // Whoever stands for the sandbox's user connects; the folder above it lets nobody else come near.
  await chmod(path, 0o666);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(socket: Socket, options: ProxyOptions): Promise<void> {
  const client = new Incoming(socket);
  const head = await client.until((bytes) => indexOfEnd(bytes));
  if (head === undefined) return refuse(socket, 400, "no request");
  const request = readRequestHead(new TextDecoder("latin1").decode(head.subarray(0, -4)));
  if (request.kind === "refused") return refuse(socket, 400, request.why);
  const address = await allowedAddress(request, options);
  if (typeof address !== "string") {
    options.onHost?.({ host: request.host, port: request.port, refused: address.refused });
    return refuse(socket, 403, address.refused);
  }
  options.onHost?.({ host: request.host, port: request.port });
  if (request.kind === "tunnel") await tunnel(client, request.host, address, request.port, options);
  else await passOn(client, request, address, options);
}

/** The address to connect to, checked. */
async function allowedAddress(
  { kind, host, port }: Exclude<ProxyRequest, { kind: "refused" }>,
  { hosts, resolve = addressesOf }: ProxyOptions,
): Promise<string | { readonly refused: string }> {
  if (isIP(host) !== 0 || !hosts.includes(host)) return { refused: "host not declared" };
  if (port !== (kind === "tunnel" ? 443 : 80)) return { refused: "port not allowed" };
  const addresses = await resolve(host).catch(() => []);
  const [first] = addresses;
  if (first === undefined) return { refused: "no such host" };
  return addresses.every(isPublicAddress) ? first : { refused: "address not public" };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

async function tunnel(
  client: Incoming,
  host: string,
  address: string,
  port: number,
  options: ProxyOptions,
): Promise<void> {
  client.socket.write("HTTP/1.1 200 OK\r\n\r\n");
  let name: string | undefined;
  const greeting = await client.until((bytes) => {
    const read = serverNameOf(bytes);
    if (read === "more") return undefined;
    name = read?.name;
    return bytes.length;
  });
  if (greeting === undefined || name !== host) {
    options.onHost?.({ host: name ?? host, port, refused: "greeting for another host" });
    client.socket.destroy();
    return;
  }
  const server = await dialled(client.socket, address, port, options);
  server.write(greeting);
  client.pipe(server);
}

async function passOn(
  client: Incoming,
  { head, bodyBytes }: Extract<ProxyRequest, { kind: "plain" }>,
  address: string,
  options: ProxyOptions,
): Promise<void> {
  const server = await dialled(client.socket, address, 80, options);
  server.write(head, "latin1");
  client.pipe(server, bodyBytes);
}

/** A connection whose answers go to the client, and which ends with it. */
function dialled(
  client: Socket,
  address: string,
  port: number,
  { dial = (to, at) => connect(at, to) }: ProxyOptions,
): Promise<Socket> {
  const server = dial(address, port);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => server.destroy(new Error("no connection in time")), STEP_MS);
    client.once("close", () => server.destroy());
    server.once("close", () => client.destroySoon());
    server.once("error", reject);
    server.on("error", () => client.destroy());
    server.once("connect", () => {
      clearTimeout(timer);
      server.pipe(client);
      resolve(server);
    });
  });
}

function refuse(socket: Socket, status: number, why: string): void {
  const reason = status === 403 ? "Forbidden" : "Bad Request";
  const body = `${why}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
}

/** What comes from a client, taken piece by piece. */
class Incoming {
  readonly socket: Socket;
  #bytes: Uint8Array = new Uint8Array();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /**
   * Waits until enough has come, and takes it; nothing when too much or too little comes in time.
   * @param enough how many bytes are to be taken, once that can be told
   */
  async until(
    enough: (bytes: Uint8Array) => number | undefined,
  ): Promise<Uint8Array | undefined> {
    const { socket } = this;
    return await new Promise((resolve) => {
      const finish = (taken: Uint8Array | undefined): void => {
        clearTimeout(timer);
        socket.off("data", take);
        socket.off("end", none);
        socket.pause();
        resolve(taken);
      };
      const none = (): void => finish(undefined);
      const timer = setTimeout(none, STEP_MS);
      const look = (): void => {
        const length = enough(this.#bytes);
        if (length !== undefined) {
          const taken = this.#bytes.slice(0, length);
          this.#bytes = this.#bytes.slice(length);
          finish(taken);
        } else if (this.#bytes.length > HEAD_BYTES) {
          none();
        }
      };
      const take = (piece: Uint8Array): void => {
        const both = new Uint8Array(this.#bytes.length + piece.length);
        both.set(this.#bytes);
        both.set(piece, this.#bytes.length);
        this.#bytes = both;
        look();
      };
      socket.on("data", take);
      socket.once("end", none);
      socket.resume();
      if (this.#bytes.length > 0) look();
    });
  }

  /** Passes on what follows. @param most bytes; what comes after them goes nowhere */
  pipe(server: Socket, most = Infinity): void {
    let left = most;
    const pass = (piece: Uint8Array): void => {
      const part = piece.subarray(0, Math.min(left, piece.length));
      left -= part.length;
      if (part.length > 0 && !server.write(part)) {
        this.socket.pause();
        server.once("drain", () => this.socket.resume());
      }
    };
    this.socket.on("data", pass);
    this.socket.once("end", () => server.end());
    if (this.#bytes.length > 0) pass(this.#bytes);
    this.#bytes = new Uint8Array();
    this.socket.resume();
  }
}

/** How long a head is with its empty line; nothing while that has not come. */
function indexOfEnd(bytes: Uint8Array): number | undefined {
  for (let at = 3; at < bytes.length; at++) {
    if (
      bytes[at] === 10 && bytes[at - 1] === 13 && bytes[at - 2] === 10 && bytes[at - 3] === 13
    ) return at + 1;
  }
  return undefined;
}
