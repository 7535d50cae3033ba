/**
 * A devnet: validators of one chain on this machine, each in a thread of its own with its own store
 * and real sockets, and one address for clients. It goes on from its folder.
 */
import { rm } from "node:fs/promises";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { DEFAULT_CLIENT_PORT } from "#internal/rpc/mod.ts";
import {
  ensureFolder,
  lockFolder,
  pathExists,
  systemClock,
  systemRandom,
} from "#internal/runtime/mod.ts";
import type { DevnetFolder, DevnetShape } from "./devnet_folder.ts";
import { requireFreePort } from "./port_check.ts";
import type { ServingOptions } from "./serving_options.ts";
import { DEFAULT_HOST } from "./serving_options.ts";
import { startThreads } from "./start_threads.ts";
import { countValidators } from "./validator_count.ts";
import type { OpenedValidator, ValidatorThread } from "./validator_thread.ts";

/** How a devnet is started. */
export interface DevnetOptions extends DevnetShape, ServingOptions {
  /** Folder of the chain; made if there is none. */
  readonly dir: string;
  /** The folder as messages show it. @default dir */
  readonly shown?: string;
}

/** A running devnet. Disposing of it stops it cleanly. */
export interface Devnet extends AsyncDisposable {
  readonly chainId: string;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** As in `http://127.0.0.1:8400`. */
  readonly url: string;
  /** What clients are answered, without HTTP. */
  readonly calls: RpcCalls;
  /**
   * Rejects with `node-stopped` or `store-failed` when no quorum of the validators lives, else
   * never.
   */
  readonly fault: Promise<never>;
}

/**
 * Starts a devnet; resolves when clients can use it.
 * @throws {SionError} `folder-locked`, `newer-data`, `address-in-use`, `listen-failed`
 * @throws {NodeError} `other-format`, `other-chain`, `folder-damaged`, `argument`
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const shown = options.shown ?? options.dir;
  const { host = DEFAULT_HOST, port = DEFAULT_CLIENT_PORT } = options;
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
    const count = await countValidators(options.dir, options.validators);
    // The threads load their program while this one loads the rest of its own and reads or makes the folder.
    const threads = startThreads(count, options, opened);
    const { committeeOf, createThreadGroup, openDevnetFolder, serve } = await import(
      "./devnet_parts.ts"
    );
    const folder = await openDevnetFolder({
      path: options.dir,
      shown,
      shape: options,
      random: systemRandom,
      nowMs: systemClock.nowMs(),
    });
    const committee = committeeOf(folder.genesis.validators);
    const group = createThreadGroup({
      threads,
      nameOf: (index) => `validator ${index}`,
      isEnough: (mask) => committee.isQuorum(mask),
      logger: options.logger,
    });
    // The address is taken while the validators open, which are told first: a server takes its time to load.
    const opening = openAll(threads, folder, shown);
    const [server, ...places] = await Promise.all([serve(group, options, opened), ...opening]);
    await folder.complete();
    whole = true;
    group.watch();
    const addresses = places.map(({ port = 0 }) => ({ host: "127.0.0.1", port }));
    // Each pair once: nobody has to choose between two connections.
    threads.forEach((thread, index) => thread.start(addresses.slice(index + 1)));
    return {
      chainId: folder.genesis.chainId,
      chain: (places[0] as { chain: string }).chain,
      url: server.url,
      calls: group.calls,
      fault: group.fault,
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
  const token = systemRandom(32);
  return validators.map((place) => {
    const { index } = place;
    const thread = threads[index] as ValidatorThread;
    const peering = { kind: "run", index, token } as const;
    return thread.open({ genesis, place, fresh, shown, peering });
  });
}

/** The line that says that a devnet is ready, or its JSON form. */
export function readyLine(devnet: Pick<Devnet, "chain" | "chainId" | "url">): string {
  return `devnet ready on ${devnet.url}: chain ${devnet.chainId}, identity ${devnet.chain}`;
}
