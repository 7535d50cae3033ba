/**
 * A devnet: validators of one chain on this machine, each in a thread of its own with its own store
 * and real sockets, and one address for clients. It goes on from its folder.
 */
import { rm } from "node:fs/promises";
import type { Logger } from "#internal/core/mod.ts";
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { MethodName, MethodParams, RpcCalls } from "#internal/rpc/mod.ts";
import { methods } from "#internal/rpc/mod.ts";
import {
  ensureFolder,
  keepThreadsSmall,
  lockFolder,
  pathExists,
  systemClock,
  systemRandom,
} from "#internal/runtime/mod.ts";
import type { DevnetFolder, DevnetShape } from "./devnet_folder.ts";
import { countValidators, openDevnetFolder } from "./devnet_folder.ts";
import { NodeError } from "./errors.ts";
import { createEventFeed } from "./event_feed.ts";
import { startHttpServer } from "./http_server.ts";
import { requireFreePort } from "./port_check.ts";
import type { OpenedValidator, ValidatorThread } from "./validator_thread.ts";
import { startValidatorThread } from "./validator_thread.ts";

/** How a devnet is started. */
export interface DevnetOptions extends DevnetShape {
  /** Folder of the chain; made if there is none. */
  readonly dir: string;
  /** The folder as messages show it. @default dir */
  readonly shown?: string;
  /** Where clients reach it. @default 127.0.0.1:8400 */
  readonly host?: string;
  /** 0 takes any free port. @default 8400 */
  readonly port?: number;
  /** Names besides the host and localhost that clients may call it by. @default none */
  readonly allowHosts?: readonly string[];
  readonly logger: Logger;
  /**
   * URL of the program file that calls `runDevnetWorker` first thing, for programs that are one
   * file. @default the source file of validators' threads
   */
  readonly workerEntry?: string;
}

/** A running devnet. Disposing of it stops it cleanly. */
export interface Devnet extends AsyncDisposable {
  readonly chainId: string;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** As in `http://127.0.0.1:8400`. */
  readonly url: string;
  /** The calls of the validator that answers clients, without HTTP. */
  readonly calls: RpcCalls;
  /** Rejects with `node-stopped` or `store-failed` when a validator ends by a fault, else never. */
  readonly fault: Promise<never>;
}

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8400;

/**
 * Starts a devnet; resolves when clients can use it.
 * @throws {SionError} `folder-locked`, `newer-data`, `address-in-use`, `listen-failed`
 * @throws {NodeError} `other-format`, `other-chain`, `folder-damaged`, `argument`
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const shown = options.shown ?? options.dir;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const opened = new AsyncDisposableStack();
  const isThere = await pathExists(options.dir);
  let whole = isThere;
  try {
    // Whoever has the folder has the port too, mostly: the folder says more.
    if (isThere) opened.use(await lockFolder(options.dir, shown));
    await requireFreePort(host, port);
    if (!isThere) {
      await ensureFolder(options.dir);
      opened.use(await lockFolder(options.dir, shown));
      // A folder that this start made and did not finish goes with it, while it is still held.
      opened.defer(async () => {
        if (!whole) await rm(options.dir, { recursive: true, force: true });
      });
    }
    const entry = options.workerEntry ?? new URL("./validator_worker.ts", import.meta.url).href;
    const count = await countValidators(options.dir, options);
    keepThreadsSmall();
    // The threads load their program while this one reads or makes the folder.
    const threads = Array.from(
      { length: count },
      () => startValidatorThread(entry, options.logger),
    );
    opened.defer(async () => {
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
    });
    const folder = await openDevnetFolder({
      path: options.dir,
      shown,
      shape: options,
      random: systemRandom,
      nowMs: systemClock.nowMs(),
    });
    const calls = callsOf(threads);
    // The address is taken while the validators open: both take their time.
    const starting = startHttpServer({
      host,
      port,
      allowHosts: options.allowHosts ?? [],
      calls,
      events: createEventFeed(calls, (callback) => threads[0]?.onPulse(callback)),
      logger: options.logger,
    });
    opened.defer(async () => {
      await starting.then((started) => started[Symbol.asyncDispose](), () => {});
    });
    const [server, ...places] = await Promise.all([starting, ...openAll(threads, folder, shown)]);
    await folder.complete();
    whole = true;
    const addresses = places.map(({ port = 0 }) => ({ host: "127.0.0.1", port }));
    // Each pair once: nobody has to choose between two connections.
    threads.forEach((thread, index) => thread.start(addresses.slice(index + 1)));
    const fault = firstFault(threads);
    return {
      chainId: folder.genesis.chainId,
      chain: (places[0] as { chain: string }).chain,
      url: server.url,
      calls,
      fault,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens each thread's validator. */
function openAll(
  threads: readonly ValidatorThread[],
  { genesis, validators, fresh }: DevnetFolder,
  shown: string,
): Promise<OpenedValidator>[] {
  const peering = { kind: "run", token: systemRandom(32) } as const;
  return validators.map((place) => {
    const thread = threads[place.index] as ValidatorThread;
    return thread.open({ genesis, place, fresh, shown, peering });
  });
}

/** Rejects when a validator's fault ends it, with a sentence for people. */
function firstFault(threads: readonly ValidatorThread[]): Promise<never> {
  const faults = threads.map(async ({ fault }, index): Promise<never> => {
    try {
      return await fault;
    } catch (cause) {
      // It names the validator and says what to do already.
      if (cause instanceof SionError && cause.code === "store-failed") throw cause;
      throw new NodeError(
        "node-stopped",
        `validator ${index} stopped (${messageOf(cause)}): the chain is kept, start it again`,
        { cause },
      );
    }
  });
  const first = Promise.race(faults);
  // Whoever started the devnet looks at it when it suits.
  first.catch(() => {});
  return first;
}

/** The line that says that a devnet is ready, or its JSON form. */
export function readyLine(devnet: Pick<Devnet, "chain" | "chainId" | "url">): string {
  return `devnet ready on ${devnet.url}: chain ${devnet.chainId}, identity ${devnet.chain}`;
}

/** Calls that the first validator answers. */
function callsOf(threads: readonly ValidatorThread[]): RpcCalls {
  const [first] = threads;
  if (first === undefined) throw new NodeError("argument", "A devnet needs a validator");
  const call = <N extends MethodName>(name: N) =>
  (
    params: MethodParams<N>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ) => first.call(name, params, signal);
  const names = Object.keys(methods) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as RpcCalls;
}
