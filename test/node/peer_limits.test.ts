/** What becomes of peers that misbehave, or make a node keep too much. */
import { describe, expect, test } from "vitest";
import { isFollower } from "../../internal/node/peer_number.ts";
import { connectAll, node, warnings } from "./_peer_nodes.ts";

describe("openPeers()", () => {
  test("openPeers() refuses a validator that misbehaves for a while, then hears it again", async () => {
    let nowMs = 0;
    const a = await node(0, { nowMs: () => nowMs, maySpare: () => true });
    const b = await node(1);
    connectAll([a, b]);
    await a.connected(1);
    for (let i = 0; i < 4; i++) a.peers.penalize(1, "undecodable");
    await expect.poll(() => b.peers.validators()).toEqual([]);
    // It tries again at once: whether it was told so already is a matter of time.
    expect(warnings(a)[0]).toBe("Refused validator 1 for 1 s: bytes that are no message (4 times)");
    await a.told("Dropped a peer: it misbehaved, and is refused for a while");
    expect(a.peers.validators()).toEqual([]);
    nowMs = 1_000;
    await expect.poll(() => a.peers.validators()).toEqual([1]);
    await expect.poll(() => b.peers.validators()).toEqual([0]);
  });

  test("openPeers() only drops a validator without which there is no quorum, and one line says so", async () => {
    const asked: (readonly number[])[] = [];
    const a = await node(0, {
      nowMs: () => 0,
      maySpare(refused) {
        asked.push(refused);
        return refused.length === 1;
      },
    });
    const [b, c] = [await node(1), await node(2)];
    connectAll([a, b, c]);
    await a.connected(2);
    a.peers.penalize(1, "oversize");
    a.peers.penalize(2, "oversize");
    expect(asked).toEqual([[1], [2, 1]]);
    await a.connected(3);
    expect(a.connections.at(-1)).toBe(2);
    expect(a.peers.validators()).toEqual([2]);
    expect(warnings(a).slice(0, 2)).toEqual([
      "Refused validator 1 for 1 s: a frame over the limit",
      "Dropped validator 2: a frame over the limit",
    ]);
  });

  test("openPeers() refuses followers of an address together, and takes a burst of wants of each", async () => {
    const a = await node(0, { nowMs: () => 0 });
    const follower = await node(null);
    follower.peers.connect([a.address]);
    await a.connected(1);
    const [number = 0] = a.connections;
    expect(isFollower(number)).toBe(true);
    let taken = 0;
    while (a.peers.takesWant(number)) taken++;
    expect(taken).toBe(512);
    for (let i = 0; i < 99; i++) a.peers.takesWant(number);
    await a.told(
      "Refused followers at 127.0.0.1 for 1 s: more wants than are answered (100 times)",
    );
    await a.told("Dropped a peer: it misbehaved, and is refused for a while");
  });

  test("openPeers() drops a validator that announces a frame over the limit, and holds it against it", async () => {
    const a = await node(0, { nowMs: () => 0, maySpare: () => true });
    const b = await node(1);
    connectAll([a, b]);
    await Promise.all([a.connected(1), b.connected(1)]);
    b.peers.send(0, new Uint8Array(3_162_113));
    await a.told("Refused validator 1 for 1 s: a frame over the limit");
    expect(a.frames).toEqual([]);
  });

  test("openPeers() drops a follower that announces a frame over its limit", async () => {
    const a = await node(0, { nowMs: () => 0 });
    const follower = await node(null);
    follower.peers.connect([a.address]);
    await Promise.all([a.connected(1), follower.connected(1)]);
    follower.peers.send(0, new Uint8Array(524_304));
    await a.got(1);
    follower.peers.send(0, new Uint8Array(524_305));
    await a.told("Refused followers at 127.0.0.1 for 1 s: a frame over the limit");
  });

  test("openPeers() keeps nothing more for a peer that takes nothing", async () => {
    const taken = { b: [] as number[], follower: [] as number[] };
    const a = await node(0);
    const b = await node(1, { onFrame: (_, { length }) => void taken.b.push(length) });
    const follower = await node(null, {
      onFrame: (_, { length }) => void taken.follower.push(length),
    });
    connectAll([a, b]);
    follower.peers.connect([a.address]);
    await Promise.all([b.connected(1), follower.connected(1)]);
    await expect.poll(() => a.connections.some(isFollower)).toBe(true);
    await expect.poll(() => a.peers.validators()).toEqual([1]);
    const number = a.connections.find(isFollower) ?? 0;
    const large = new Uint8Array(512 << 10);
    // All in one turn, so that neither takes anything meanwhile; the system itself holds a few.
    for (const to of [1, number]) for (let n = 0; n < 64; n++) a.peers.send(to, large);
    await expect.poll(() => {
      for (const to of [1, number]) a.peers.send(to, new Uint8Array(1));
      return [taken.b.at(-1), taken.follower.at(-1)];
    }, { timeout: 60_000 }).toEqual([1, 1]);
    const kept = ({ length }: Uint8Array, got: number[]) => got.filter((n) => n === length).length;
    expect(kept(large, taken.b)).toBeGreaterThanOrEqual(16);
    expect(kept(large, taken.b)).toBeLessThan(48);
    expect(kept(large, taken.follower)).toBeGreaterThanOrEqual(4);
    expect(kept(large, taken.follower)).toBeLessThan(40);
  });
});
