/**
 * How often and how much at once each client may ask: a bucket of requests for each, refilled over
 * time, which what is sent empties too. Memory is bounded: clients beyond the number that is told
 * apart share one bucket, so that nobody gets a fresh one by coming from many addresses.
 */
import type { Clock } from "#internal/core/mod.ts";

/** Limits of one server. */
export interface RateLimits {
  /** Requests a second that each client gets back. */
  readonly perSecond: number;
  /** Most requests that a client can have saved up. @default ten seconds' worth */
  readonly burst?: number;
  /** Requests and streams of one client at once. @default 32 */
  readonly atOnce?: number;
  /** Requests and streams of all clients at once. @default 1,024 */
  readonly allAtOnce?: number;
  /** Clients that are told apart. @default 10,000 */
  readonly clients?: number;
}

/** Why a request is not answered now. */
export interface Refusal {
  /** `client`: this one asks too often, or too much at once; `all`: everybody together does. */
  readonly whose: "client" | "all";
  /** When to come again, ms. */
  readonly retryMs: number;
}

/** A request that is being answered, until it is disposed of. */
export interface Turn extends Disposable {
  /** Counts bytes that are sent: beyond the first 64 KiB each as many are a request more. */
  sent(bytes: number): void;
}

/** Counts what clients ask. */
export interface RateLimiter {
  /** A turn for a request of a client, or why there is none. */
  take(client: string): Turn | Refusal;
  /** Clients that are remembered now. */
  readonly remembered: number;
}

/** Bytes of an answer that one request is worth. */
export const BYTES_A_REQUEST: number = 64 << 10;
/** When to come again where only others' ends make room, ms. */
const ROOM_RETRY_MS = 1_000;
/** How often clients that are as good as new are looked for, ms. */
const SWEEP_MS = 1_000;
/** Stands for all clients beyond those that are told apart; no client is called so. */
const OTHERS = "";

interface Bucket {
  /** Requests left, below 0 when answers were large. */
  left: number;
  countedMs: number;
  open: number;
}

/** A limiter; the clock may jump. */
export function createRateLimiter(limits: RateLimits, clock: Clock): RateLimiter {
  const { perSecond, burst = perSecond * 10, atOnce = 32, allAtOnce = 1_024 } = limits;
  const most = limits.clients ?? 10_000;
  const buckets = new Map<string, Bucket>();
  let open = 0;
  let sweptMs = -Infinity;
  const refill = (bucket: Bucket, nowMs: number): void => {
    const passedMs = Math.max(0, nowMs - bucket.countedMs);
    bucket.left = Math.min(burst, bucket.left + passedMs * perSecond / 1_000);
    bucket.countedMs = nowMs;
  };
  /** Forgets who has all requests saved up: coming back is the same to them. */
  const sweep = (nowMs: number): void => {
    if (Math.abs(nowMs - sweptMs) < SWEEP_MS) return;
    sweptMs = nowMs;
    for (const [client, bucket] of buckets) {
      refill(bucket, nowMs);
      if (bucket.open === 0 && bucket.left === burst) buckets.delete(client);
    }
  };
  const bucketOf = (client: string, nowMs: number): Bucket => {
    const known = buckets.get(client);
    if (known !== undefined) return known;
    if (buckets.size >= most) sweep(nowMs);
    const name = buckets.size >= most ? OTHERS : client;
    const bucket = buckets.get(name) ?? { left: burst, countedMs: nowMs, open: 0 };
    buckets.set(name, bucket);
    return bucket;
  };
  return {
    take(client) {
      if (open >= allAtOnce) return { whose: "all", retryMs: ROOM_RETRY_MS };
      const nowMs = clock.nowMs();
      const bucket = bucketOf(client, nowMs);
      refill(bucket, nowMs);
      if (bucket.open >= atOnce) return { whose: "client", retryMs: ROOM_RETRY_MS };
      if (bucket.left < 1) {
        return { whose: "client", retryMs: Math.ceil((1 - bucket.left) / perSecond * 1_000) };
      }
      bucket.left--;
      bucket.open++;
      open++;
      let ended = false;
      // The request has paid for as much.
      let free = BYTES_A_REQUEST;
      return {
        sent(bytes) {
          const over = Math.max(0, bytes - free);
          free = Math.max(0, free - bytes);
          bucket.left = Math.max(-burst, bucket.left - over / BYTES_A_REQUEST);
        },
        [Symbol.dispose]() {
          if (ended) return;
          ended = true;
          bucket.open--;
          open--;
        },
      };
    },
    get remembered() {
      return buckets.size;
    },
  };
}
