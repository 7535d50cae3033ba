/** Nodes that are nothing but their connections. */
import { onTestFinished } from "vitest";
import { systemRandom } from "#internal/runtime/mod.ts";
import type { Address } from "../../internal/node/dialer.ts";
import { tokenProofs } from "../../internal/node/peer_proofs.ts";
import type { Peers, PeersOptions } from "../../internal/node/peers.ts";
import { openPeers } from "../../internal/node/peers.ts";

const CHAIN = "c0".repeat(32);
export const TOKEN = new Uint8Array(32).fill(7);
export const ANYWHERE: Address = { host: "127.0.0.1", port: 0 };

export interface Node {
  readonly peers: Peers;
  readonly address: Address;
  readonly frames: [number, number[]][];
  readonly lines: [level: string, line: string][];
  /** Peers that were connected, in order. */
  readonly connections: number[];
  /** Resolves when so many frames came. */
  got(count: number): Promise<void>;
  /** Resolves when so many peers were connected. */
  connected(count: number): Promise<void>;
  /** Resolves when a line was logged that begins so. */
  told(beginning: string): Promise<void>;
}

export async function node(self: number | null, more: Partial<PeersOptions> = {}): Promise<Node> {
  const frames: [number, number[]][] = [];
  const connections: number[] = [];
  const lines: [string, string][] = [];
  const waiting = new Set<() => void>();
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  const change = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const peers = await openPeers({
    self: () => self,
    chain: CHAIN,
    proofs: tokenProofs(TOKEN, 3),
    random: systemRandom,
    ...(self === null ? {} : { listen: ANYWHERE }),
    logger: {
      log(level, line) {
        lines.push([level, line]);
        change();
      },
    },
    onFrame(from, frame) {
      frames.push([from, [...frame]]);
      change();
    },
    onConnected(peer) {
      connections.push(peer);
      change();
    },
    ...more,
  });
  onTestFinished(() => peers[Symbol.asyncDispose]() as Promise<void>);
  return {
    peers,
    address: { host: "127.0.0.1", port: peers.port ?? 0 },
    frames,
    lines,
    connections,
    got: (count) => until(() => frames.length >= count),
    connected: (count) => until(() => connections.length >= count),
    told: (beginning) => until(() => lines.some(([, line]) => line.startsWith(beginning))),
  };
}

export function connectAll(nodes: readonly Node[]): void {
  const addresses = nodes.map(({ address }) => address).reverse();
  for (const { peers } of nodes) peers.connect(addresses);
}

/** Warnings of a node. */
export function warnings({ lines }: Node): string[] {
  return lines.filter(([level]) => level === "warn").map(([, line]) => line);
}
