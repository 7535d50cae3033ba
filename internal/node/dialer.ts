/** Connections that are made, and made again when they end. */
import { MAX_MESSAGE_BYTES } from "#internal/consensus/mod.ts";
import type { Random } from "#internal/core/mod.ts";
import type { FrameSocket, StrangerLimits } from "#internal/runtime/mod.ts";
import { connectFrames, createAlarm, monotonicMs } from "#internal/runtime/mod.ts";

/**
 * Pause before a connection is tried again, ms: doubles up to the second, after each failure and each
 * connection that stood for less than that. So two nodes of one key do not take turns all the time.
 */
const RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;
/** Time for a connection to stand, ms: an address that drops what is sent there says nothing. */
const CONNECT_MS = 2_000;

/** Where a node listens for its peers. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How connections to one address are made. */
export interface DialOptions {
  readonly address: Address;
  readonly strangers: StrangerLimits;
  readonly random: Random;
  /** Nothing is tried afterwards. */
  readonly signal: AbortSignal;
  /** False while whoever listens there is connected anyway. Asked again after a pause. */
  readonly isNeeded: () => boolean;
  /** Takes a connection that stands. It calls back once the other end has greeted. */
  readonly attach: (socket: FrameSocket, onGreeted: () => void) => void;
}

/** Connects, and again whenever the connection ends, until stopped. */
export function keepConnected(options: DialOptions): void {
  const { address, strangers, random, signal, isNeeded, attach } = options;
  let pauseMs = RETRY_MS;
  const again = createAlarm(() => void dial(), { background: true });
  signal.addEventListener("abort", () => again.clear(), { once: true });
  const retry = (): void => {
    if (signal.aborted) return;
    // Two that connect to each other at once do not meet again in step.
    const [share = 0] = random(1);
    again.set(pauseMs + pauseMs * share / 512);
    pauseMs = Math.min(2 * pauseMs, MAX_RETRY_MS);
  };
  const dial = async (): Promise<void> => {
    if (!isNeeded()) return retry();
    try {
      const socket = await connectFrames({
        ...address,
        maxFrameBytes: MAX_MESSAGE_BYTES,
        strangers,
        connectMs: CONNECT_MS,
      });
      if (signal.aborted) return socket.close();
      const close = (): void => socket.close();
      signal.addEventListener("abort", close, { once: true });
      let greetedMs: number | undefined;
      socket.onClose(() => {
        signal.removeEventListener("abort", close);
        const stoodMs = greetedMs === undefined ? 0 : monotonicMs() - greetedMs;
        if (stoodMs >= MAX_RETRY_MS) pauseMs = RETRY_MS;
        retry();
      });
      attach(socket, () => {
        greetedMs = monotonicMs();
      });
    } catch {
      retry();
    }
  };
  void dial();
}
