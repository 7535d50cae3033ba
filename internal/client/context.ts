/** What the parts of one client share. */
import type { Clock, Random } from "#internal/core/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import { isDevnet } from "#internal/rpc/mod.ts";
import type { ClientState, Wallets } from "#internal/store/mod.ts";
import { otherChain } from "./errors.ts";
import type { KeyRing } from "./keys.ts";

/** Shared services of a client. Files and heavy modules are opened at first use. */
export interface Context {
  readonly node: string;
  readonly pinned: string | undefined;
  readonly rpc: RpcCalls;
  readonly clock: Clock;
  readonly random: Random;
  /** This process, to other processes that share the files. */
  readonly processId: number;
  readonly wallets: Wallets;
  readonly keys: KeyRing;
  /** `$SION_HOME/client.db`, opened at first use. */
  state(): Promise<ClientState>;
  /** The ledger's rules, loaded at first use. */
  ledger(): Promise<Ledger>;
  readonly work: Work;
  /** Tells the person one sentence besides the answer. */
  note(text: string): void;
  /** Tells what is waited for, or that nothing is any more. */
  waiting(what: string | undefined): void;
}

/** Units that calls of this process take care of, and a bell for those that wait for room. */
export interface Work {
  /** Digests of units. */
  readonly units: Set<string>;
  /** The last handing-in of each lane: units are handed in one after another. */
  readonly handedIn: Map<string, Promise<void>>;
  /** Resolves at the next `ring`, or after `ms`. */
  wait(ms: number): Promise<void>;
  ring(): void;
}

/** Facts about the node's chain, read anew for each operation: a devnet may be replaced. */
export interface ChainFacts {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly chainId: string;
  /** Whether names without a file stand for deterministic wallets. */
  readonly devnet: boolean;
  readonly scheme: Scheme;
  /** The newest executed Pulse. */
  readonly head: bigint;
}

/** Which signatures a chain takes; accounts differ between them. */
export type Scheme = "dual" | "insecure";

/** Asks the node which chain it serves. @throws {SionError} `node-unreachable`, `other-chain` */
export async function chainFacts(context: Context, signal?: AbortSignal): Promise<ChainFacts> {
  const status = await context.rpc.status({}, withSignal(signal));
  if (context.pinned !== undefined && status.chain !== context.pinned) {
    throw otherChain(status.chain, context.pinned);
  }
  return {
    chain: status.chain,
    chainId: status.chain_id,
    devnet: isDevnet(status.chain_id),
    scheme: status.insecure_signatures ? "insecure" : "dual",
    head: BigInt(status.pulse),
  };
}

/** Options with a signal, when there is one. */
export function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Nothing at work yet. */
export function createWork(): Work {
  let waiters: (() => void)[] = [];
  return {
    units: new Set(),
    handedIn: new Map(),
    wait(ms) {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        waiters.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
    ring() {
      const rung = waiters;
      waiters = [];
      for (const resolve of rung) resolve();
    },
  };
}
