/** What the parts of one client share. */
import type { Clock, Random } from "#internal/core/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import type { ClientState, MemoryStores, Wallets } from "#internal/store/mod.ts";
import type { KeyRing } from "./keys.ts";

/** Shared services of a client. Files and heavy modules are opened at first use. */
export interface Context {
  readonly node: string;
  /** The folder of all state. */
  readonly home: string;
  readonly pinned: string | undefined;
  readonly rpc: RpcCalls;
  readonly clock: Clock;
  readonly random: Random;
  /** This process, to other processes that share the files. */
  readonly processId: number;
  wallets(): Promise<Wallets>;
  readonly keys: KeyRing;
  /** The memory logs of this machine. */
  memory(): Promise<MemoryStores>;
  /** `$SION_HOME/client.db`, opened at first use. */
  state(): Promise<ClientState>;
  /** The ledger's rules, loaded at first use. */
  ledger(): Promise<Ledger>;
  readonly work: Work;
  /** A path as messages show it: the person's home as `~`. */
  shown(path: string): string;
  /** Tells the person one sentence besides the answer. */
  note(text: string): void;
  /** Tells what is waited for, or that nothing is any more. */
  waiting(what: string | undefined): void;
}

/** Units and purchases that calls of this process take care of, and a bell for those that wait for room. */
export interface Work {
  /** Digests of units. */
  readonly units: Set<string>;
  /** Names of purchases over HTTP. */
  readonly purchases: Set<string>;
  /** The last handing-in of each lane: units are handed in one after another. */
  readonly handedIn: Map<string, Promise<void>>;
  /** The last call in the line of those that want to sign, of each account. */
  readonly signing: Map<string, Promise<void>>;
  /** Resolves at the next `ring`, or after `ms`. */
  wait(ms: number): Promise<void>;
  ring(): void;
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
    purchases: new Set(),
    handedIn: new Map(),
    signing: new Map(),
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
