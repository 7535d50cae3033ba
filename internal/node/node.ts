/** One node of a network as a process of its own: a validator by its key, or a follower. */
import { join } from "node:path";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { DEFAULT_CLIENT_PORT, DEFAULT_PEER_PORT } from "#internal/rpc/mod.ts";
import { ensureFolder, lockFolder, shownAddress } from "#internal/runtime/mod.ts";
import type { Address } from "./dialer.ts";
import { NodeError } from "./errors.ts";
import { readGenesis } from "./genesis_file.ts";
import type { NodePlace } from "./node_key.ts";
import { readKey, STORE_FILE } from "./node_key.ts";
import { requireFreePort } from "./port_check.ts";
import { serve } from "./serving.ts";
import type { ServingOptions } from "./serving_options.ts";
import { DEFAULT_HOST } from "./serving_options.ts";
import { startThreads } from "./start_threads.ts";
import { createThreadGroup } from "./thread_group.ts";
import type { Peering } from "./validator.ts";

/** Where a validator listens for its peers, unless said otherwise: on this machine. */
const DEFAULT_PEER_LISTEN: Address = { host: "127.0.0.1", port: DEFAULT_PEER_PORT };

/** A file or folder, and how messages show it. */
export interface ShownPath {
  readonly path: string;
  readonly shown: string;
}

/** How a node is started. */
export interface NodeOptions extends ServingOptions {
  readonly genesis: ShownPath;
  /** The key file; a node without one follows. */
  readonly key?: ShownPath;
  /** Folder of the store; made if there is none. */
  readonly dir: ShownPath;
  /** Where peers listen, in any order; the node's own address among them does no harm. */
  readonly peers: readonly Address[];
  /** Where a validator listens for peers; port 0 takes any free one. @default 127.0.0.1:8500 */
  readonly peerListen?: Address;
}

/** A running node. Disposing of it stops it cleanly. */
export interface RunningNode extends AsyncDisposable {
  readonly chainId: string;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  /** Where clients reach it, as in `http://127.0.0.1:8400`. */
  readonly url: string;
  /** Its index among the validators; null when it only follows. */
  readonly validator: number | null;
  /** Where peers reach it, as in `127.0.0.1:8500`; null when they do not. */
  readonly peerAddress: string | null;
  /** What clients are answered, without HTTP. */
  readonly calls: RpcCalls;
  /** Rejects with `node-stopped` or `store-failed` when a fault ends it, else never. */
  readonly fault: Promise<never>;
}

/**
 * Starts a node; resolves when clients can use it.
 * @throws {SionError} `folder-locked`, `file-exposed`, `newer-data`, `address-in-use`,
 * `listen-failed`
 * @throws {NodeError} `other-format`, `other-chain`, `folder-damaged`, `argument`
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { genesis: file, dir, key, host = DEFAULT_HOST, port = DEFAULT_CLIENT_PORT } = options;
  const opened = new AsyncDisposableStack();
  try {
    const genesis = await readGenesis(file.path, {
      whole: file.shown,
      file: file.shown,
      remedy: "give the --genesis of the network",
    });
    if (genesis === undefined) {
      throw new NodeError(
        "argument",
        `there is no ${file.shown}: give the --genesis of the network, or make one with ` +
          "`sion genesis new`",
      );
    }
    const place = await placeOf(options);
    await ensureFolder(dir.path);
    opened.use(await lockFolder(dir.path, dir.shown));
    await requireFreePort(host, port);
    const threads = startThreads(1, options, opened);
    const group = createThreadGroup({
      threads,
      nameOf: () => place.name,
      isEnough: () => false,
      logger: options.logger,
    });
    const [thread] = threads;
    if (thread === undefined) throw new TypeError("Cannot start a node without a thread");
    const listen = options.peerListen ?? DEFAULT_PEER_LISTEN;
    const peering: Peering = { kind: "network", ...(key === undefined ? {} : { listen }) };
    const [server, node] = await Promise.all([
      serve(group, options, opened),
      thread.open({ genesis, place, fresh: false, shown: dir.shown, peering }),
    ]);
    group.watch();
    thread.start(options.peers);
    return {
      chainId: genesis.chainId,
      chain: node.chain,
      url: server.url,
      validator: node.validator,
      peerAddress: node.port === undefined ? null : shownAddress({ ...listen, port: node.port }),
      calls: group.calls,
      fault: group.fault,
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function placeOf({ key, dir }: NodeOptions): Promise<NodePlace> {
  const place = {
    name: "this node",
    database: join(dir.path, STORE_FILE),
    shown: `${dir.shown}/${STORE_FILE}`,
  };
  if (key === undefined) return place;
  return {
    ...place,
    key: await readKey(
      key.path,
      key.shown,
      "give the --key that `sion genesis key` made, or none to follow only",
    ),
  };
}

/** The line that says that a node is ready. */
export function nodeReadyLine(
  { validator, url, chainId, chain }: Pick<
    RunningNode,
    "validator" | "url" | "chainId" | "chain"
  >,
): string {
  const what = validator === null ? "follower" : `validator ${validator}`;
  return `${what} ready on ${url}: chain ${chainId}, identity ${chain}`;
}
