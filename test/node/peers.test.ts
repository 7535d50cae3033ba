import { afterEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import { silentLogger } from "#internal/core/mod.ts";
import { connectFrames } from "#internal/runtime/mod.ts";
import { openPeers } from "../../internal/node/peers.ts";
import type { Peers, PeersOptions } from "../../internal/node/peers.ts";

const CHAIN = "c0".repeat(32);
const TOKEN = new Uint8Array(32).fill(7);

const opened: Peers[] = [];
afterEach(async () => {
  for (const peers of opened.splice(0)) await peers[Symbol.asyncDispose]();
});

interface Node {
  readonly peers: Peers;
  readonly frames: [number, number[]][];
  /** Resolves when so many frames came. */
  got(count: number): Promise<void>;
  /** Resolves when so many peers were connected. */
  connected(count: number): Promise<void>;
}

async function node(self: number, more: Partial<PeersOptions> = {}): Promise<Node> {
  const frames: [number, number[]][] = [];
  let connections = 0;
  const waiting = new Set<() => void>();
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise<void>((resolve) => waiting.add(resolve));
  };
  const change = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const peers = await openPeers({
    self,
    count: 3,
    chain: CHAIN,
    token: TOKEN,
    host: "127.0.0.1",
    logger: silentLogger,
    onFrame(from, frame) {
      frames.push([from, [...frame]]);
      change();
    },
    onConnected() {
      connections++;
      change();
    },
    ...more,
  });
  opened.push(peers);
  return {
    peers,
    frames,
    got: (count) => until(() => frames.length >= count),
    connected: (count) => until(() => connections >= count),
  };
}

async function mesh(): Promise<[Node, Node, Node]> {
  const nodes: [Node, Node, Node] = [await node(0), await node(1), await node(2)];
  const ports = nodes.map(({ peers }) => peers.port);
  for (const { peers } of nodes) peers.connect(ports);
  await Promise.all(nodes.map(({ connected }) => connected(2)));
  return nodes;
}

describe("openPeers()", () => {
  test("openPeers() carries frames to one or to all others and says who sent them [L-595]", async () => {
    const [a, b, c] = await mesh();
    a.peers.send("all", new Uint8Array([1]));
    c.peers.send(1, new Uint8Array([2]));
    await Promise.all([b.got(2), c.got(1)]);
    expect(b.frames.toSorted(([x], [y]) => x - y)).toEqual([[0, [1]], [2, [2]]]);
    expect(c.frames).toEqual([[0, [1]]]);
    expect(a.frames).toEqual([]);
  });

  test("openPeers() connects again when a connection ends", async () => {
    const [a, b] = await mesh();
    await b.peers[Symbol.asyncDispose]();
    await expect.poll(() => a.peers.connected()).toBe(1);
    const again = await node(1);
    again.peers.connect([a.peers.port, again.peers.port]);
    a.peers.connect([a.peers.port, again.peers.port]);
    await again.connected(1);
    await expect.poll(() => a.peers.connected()).toBe(2);
    a.peers.send(1, new Uint8Array([9]));
    await again.got(1);
    expect(again.frames).toEqual([[0, [9]]]);
  });

  test.each<[string, Partial<PeersOptions>]>([
    ["it is of another chain", { chain: "dd".repeat(32) }],
    ["it is not of this run", { token: new Uint8Array(32) }],
  ])("openPeers() drops a stranger with one line: %s", async (reason, more) => {
    const lines: string[] = [];
    const told = Promise.withResolvers<void>();
    const logger: Logger = {
      log(_level, message) {
        lines.push(message);
        told.resolve();
      },
    };
    const a = await node(0, { logger });
    // Either may be the first to see that the other is not of its kind.
    const stranger = await node(1, { logger, ...more });
    a.peers.connect([a.peers.port, stranger.peers.port]);
    await told.promise;
    expect(lines[0]).toBe(`Dropped a peer: ${reason}`);
    expect(a.peers.connected()).toBe(0);
  });

  test("openPeers() drops who does not greet", async () => {
    const told = Promise.withResolvers<string>();
    const a = await node(0, { logger: { log: (_level, message) => told.resolve(message) } });
    const socket = await connectFrames({
      host: "127.0.0.1",
      port: a.peers.port,
      maxFrameBytes: 999,
    });
    socket.send(new TextEncoder().encode("GET / HTTP/1.1"));
    expect(await told.promise).toBe("Dropped a peer: it does not greet as a validator of sion");
    expect(a.frames).toEqual([]);
    socket.close();
  });
});
