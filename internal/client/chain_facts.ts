/** Which chain the node serves. */
import type { RpcCalls, StatusView } from "#internal/rpc/mod.ts";
import { isDevnet } from "#internal/rpc/mod.ts";
import { otherChain } from "./errors.ts";
import { orAborted } from "./or_aborted.ts";

/** Facts about the node's chain, read anew for each operation: a devnet may be replaced. */
export interface ChainFacts {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly chainId: string;
  /** Whether names without a file stand for deterministic wallets. */
  readonly devnet: boolean;
  readonly scheme: Scheme;
  /** What answers is a gateway, which takes no transactions. */
  readonly readOnly: boolean;
  /** The newest executed Pulse. */
  readonly head: bigint;
}

/** Which signatures a chain takes; accounts differ between them. */
export type Scheme = "dual" | "insecure";

/**
 * Asks the node only when a chain is pinned: for what needs no other facts of it.
 * @throws {SionError} `node-unreachable`, `other-chain`
 */
export async function checkPinned(
  context: { readonly rpc: RpcCalls; readonly pinned: string | undefined },
  signal?: AbortSignal,
): Promise<void> {
  if (context.pinned !== undefined) await chainFacts(context, signal);
}

/** Questions that are not answered yet. */
const asking = new WeakMap<RpcCalls, Promise<StatusView>>();

/** The node's status. Calls that ask while another's question is on its way share its answer. */
async function statusOf(rpc: RpcCalls, signal: AbortSignal | undefined): Promise<StatusView> {
  signal?.throwIfAborted();
  let asked = asking.get(rpc);
  if (asked === undefined) {
    asked = rpc.status({}, {}).finally(() => asking.delete(rpc));
    asking.set(rpc, asked);
    // Whoever asked may have given up by the time it fails.
    asked.catch(() => {});
  }
  return await orAborted(asked, signal);
}

/** Asks the node which chain it serves. @throws {SionError} `node-unreachable`, `other-chain` */
export async function chainFacts(
  context: { readonly rpc: RpcCalls; readonly pinned: string | undefined },
  signal?: AbortSignal,
): Promise<ChainFacts> {
  const status = await statusOf(context.rpc, signal);
  if (context.pinned !== undefined && status.chain !== context.pinned) {
    throw otherChain(status.chain, context.pinned);
  }
  return {
    chain: status.chain,
    chainId: status.chain_id,
    devnet: isDevnet(status.chain_id),
    scheme: status.insecure_signatures ? "insecure" : "dual",
    readOnly: status.read_only === true,
    head: BigInt(status.pulse),
  };
}
