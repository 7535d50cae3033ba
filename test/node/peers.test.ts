import { Buffer } from "node:buffer";
import { afterEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import {
  concatBytes,
  decode,
  fixedBytes,
  silentLogger,
  struct,
  u16,
  u8,
} from "#internal/core/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";
import { connectFrames, listenFrames, systemRandom } from "#internal/runtime/mod.ts";
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
    random: systemRandom,
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

  test("openPeers() drops who does not greet, and tells one reason once", async () => {
    const told: [string, string][] = [];
    const a = await node(0, { logger: { log: (level, message) => told.push([level, message]) } });
    for (let n = 0; n < 3; n++) {
      const socket = await stranger(a.peers.port);
      socket.send(new TextEncoder().encode("GET / HTTP/1.1"));
      await socket.closed;
    }
    expect(told).toEqual(["warn", "debug", "debug"].map((level) => [
      level,
      "Dropped a peer: it does not greet as a validator of sion",
    ]));
    expect(a.frames).toEqual([]);
  });

  test("openPeers() drops who stays silent", async () => {
    const a = await node(0, { greetingMs: 20 });
    const socket = await stranger(a.peers.port);
    await socket.closed;
    expect(socket.got).toEqual([]);
  });

  test("openPeers() takes no frame longer than a greeting from a stranger", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const socket = await stranger(a.peers.port);
    socket.send(new Uint8Array(129));
    await socket.closed;
    expect(socket.got).toEqual([]);
  });

  test("openPeers() shows its secret to nobody, whichever end a stranger is", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const socket = await stranger(a.peers.port);
    socket.send(hello(1));
    const answer = await socket.next();
    expect(answer).toHaveLength(108);
    expect(contains(answer, TOKEN)).toBe(false);
    const listening = Promise.withResolvers<FrameSocket>();
    await using server = await listenFrames(
      { host: "127.0.0.1", port: 0, maxFrameBytes: 999 },
      listening.resolve,
    );
    a.peers.connect([a.peers.port, server.port]);
    const far = await listening.promise;
    const first = await new Promise<Uint8Array>((resolve) => far.onFrame(resolve));
    expect(first).toHaveLength(76);
    expect(contains(first, TOKEN)).toBe(false);
    expect(decode(helloCodec, first).nonce).not.toEqual(
      decode(helloCodec, answer.subarray(0, 76)).nonce,
    );
  });

  test("openPeers() does not take its own proof, or one of another connection, for a peer's", async () => {
    const lines: string[] = [];
    const a = await node(0, {
      logger: { log: (_level, message) => lines.push(message) },
      greetingMs: 60_000,
    });
    // What a validator says to one stranger is of no use to another.
    const one = await stranger(a.peers.port);
    one.send(hello(1));
    const proof = (await one.next()).subarray(76);
    one.send(proof);
    await one.closed;
    const two = await stranger(a.peers.port);
    two.send(hello(1));
    await two.next();
    two.send(proof);
    await two.closed;
    expect(lines).toEqual(Array(2).fill("Dropped a peer: it is not of this run"));
    expect(a.peers.connected()).toBe(0);
  });

  test.each([[0, "it is no validator"], [3, "it is no validator"]])(
    "openPeers() drops who says to be validator %d",
    async (from, reason) => {
      const told = Promise.withResolvers<string>();
      const a = await node(0, { logger: { log: (_level, message) => told.resolve(message) } });
      const socket = await stranger(a.peers.port);
      socket.send(hello(from));
      await socket.closed;
      expect(await told.promise).toBe(`Dropped a peer: ${reason}`);
      expect(socket.got).toEqual([]);
    },
  );
});

const MAGIC = new TextEncoder().encode("sion/peer");
const helloCodec = struct({
  magic: fixedBytes(9),
  format: u16,
  chain: fixedBytes(32),
  from: u8,
  nonce: fixedBytes(32),
});

/** A greeting's first frame, written by hand. */
function hello(from: number): Uint8Array {
  return concatBytes(
    MAGIC,
    new Uint8Array([FORMAT_VERSION, 0]),
    new Uint8Array(32).fill(0xc0),
    new Uint8Array([from]),
    new Uint8Array(32).fill(1),
  );
}

interface Stranger {
  readonly got: Uint8Array[];
  readonly closed: Promise<void>;
  send(frame: Uint8Array): void;
  /** The next frame that it is sent. */
  next(): Promise<Uint8Array>;
}

/** A connection of somebody who is no validator. */
async function stranger(port: number): Promise<Stranger> {
  const socket = await connectFrames({ host: "127.0.0.1", port, maxFrameBytes: 1 << 20 });
  const got: Uint8Array[] = [];
  let onGot = (): void => {};
  socket.onFrame((frame) => {
    got.push(frame);
    onGot();
  });
  const closed = new Promise<void>((resolve) => socket.onClose(resolve));
  return {
    got,
    closed,
    send: (frame) => void socket.send(frame),
    async next() {
      if (got.length === 0) {
        await new Promise<void>((resolve) => {
          onGot = resolve;
        });
      }
      return got.shift() as Uint8Array;
    },
  };
}

function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  return Buffer.from(bytes).includes(part);
}
