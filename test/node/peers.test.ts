import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { concatBytes, decode, fixedBytes, struct, u16, u8 } from "#internal/core/mod.ts";
import type { DualKeys } from "#internal/crypto/mod.ts";
import { loadDualBackend, taggedHash } from "#internal/crypto/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";
import { connectFrames, listenFrames, systemRandom } from "#internal/runtime/mod.ts";
import { keyProofs, tokenProofs } from "../../internal/node/peer_proofs.ts";
import { isFollower } from "../../internal/node/peer_number.ts";
import type { PeersOptions } from "../../internal/node/peers.ts";
import type { Node } from "./_peer_nodes.ts";
import { ANYWHERE, connectAll, node, TOKEN, warnings } from "./_peer_nodes.ts";

/** Three validators, each of which knows all addresses, its own too. */
async function mesh(): Promise<[Node, Node, Node]> {
  const nodes: [Node, Node, Node] = [await node(0), await node(1), await node(2)];
  connectAll(nodes);
  for (const { peers } of nodes) await expect.poll(() => peers.validators()).toHaveLength(2);
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

  test("openPeers() connects again when a connection ends, wherever the peer is then", async () => {
    const [a, b] = await mesh();
    await b.peers[Symbol.asyncDispose]();
    await expect.poll(() => a.peers.validators()).toEqual([2]);
    const again = await node(1);
    again.peers.connect([a.address]);
    await expect.poll(() => a.peers.validators()).toEqual([1, 2]);
    a.peers.send(1, new Uint8Array([9]));
    await again.got(1);
    expect(again.frames).toEqual([[0, [9]]]);
  });

  test("openPeers() tells of two nodes that take turns under one index", async () => {
    // All of it is within ten seconds.
    const a = await node(0, { nowMs: () => 0 });
    const [b, c] = [await node(1), await node(1)];
    for (const { peers } of [b, c]) peers.connect([a.address]);
    await a.told("Validator 1 connects again and again: two nodes may run with its key");
    expect(warnings(a)).toEqual([
      "Validator 1 connects again and again: two nodes may run with its key",
    ]);
  });

  test("openPeers() keeps one of two connections that a pair makes at once, and loses no frame [L-595]", async () => {
    const [a, b] = [await node(0), await node(1)];
    connectAll([a, b]);
    await Promise.all([a.connected(1), b.connected(1)]);
    // However they settle, what is sent meanwhile arrives once.
    for (let n = 0; n < 50; n++) {
      a.peers.send(1, new Uint8Array([n]));
      b.peers.send(0, new Uint8Array([n]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([a.got(50), b.got(50)]);
    const all = Array.from({ length: 50 }, (_, n) => [n]);
    expect(a.frames.map(([, bytes]) => bytes).sort(([x = 0], [y = 0]) => x - y)).toEqual(all);
    expect(b.frames.map(([, bytes]) => bytes).sort(([x = 0], [y = 0]) => x - y)).toEqual(all);
    expect(warnings(a)).toEqual([]);
    expect(warnings(b)).toEqual([]);
  });

  test("openPeers() keeps one connection to a validator that two addresses lead to", async () => {
    const a = await node(0);
    const b = await node(1);
    a.peers.connect([b.address, { ...b.address, host: "localhost" }]);
    await a.told("Dropped a peer: validator 1 is connected by another address already");
    a.peers.send(1, new Uint8Array([3]));
    await b.got(1);
    expect(b.frames).toEqual([[0, [3]]]);
  });

  test("openPeers() has another validator answer for one that is not connected", async () => {
    const [a, b] = [await node(0), await node(2)];
    expect(a.peers.nearest(1)).toBe(1);
    a.peers.connect([b.address]);
    await a.connected(1);
    expect([0, 1, 2].map((peer) => a.peers.nearest(peer))).toEqual([2, 2, 2]);
  });

  test.each<[string, Partial<PeersOptions>]>([
    ["it is of another chain", { chain: "dd".repeat(32) }],
    [
      "it does not prove which validator it is",
      { proofs: tokenProofs(new Uint8Array(32), 3) },
    ],
  ])("openPeers() drops a stranger with one line: %s", async (reason, more) => {
    const a = await node(0);
    const other = await node(1, more);
    a.peers.connect([other.address]);
    // Whoever is the first to see it says so.
    await Promise.race([a, other].map(({ told }) => told(`Dropped a peer: ${reason}`)));
    expect(a.peers.validators()).toEqual([]);
    expect(other.peers.validators()).toEqual([]);
  });

  test("openPeers() drops who does not greet, and tells one reason once", async () => {
    const a = await node(0);
    for (let n = 0; n < 3; n++) {
      const socket = await stranger(a);
      socket.send(new TextEncoder().encode("GET / HTTP/1.1"));
      await socket.closed;
    }
    expect(a.lines).toEqual(
      ["warn", "debug", "debug"].map((
        level,
      ) => [level, "Dropped a peer: it does not greet as a node of sion"]),
    );
    expect(a.frames).toEqual([]);
  });

  test("openPeers() drops who stays silent", async () => {
    const a = await node(0, { greetingMs: 20 });
    const socket = await stranger(a);
    await socket.closed;
    expect(socket.got).toEqual([]);
  });

  test("openPeers() drops who says nothing any more, and keeps who gives signs of life", async () => {
    const a = await node(0, { keepaliveMs: 30 });
    const b = await node(1, { keepaliveMs: 30 });
    b.peers.connect([a.address]);
    await Promise.all([a.connected(1), b.connected(1)]);
    const dead = await greeted(a, 2);
    await dead.closed;
    await expect.poll(() => a.peers.validators()).toEqual([1]);
    expect(dead.got.filter((frame) => frame.length === 0).length).toBeGreaterThan(0);
    expect(a.frames).toEqual([]);
  });

  test("openPeers() takes no frame longer than a greeting from a stranger", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const socket = await stranger(a);
    socket.send(new Uint8Array(77));
    await socket.closed;
    expect(socket.got).toEqual([]);
  });

  test("openPeers() proves nothing to whoever connects without a proof", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const socket = await stranger(a);
    socket.send(hello(1));
    const answer = await socket.next();
    expect(answer).toHaveLength(76);
    expect(decode(helloCodec, answer).from).toBe(0);
    // Its own hello and zeros in the place of a proof.
    socket.send(new Uint8Array(32));
    await socket.closed;
    expect(socket.got).toEqual([]);
    expect(warnings(a)).toEqual(["Dropped a peer: it does not prove which validator it is"]);
  });

  test("openPeers() shows its secret to nobody whom it connects to", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const listening = Promise.withResolvers<FrameSocket>();
    await using server = await listenFrames({ ...ANYWHERE, maxFrameBytes: 999 }, listening.resolve);
    a.peers.connect([{ ...ANYWHERE, port: server.port }]);
    const far = await listening.promise;
    const got: Uint8Array[] = [];
    const both = new Promise<void>((resolve) =>
      far.onFrame((frame) => {
        got.push(frame);
        if (got.length === 1) far.send(hello(1));
        else resolve();
      })
    );
    await both;
    expect(got.map(({ length }) => length)).toEqual([76, 32]);
    for (const frame of got) expect(contains(frame, TOKEN)).toBe(false);
  });

  test("openPeers() takes neither its own proof nor one of another connection for a peer's", async () => {
    const a = await node(0, { greetingMs: 60_000 });
    const one = await stranger(a);
    one.send(hello(1));
    const proof = await prove(one, "dial", hello(1), await one.next());
    const two = await stranger(a);
    two.send(hello(1));
    await two.next();
    two.send(proof);
    await two.closed;
    // What the end that listens proves is not what the one that connects has to.
    const three = await stranger(a);
    three.send(hello(1));
    three.send(await prove(three, "listen", hello(1), await three.next()));
    await three.closed;
    expect(a.connections).toEqual([1]);
  });

  test.each([
    [0, "it greets as validator 0, which this node is"],
    [3, "it is no validator of the session"],
    [254, "it is no validator of the session"],
  ])("openPeers() drops who says to be validator %d", async (from, reason) => {
    const a = await node(0);
    const socket = await stranger(a);
    socket.send(hello(from));
    await socket.closed;
    expect(warnings(a)).toEqual([`Dropped a peer: ${reason}`]);
    expect(socket.got).toEqual([]);
  });
});

describe("openPeers() with followers", () => {
  test("openPeers() takes a follower, sends it what all are sent, and hears what it asks", async () => {
    const [a, b] = [await node(0), await node(1)];
    const follower = await node(null);
    follower.peers.connect([a.address, b.address]);
    await Promise.all([a.connected(1), b.connected(1), follower.connected(2)]);
    expect(follower.peers.validators()).toEqual([0, 1]);
    expect(a.peers.validators()).toEqual([]);
    expect(a.connections.every(isFollower)).toBe(true);
    a.peers.send("all", new Uint8Array([1]));
    follower.peers.send(1, new Uint8Array([2]));
    await Promise.all([follower.got(1), b.got(1)]);
    expect(follower.frames).toEqual([[0, [1]]]);
    const [from] = b.frames[0] as [number, number[]];
    b.peers.send(from, new Uint8Array([3]));
    await follower.got(2);
    expect(follower.frames[1]).toEqual([1, [3]]);
  });

  test("openPeers() takes so many followers and no more, and validators all the same", async () => {
    const a = await node(0, { maxFollowers: 1 });
    const first = await stranger(a);
    await follow(first);
    await a.connected(1);
    const second = await stranger(a);
    await follow(second);
    await second.closed;
    expect(warnings(a)).toEqual(["Dropped a peer: it follows, and no more followers are taken"]);
    const b = await node(1);
    b.peers.connect([a.address]);
    await expect.poll(() => a.peers.validators()).toEqual([1]);
  });

  test("openPeers() takes eight followers of one address at most", async () => {
    const a = await node(0);
    for (let n = 0; n < 8; n++) await follow(await stranger(a));
    await a.connected(8);
    const more = await stranger(a);
    await follow(more);
    await more.closed;
    expect(warnings(a)).toEqual([
      "Dropped a peer: it follows, and no more followers are taken from there",
    ]);
  });

  test("openPeers() of a follower drops who follows too", async () => {
    const a = await node(null, { listen: ANYWHERE });
    const b = await node(null);
    b.peers.connect([a.address]);
    await a.told("Dropped a peer: this node only follows");
    expect(b.peers.validators()).toEqual([]);
  });
});

describe("openPeers() with keys", () => {
  const seeds = [0, 1, 2].map((n) => new Uint8Array(32).fill(n + 1));

  /** Nodes whose validators' keys can be replaced. */
  async function lab() {
    const backend = await loadDualBackend("insecure");
    const keys: DualKeys[] = [];
    for (const seed of seeds) keys.push(await backend.keysFromSeed(seed));
    const committee = keys.map(({ publicKey }) => publicKey);
    const member = (self: number | null, own: DualKeys | undefined, more = {}) => {
      const keyOf = (index: number) => committee[index];
      return node(self, {
        keyOf,
        proofs: keyProofs({ backend, keyOf, keys: () => own, random: systemRandom }),
        ...more,
      });
    };
    return { backend, keys, committee, member };
  }

  test("openPeers() greets by the keys of the committee [L-595]", async () => {
    const { keys, member } = await lab();
    const [a, b] = [await member(0, keys[0]), await member(1, keys[1])];
    b.peers.connect([a.address]);
    await Promise.all([a.connected(1), b.connected(1)]);
    expect([a.connections, b.connections]).toEqual([[1], [0]]);
  });

  test("openPeers() drops who signs with another key, at either end", async () => {
    const { keys, member } = await lab();
    const [a, liar] = [await member(0, keys[0]), await member(1, keys[2])];
    liar.peers.connect([a.address]);
    await a.told("Dropped a peer: it does not prove which validator it is");
    const b = await member(0, keys[0]);
    b.peers.connect([liar.address]);
    await b.told("Dropped a peer: it does not prove which validator it is");
    expect([...a.connections, ...b.connections, ...liar.connections]).toEqual([]);
  });

  test("openPeers() signs a greeting under its own domain, bound to both hellos", async () => {
    const { backend, keys, member } = await lab();
    const a = await member(0, keys[0]);
    const socket = await stranger(a);
    socket.send(hello(1));
    const theirs = await socket.next();
    const digest = taggedHash("sion/peer-dial/v1", hello(1), theirs);
    socket.send(await backend.sign(keys[1] as DualKeys, digest, systemRandom));
    const answer = await socket.next();
    const due = taggedHash("sion/peer-listen/v1", hello(1), theirs);
    const [first] = keys as [DualKeys];
    expect(await backend.verify(first.publicKey, due, answer)).toBe(true);
    socket.send(new Uint8Array());
    await a.connected(1);
    expect(a.connections).toEqual([1]);
  });

  test("openPeers() asks for a greeting again when a validator's key has changed", async () => {
    const { backend, keys, committee, member } = await lab();
    const a = await member(0, keys[0]);
    const old = await member(1, keys[1]);
    const kept = await member(2, keys[2]);
    old.peers.connect([a.address]);
    kept.peers.connect([a.address]);
    await a.connected(2);
    const next = await backend.keysFromSeed(new Uint8Array(32).fill(9));
    committee[1] = next.publicKey;
    a.peers.renew();
    await a.told("Dropped a peer: it does not prove which validator it is");
    expect(a.peers.validators()).toEqual([2]);
    const renewed = await member(1, next);
    renewed.peers.connect([a.address]);
    await expect.poll(() => a.peers.validators()).toEqual([1, 2]);
  });

  test("openPeers() of a validator whose key was replaced follows, says so, and comes back with it", async () => {
    const { backend, keys, committee, member } = await lab();
    const next = await backend.keysFromSeed(new Uint8Array(32).fill(9));
    committee[1] = next.publicKey;
    const a = await member(0, keys[0]);
    const known = [...keys.map(({ publicKey }) => publicKey)];
    const b = await member(1, keys[1], { keyOf: (index: number) => known[index], followMs: 50 });
    b.peers.connect([a.address]);
    await b.told("Peers do not take this node for validator 1: it follows them to find out why");
    await a.connected(1);
    expect(a.connections.map(isFollower)).toEqual([true]);
    expect(b.connections).toEqual([0]);
    committee[1] = known[1] as Uint8Array;
    await expect.poll(() => a.peers.validators()).toEqual([1]);
    expect(warnings(b)).toHaveLength(1);
  });

  test("openPeers() of a follower that becomes a validator greets as one", async () => {
    const { keys, member } = await lab();
    const a = await member(0, keys[0]);
    let self: number | null = null;
    const b = await member(null, keys[1], { self: () => self });
    b.peers.connect([a.address]);
    await a.connected(1);
    expect(a.connections.map(isFollower)).toEqual([true]);
    self = 1;
    b.peers.renew();
    await expect.poll(() => a.peers.validators()).toEqual([1]);
  });
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
async function stranger({ address }: Node): Promise<Stranger> {
  const socket = await connectFrames({ ...address, maxFrameBytes: 1 << 20 });
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

/** The token's proof, sent. */
async function prove(
  to: Stranger,
  end: "dial" | "listen",
  dialer: Uint8Array,
  listener: Uint8Array,
): Promise<Uint8Array> {
  const proof = await tokenProofs(TOKEN, 3).prove(end, [dialer, listener]);
  to.send(proof);
  if (end === "dial") {
    await to.next();
    to.send(new Uint8Array());
  }
  return proof;
}

/** A stranger that greets as a validator, and then says nothing more. */
async function greeted(to: Node, index: number): Promise<Stranger> {
  const socket = await stranger(to);
  socket.send(hello(index));
  await prove(socket, "dial", hello(index), await socket.next());
  return socket;
}

/** A stranger that greets as a follower. */
async function follow(socket: Stranger): Promise<void> {
  socket.send(hello(255));
  await socket.next();
  socket.send(new Uint8Array());
}

function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  return Buffer.from(bytes).includes(part);
}
