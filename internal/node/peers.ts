/**
 * The connections between validators: one TCP connection a pair, made by the one of the lower index,
 * made again when it ends. The first frame each way is a greeting; whoever greets otherwise than
 * expected is dropped with one line in the log.
 */
import type { Logger } from "#internal/core/mod.ts";
import {
  bytes32,
  decode,
  encode,
  equalBytes,
  fixedBytes,
  idBytes,
  struct,
  u16,
  u8,
} from "#internal/core/mod.ts";
import { MAX_MESSAGE_BYTES } from "#internal/consensus/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { FrameServer, FrameSocket } from "#internal/runtime/mod.ts";
import { connectFrames, createAlarm, listenFrames } from "#internal/runtime/mod.ts";

/** A peer that takes nothing for so long that this waits for it gets no more; it asks later, bytes. */
const MAX_WAITING_BYTES = 8 << 20;
/** Pause before a connection is tried again, ms: doubles up to the second. */
const RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

/** Marks a greeting: no other frame begins so. */
const MAGIC = new TextEncoder().encode("sion/peer");

const greetingCodec = struct({
  magic: fixedBytes(MAGIC.length),
  format: u16,
  chain: bytes32,
  token: bytes32,
  from: u8,
});

/** What a mesh is made of. */
export interface PeersOptions {
  readonly self: number;
  /** Number of validators, this one included. */
  readonly count: number;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** 32 bytes that the validators of one run share: strangers on the machine do not know them. */
  readonly token: Uint8Array;
  readonly host: string;
  readonly logger: Logger;
  /** A frame came from a validator. */
  readonly onFrame: (from: number, frame: Uint8Array) => void;
  /** A validator is connected, maybe not for the first time. */
  readonly onConnected: (peer: number) => void;
}

/** This validator's connections. */
export interface Peers extends AsyncDisposable {
  /** Port that the others connect to. */
  readonly port: number;
  /** Connects to the others, given everybody's ports by index. */
  connect(ports: readonly number[]): void;
  /** Sends to one validator, or to all others. What cannot be sent now is dropped: peers ask again. */
  send(to: number | "all", frame: Uint8Array): void;
  connected(): number;
}

/** Listens for the other validators. */
export async function openPeers(options: PeersOptions): Promise<Peers> {
  const { self, count, logger } = options;
  const sockets = new Map<number, FrameSocket>();
  const stop = new AbortController();
  const greeting = encode(greetingCodec, {
    magic: MAGIC,
    format: FORMAT_VERSION,
    chain: idBytes(options.chain),
    token: options.token,
    from: self,
  });

  /** Greets, and once greeted properly hands on what comes. */
  const attach = (socket: FrameSocket, expected: number | undefined): void => {
    let peer: number | undefined;
    socket.send(greeting);
    socket.onFrame((frame) => {
      if (peer !== undefined) return options.onFrame(peer, frame);
      const found = readGreeting(frame, options);
      if (typeof found === "string" || (expected !== undefined && found !== expected)) {
        logger.log("warn", `Dropped a peer: ${typeof found === "string" ? found : "wrong index"}`);
        return socket.close();
      }
      peer = found;
      // The newest connection of a validator is the one that stands.
      sockets.get(peer)?.close();
      sockets.set(peer, socket);
      options.onConnected(peer);
    });
    socket.onClose(() => {
      if (peer !== undefined && sockets.get(peer) === socket) sockets.delete(peer);
    });
  };

  const server: FrameServer = await listenFrames(
    { host: options.host, port: 0, maxFrameBytes: MAX_MESSAGE_BYTES },
    (socket) => attach(socket, undefined),
  );
  return {
    port: server.port,
    connect(ports) {
      for (let peer = self + 1; peer < count; peer++) {
        const port = ports[peer];
        if (port !== undefined) {
          keepConnected({ ...options, port, peer, attach, signal: stop.signal });
        }
      }
    },
    send(to, frame) {
      for (const [peer, socket] of sockets) {
        if ((to === "all" || to === peer) && socket.waitingBytes < MAX_WAITING_BYTES) {
          socket.send(frame);
        }
      }
    },
    connected: () => sockets.size,
    async [Symbol.asyncDispose]() {
      stop.abort();
      for (const socket of sockets.values()) socket.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The index of a peer that greets as it must, else what is wrong with its greeting. */
function readGreeting(frame: Uint8Array, options: PeersOptions): number | string {
  let greeting;
  try {
    greeting = decode(greetingCodec, frame);
  } catch {
    greeting = undefined;
  }
  if (greeting === undefined || !equalBytes(greeting.magic, MAGIC)) {
    return "it does not greet as a validator of sion";
  }
  if (greeting.format !== FORMAT_VERSION) {
    return `it has format ${greeting.format}, this sion has ${FORMAT_VERSION}`;
  }
  if (!equalBytes(greeting.chain, idBytes(options.chain))) return "it is of another chain";
  if (!equalBytes(greeting.token, options.token)) return "it is not of this run";
  if (greeting.from >= options.count || greeting.from === options.self) return "it is no validator";
  return greeting.from;
}

interface Dial {
  readonly host: string;
  readonly port: number;
  readonly peer: number;
  readonly attach: (socket: FrameSocket, expected: number) => void;
  readonly signal: AbortSignal;
}

/** Connects, and again whenever the connection ends, until stopped. */
function keepConnected({ host, port, peer, attach, signal }: Dial): void {
  let pauseMs = RETRY_MS;
  const again = createAlarm(() => void dial(), { background: true });
  signal.addEventListener("abort", () => again.clear(), { once: true });
  const retry = (): void => {
    if (signal.aborted) return;
    again.set(pauseMs);
    pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS);
  };
  const dial = async (): Promise<void> => {
    try {
      const socket = await connectFrames({ host, port, maxFrameBytes: MAX_MESSAGE_BYTES });
      if (signal.aborted) return socket.close();
      pauseMs = RETRY_MS;
      socket.onClose(retry);
      attach(socket, peer);
    } catch {
      retry();
    }
  };
  void dial();
}
