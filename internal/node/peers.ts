/**
 * The connections between validators: one TCP connection a pair, made by the one of the lower index,
 * made again when it ends. Who does not greet as a validator of this run is dropped, with one line in
 * the log for each reason.
 */
import type { Logger } from "#internal/core/mod.ts";
import { MAX_MESSAGE_BYTES } from "#internal/consensus/mod.ts";
import type { FrameServer, FrameSocket, StrangerLimits } from "#internal/runtime/mod.ts";
import { connectFrames, createAlarm, listenFrames } from "#internal/runtime/mod.ts";
import type { GreetingOptions } from "./greeting.ts";
import { greet, MAX_GREETING_BYTES } from "./greeting.ts";

/** A peer that takes nothing for so long that this waits for it gets no more; it asks later, bytes. */
const MAX_WAITING_BYTES = 8 << 20;
/** Pause before a connection is tried again, ms: doubles up to the second. */
const RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

/** Time to greet, ms: a validator that starts may be busy for a while. */
const GREETING_MS = 2_000;

/** Reasons for dropping somebody that are told as warnings, each once. */
const MAX_REASONS = 16;

/** What a mesh is made of. */
export interface PeersOptions extends GreetingOptions {
  readonly host: string;
  readonly logger: Logger;
  /** Time to greet, ms. @default 2,000 */
  readonly greetingMs?: number;
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
  const told = new Set<string>();
  const stop = new AbortController();
  const strangers: StrangerLimits = {
    maxFrameBytes: MAX_GREETING_BYTES,
    deadlineMs: options.greetingMs ?? GREETING_MS,
    maxSockets: 2 * count,
  };

  const attach = (socket: FrameSocket, expected?: number, onGreeted?: () => void): void => {
    socket.onClose(() => {
      for (const [peer, standing] of sockets) if (standing === socket) sockets.delete(peer);
    });
    greet(socket, options, expected, {
      onFrame: options.onFrame,
      onGreeted(peer) {
        onGreeted?.();
        // The newest connection of a validator is the one that stands.
        sockets.get(peer)?.close();
        sockets.set(peer, socket);
        options.onConnected(peer);
      },
      onRefused(reason) {
        // Strangers come as often as they like: the log is not theirs to fill.
        const known = told.has(reason) || told.size >= MAX_REASONS;
        logger.log(known ? "debug" : "warn", `Dropped a peer: ${reason}`);
        if (!known) told.add(reason);
      },
    });
  };

  const server: FrameServer = await listenFrames(
    { host: options.host, port: 0, maxFrameBytes: MAX_MESSAGE_BYTES, strangers },
    (socket) => attach(socket),
  );
  return {
    port: server.port,
    connect(ports) {
      for (let peer = self + 1; peer < count; peer++) {
        const port = ports[peer];
        if (port !== undefined) {
          const { host } = options;
          keepConnected({ host, port, strangers, signal: stop.signal }, (socket, onGreeted) => {
            attach(socket, peer, onGreeted);
          });
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

interface Dial {
  readonly host: string;
  readonly port: number;
  readonly strangers: StrangerLimits;
  readonly signal: AbortSignal;
}

/** Connects, and again whenever the connection ends, until stopped. */
function keepConnected(
  { host, port, strangers, signal }: Dial,
  attach: (socket: FrameSocket, onGreeted: () => void) => void,
): void {
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
      const socket = await connectFrames({
        host,
        port,
        maxFrameBytes: MAX_MESSAGE_BYTES,
        strangers,
      });
      if (signal.aborted) return socket.close();
      const close = (): void => socket.close();
      signal.addEventListener("abort", close, { once: true });
      socket.onClose(() => {
        signal.removeEventListener("abort", close);
        retry();
      });
      attach(socket, () => {
        pauseMs = RETRY_MS;
      });
    } catch {
      retry();
    }
  };
  void dial();
}
