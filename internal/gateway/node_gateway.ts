/**
 * The node's gateway: its contract for many clients, reads only, so often for each of them. Light
 * clients believe it no more than a node; what it answers is read by the contract on both sides, so
 * that it bounds what passes either way.
 */
import type { IncomingMessage } from "node:http";
import type { Client } from "#internal/client/mod.ts";
import type { Clock, Logger } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";
import type { Admitted, EventFeed } from "#internal/node/mod.ts";
import { createEventFeed, startHttpServer } from "#internal/node/mod.ts";
import type { Method, MethodName, RpcCalls } from "#internal/rpc/mod.ts";
import { methods, RpcError } from "#internal/rpc/mod.ts";
import { sleep } from "#internal/runtime/mod.ts";
import { clientKey } from "./client_key.ts";
import { connectionsOf, MAX_OF_CLIENT } from "./connections.ts";
import type { RateLimiter, RateLimits } from "./rate_limit.ts";
import { createRateLimiter } from "./rate_limit.ts";

/** How long the node is taken to be of the chain that it said it is of, ms. */
const CONFIRM_MS = 1_000;
/** How often a new Pulse is looked for while somebody streams, ms. */
const PULSE_MS = 500;

/** How a gateway is set up. */
export interface NodeGatewayOptions {
  /** Of the node that is behind. */
  readonly client: Client;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Names besides `host` and localhost that clients may call it by. @default none */
  readonly allowHosts?: readonly string[];
  /** Connections that each client may hold. @default 512 */
  readonly connectionsEach?: number;
  /** A proxy of the operator's stands in front, and says who asks. @default false */
  readonly proxied?: boolean;
  readonly limits: RateLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A running gateway. Disposing of it ends all connections. */
export interface NodeGateway extends AsyncDisposable {
  /** As in `http://127.0.0.1:8401`. */
  readonly url: string;
  readonly chain: string;
  readonly chainId: string;
}

/**
 * Starts to answer.
 * @throws {SionError} `address-in-use`, `listen-failed`, `node-unreachable`, `other-chain`
 */
export async function startNodeGateway(options: NodeGatewayOptions): Promise<NodeGateway> {
  const { client, host, port, allowHosts = [], proxied = false, logger } = options;
  const { chain, chain_id: chainId } = await client.status();
  const calls = readOnly(client.rpc, chainCheck(client.rpc, { chain, clock: options.clock }));
  const limiter = createRateLimiter(options.limits, options.clock);
  const stopping = new AbortController();
  const streams = pulseWatch(calls, stopping.signal);
  const server = await startHttpServer({
    host,
    port,
    allowHosts,
    calls,
    events: streams.feed,
    gets: true,
    // Behind a proxy all connections are the proxy's.
    ...(proxied ? {} : { takes: connectionsOf(options.connectionsEach ?? MAX_OF_CLIENT) }),
    logger,
    admit(request, what) {
      const turn = admit(limiter, request, proxied);
      if (what !== "stream") {
        if (!isChanging(what)) return turn;
        turn[Symbol.dispose]();
        throw refusal(what);
      }
      const watching = streams.open();
      return {
        sent: (bytes) => turn.sent(bytes),
        [Symbol.dispose]() {
          watching[Symbol.dispose]();
          turn[Symbol.dispose]();
        },
      };
    },
  });
  return {
    url: server.url,
    chain,
    chainId,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** @throws {RpcError} `limited`, `busy` */
function admit(limiter: RateLimiter, request: IncomingMessage, proxied: boolean): Admitted {
  const taken = limiter.take(clientKey(request, proxied));
  if ("sent" in taken) return taken;
  const seconds = Math.ceil(taken.retryMs / 1_000);
  const data = { retry_after_ms: taken.retryMs };
  if (taken.whose === "all") {
    throw new RpcError("busy", `Too many clients ask: ask again in ${seconds} s`, { data });
  }
  throw new RpcError("limited", `This client asks too often: ask again in ${seconds} s`, { data });
}

/** The node's calls that change nothing, of the one chain. */
function readOnly(rpc: RpcCalls, check: ChainCheck): RpcCalls {
  const passed = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RpcError)) check.forget();
      throw asOfGateway(error);
    }
  };
  const names = Object.keys(methods) as MethodName[];
  const calls = names.map((name) => {
    const call = rpc[name] as (params: unknown, options: object) => Promise<unknown>;
    return [
      name,
      isChanging(name)
        ? () => Promise.reject(refusal(name))
        : (params: unknown, given: object = {}) =>
          passed(async () => {
            await check.confirm();
            return await call(params, given);
          }),
    ] as const;
  });
  const all = Object.fromEntries(calls) as unknown as RpcCalls;
  return {
    ...all,
    status: (params, given) =>
      passed(async () => {
        const status = await rpc.status(params, given);
        check.see(status.chain);
        return { ...status, read_only: true };
      }),
  };
}

/** Whether the node is still of the chain that the gateway is of. */
interface ChainCheck {
  /** Asks it, unless that was done a moment ago. @throws {RpcError} `refused`, and as a call of it */
  confirm(): Promise<void>;
  /** It told its chain. @throws {RpcError} `refused` */
  see(chain: string): void;
  /** It was gone: another one may have come in its place. */
  forget(): void;
}

function chainCheck(
  rpc: RpcCalls,
  { chain, clock }: { readonly chain: string; readonly clock: Clock },
): ChainCheck {
  let confirmedMs = -Infinity;
  let asking: Promise<void> | undefined;
  const see = (told: string): void => {
    confirmedMs = told === chain ? clock.nowMs() : -Infinity;
    if (told !== chain) {
      throw new RpcError("refused", "The node behind this gateway serves another chain now");
    }
  };
  const ask = async (): Promise<void> => see((await rpc.status({})).chain);
  return {
    see,
    forget: () => void (confirmedMs = -Infinity),
    async confirm() {
      const ageMs = clock.nowMs() - confirmedMs;
      if (ageMs >= 0 && ageMs < CONFIRM_MS) return;
      asking ??= ask().finally(() => asking = undefined);
      await asking;
    },
  };
}

function isChanging(name: MethodName): boolean {
  const method = methods[name] as Pick<Method<unknown, { readonly pulse: number }>, "changes">;
  return method.changes === true;
}

function refusal(name: MethodName): RpcError {
  return new RpcError(
    "read-only",
    `The gateway only reads, ${name} is for a node: give the address of one; nothing was done`,
  );
}

/** What the node says is passed on; that it says nothing, or nonsense, is said. */
function asOfGateway(error: unknown): unknown {
  if (error instanceof RpcError || !(error instanceof SionError)) return error;
  return new RpcError(
    "node-unreachable",
    "The node behind this gateway does not answer: ask again later",
    { cause: error },
  );
}

/** The stream of events, over a node that is asked for its Pulse only while somebody streams. */
function pulseWatch(
  calls: RpcCalls,
  signal: AbortSignal,
): { readonly feed: EventFeed; open(): Disposable } {
  let told = (): void => {};
  const feed = createEventFeed(calls, (callback) => told = callback);
  let open = 0;
  let watching = false;
  const watch = async (): Promise<void> => {
    let seen = -1;
    while (open > 0 && !signal.aborted) {
      try {
        const { pulse } = await calls.status({}, { signal });
        if (pulse !== seen) told();
        seen = pulse;
        await sleep(PULSE_MS, signal);
      } catch {
        // Nobody is told of a Pulse while the node is gone; each stream finds out by itself.
        told();
        await sleep(PULSE_MS, signal).catch(() => {});
      }
    }
  };
  return {
    feed,
    open() {
      open++;
      if (!watching) {
        watching = true;
        void watch().finally(() => watching = false);
      }
      return { [Symbol.dispose]: () => void open-- };
    },
  };
}
