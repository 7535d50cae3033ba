/**
 * Messages over TCP: each is a frame, its length in four bytes (big endian), then its bytes. A peer
 * that announces more than the limit, or stops in the middle of a frame, is dropped. Who connects is
 * a stranger until it is admitted: it may send little, not for long, and there may be few of them.
 */
import { connect, createServer, type Socket } from "node:net";
import { SionError } from "#internal/core/mod.ts";
import { shownAddress } from "./addresses.ts";
import { codeOf } from "./error_code.ts";
import { owned } from "./faults.ts";
import { createAlarm } from "./time.ts";

/** Bytes of a frame's length. */
const LENGTH_BYTES = 4;
/** Time in which a connection that was ended still takes what was under way, ms. */
const END_MS = 2_000;

/** `address-in-use`: somebody listens there already. `listen-failed`: any other cause. */
export type ListenErrorCode = "address-in-use" | "listen-failed";

/** One connection. Frames arrive in order, once. */
export interface FrameSocket {
  /** Address of the other end, without its port. */
  readonly remoteHost: string;
  /** Bytes accepted by `send` that the system has not taken yet. */
  readonly waitingBytes: number;
  /** Queues a frame. False when the connection is closed: the frame is dropped. */
  send(frame: Uint8Array): boolean;
  /** The frame is the receiver's to keep. */
  onFrame(callback: (frame: Uint8Array) => void): void;
  /**
   * It is no stranger: no deadline holds, and its frames from the next on may have so many bytes.
   * @param maxFrameBytes @default that of the options
   */
  admit(maxFrameBytes?: number): void;
  /** The other end announced a frame over the limit: the connection ends. */
  onOversize(callback: () => void): void;
  onClose(callback: () => void): void;
  /**
   * Sends nothing more, takes what the other end still sends for two seconds, and closes. Half a
   * connection is not closed, since Deno closes both halves then.
   */
  end(): void;
  close(): void;
}

/** A listening address. */
export interface FrameServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
}

/** What a connection may do until it is admitted. */
export interface StrangerLimits {
  /** Largest frame taken, bytes. */
  readonly maxFrameBytes: number;
  /** Time from the connection to `admit`, ms; whoever needs longer is dropped. */
  readonly deadlineMs: number;
  /** How many a server keeps at once: the oldest is dropped for one more. */
  readonly maxSockets: number;
}

/** Where to listen or connect to, and the largest frame taken, in bytes. */
export interface FrameOptions {
  readonly host: string;
  /** 0 takes any free port when listening. */
  readonly port: number;
  readonly maxFrameBytes: number;
  /** @default nobody is a stranger */
  readonly strangers?: StrangerLimits;
  /** The option that chooses the address, as an error names it. @default --listen */
  readonly option?: string;
  /** Time for a connection to stand, ms. @default what the system takes */
  readonly connectMs?: number;
}

/**
 * Listens for connections.
 * @throws {SionError} `address-in-use`, `listen-failed`.
 */
export async function listenFrames(
  options: FrameOptions,
  onConnection: (socket: FrameSocket) => void,
): Promise<FrameServer> {
  const sockets = new Set<Socket>();
  const strangers = new Set<Socket>();
  const accept = owned((socket: Socket) => {
    sockets.add(socket);
    strangers.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      strangers.delete(socket);
    });
    // The oldest goes, not the newest: else a few idle strangers would keep everybody out.
    if (strangers.size > (options.strangers?.maxSockets ?? Infinity)) {
      for (const oldest of strangers) {
        strangers.delete(oldest);
        oldest.destroy();
        break;
      }
    }
    onConnection(wrap(socket, options, () => strangers.delete(socket)));
  });
  const server = createServer({ noDelay: true }, accept);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, options)));
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address() as { port: number };
  return {
    host: options.host,
    port: address.port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Connects; resolves when the connection stands. @throws the system's error when it does not. */
export function connectFrames(options: FrameOptions): Promise<FrameSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: options.host, port: options.port, noDelay: true });
    const overdue = createAlarm(
      () => socket.destroy(new Error("Cannot connect: nobody answers in time")),
      { background: true },
    );
    if (options.connectMs !== undefined) overdue.set(options.connectMs);
    const fail = (error: Error): void => {
      overdue.clear();
      reject(error);
    };
    socket.once("error", fail);
    socket.once("connect", () => {
      overdue.clear();
      socket.off("error", fail);
      resolve(wrap(socket, options, () => {}));
    });
  });
}

/** The error of a server that cannot listen. */
export function listenError(
  cause: unknown,
  { host, port, option = "--listen" }: Pick<FrameOptions, "host" | "port" | "option">,
): SionError<ListenErrorCode> {
  const shown = shownAddress({ host, port });
  return codeOf(cause) === "EADDRINUSE"
    ? new SionError(
      "address-in-use",
      `${shown} is in use: stop what uses it, or give ${option} ${host}:0 for any free port`,
      { cause },
    )
    : new SionError("listen-failed", `Cannot listen on ${shown}: ${codeOf(cause)}`, { cause });
}

function wrap(
  socket: Socket,
  { maxFrameBytes, strangers }: FrameOptions,
  onAdmit: () => void,
): FrameSocket {
  const closers: (() => void)[] = [];
  let tellOversize = (): void => {};
  let closed = false;
  let ended = false;
  let limit = strangers?.maxFrameBytes ?? maxFrameBytes;
  const deadline = createAlarm(() => socket.destroy(), { background: true });
  if (strangers !== undefined) deadline.set(strangers.deadlineMs);
  socket.on("error", () => socket.destroy());
  const tellClosed = owned(() => {
    for (const callback of closers) callback();
  });
  socket.once("close", () => {
    closed = true;
    deadline.clear();
    tellClosed();
  });
  return {
    remoteHost: socket.remoteAddress ?? "",
    get waitingBytes() {
      return socket.writableLength;
    },
    send(frame) {
      if (closed || ended || !socket.writable) return false;
      const head = new Uint8Array(LENGTH_BYTES);
      new DataView(head.buffer).setUint32(0, frame.length);
      socket.cork();
      socket.write(head);
      socket.write(frame);
      socket.uncork();
      return true;
    },
    onFrame(callback) {
      // What came in one piece with a frame that had the socket closed is nobody's any more.
      const take = frameSplitter(() => limit, (frame) => {
        if (!socket.destroyed) callback(frame);
      });
      const read = owned((chunk: Uint8Array) => {
        if (socket.destroyed || take(chunk)) return;
        socket.destroy();
        tellOversize();
      });
      socket.on("data", read);
    },
    onOversize: (callback) => void (tellOversize = callback),
    admit(bytes = maxFrameBytes) {
      deadline.clear();
      limit = bytes;
      onAdmit();
    },
    onClose(callback) {
      if (closed) callback();
      else closers.push(callback);
    },
    end() {
      if (closed) return;
      ended = true;
      deadline.set(END_MS);
    },
    close: () => socket.destroy(),
  };
}

/**
 * Cuts a stream of chunks into frames. Answers false once a frame is over the limit.
 * @param maxFrameBytes the limit, asked at the beginning of each frame.
 */
export function frameSplitter(
  maxFrameBytes: () => number,
  onFrame: (frame: Uint8Array) => void,
): (chunk: Uint8Array) => boolean {
  const head = new Uint8Array(LENGTH_BYTES);
  let headFilled = 0;
  let body: Uint8Array | undefined;
  let bodyFilled = 0;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length || (body !== undefined && bodyFilled === body.length)) {
      if (body === undefined) {
        const n = Math.min(LENGTH_BYTES - headFilled, chunk.length - at);
        head.set(chunk.subarray(at, at + n), headFilled);
        headFilled += n;
        at += n;
        if (headFilled < LENGTH_BYTES) return true;
        const length = new DataView(head.buffer).getUint32(0);
        if (length > maxFrameBytes()) return false;
        body = new Uint8Array(length);
        bodyFilled = 0;
      }
      const n = Math.min(body.length - bodyFilled, chunk.length - at);
      body.set(chunk.subarray(at, at + n), bodyFilled);
      bodyFilled += n;
      at += n;
      if (bodyFilled < body.length) return true;
      const frame = body;
      body = undefined;
      headFilled = 0;
      onFrame(frame);
    }
    return true;
  };
}
