import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes } from "#internal/core/mod.ts";
import { connectFrames, frameSplitter, listenFrames } from "#internal/runtime/mod.ts";
import type { FrameSocket } from "#internal/runtime/mod.ts";

function framed(body: Uint8Array): Uint8Array {
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, body.length);
  return concatBytes(head, body);
}

describe("frameSplitter()", () => {
  test("frameSplitter() finds the frames however the stream is cut", () => {
    const frames = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
    fc.assert(fc.property(frames, fc.array(fc.nat(300), { maxLength: 6 }), (bodies, cuts) => {
      const stream = concatBytes(...bodies.map(framed));
      const places = [0, ...cuts.filter((cut) => cut < stream.length), stream.length];
      places.sort((a, b) => a - b);
      const found: Uint8Array[] = [];
      const take = frameSplitter(() => 40, (frame) => found.push(frame));
      for (let i = 1; i < places.length; i++) {
        expect(take(stream.subarray(places[i - 1], places[i]))).toBe(true);
      }
      expect(found).toEqual(bodies);
    }));
  });

  test("frameSplitter() stops at a frame over the limit without making room for it", () => {
    const take = frameSplitter(() => 8, () => expect.unreachable());
    expect(take(new Uint8Array([0xff, 0xff, 0xff, 0xff]))).toBe(false);
  });
});

describe("listenFrames()", () => {
  const options = { host: "127.0.0.1", port: 0, maxFrameBytes: 1 << 20 };

  test("listenFrames() and connectFrames() carry frames both ways, whole and in order", async () => {
    const arrived = Promise.withResolvers<FrameSocket>();
    await using server = await listenFrames(options, arrived.resolve);
    const near = await connectFrames({ ...options, port: server.port });
    const far = await arrived.promise;
    const got: Uint8Array[] = [];
    const all = Promise.withResolvers<void>();
    near.onFrame((frame) => {
      got.push(frame);
      if (got.length === 3) all.resolve();
    });
    far.onFrame((frame) => {
      far.send(frame);
    });
    const sent = [new Uint8Array(0), new Uint8Array(100_000).fill(7), new Uint8Array([1])];
    for (const frame of sent) expect(near.send(frame)).toBe(true);
    await all.promise;
    expect(got).toEqual(sent);
    near.close();
  });

  test("listenFrames() drops a peer that announces more than the limit", async () => {
    const arrived = Promise.withResolvers<FrameSocket>();
    await using server = await listenFrames({ ...options, maxFrameBytes: 4 }, arrived.resolve);
    const near = await connectFrames({ ...options, port: server.port });
    (await arrived.promise).onFrame(() => expect.unreachable());
    const closed = new Promise<void>((resolve) => near.onClose(resolve));
    near.send(new Uint8Array(5));
    await closed;
    expect(near.send(new Uint8Array(1))).toBe(false);
  });

  test("listenFrames() takes only small frames until a connection is admitted [L-595]", async () => {
    const strangers = { maxFrameBytes: 4, deadlineMs: 60_000, maxSockets: 4 };
    const got: number[] = [];
    const admitted = Promise.withResolvers<void>();
    await using server = await listenFrames({ ...options, strangers }, (socket) => {
      socket.onFrame((frame) => {
        got.push(frame.length);
        if (frame.length === 4) socket.admit();
        if (frame.length === 1000) admitted.resolve();
      });
    });
    const stranger = await connectFrames({ ...options, port: server.port });
    const dropped = new Promise<void>((resolve) => stranger.onClose(resolve));
    stranger.onFrame(() => expect.unreachable());
    stranger.send(new Uint8Array(5));
    await dropped;
    expect(got).toEqual([]);
    const guest = await connectFrames({ ...options, port: server.port });
    guest.send(new Uint8Array(4));
    guest.send(new Uint8Array(1000));
    await admitted.promise;
    expect(got).toEqual([4, 1000]);
    guest.close();
  });

  test("listenFrames() drops who is not admitted in time, and keeps who is [L-595]", async () => {
    const strangers = { maxFrameBytes: 4, deadlineMs: 500, maxSockets: 4 };
    await using server = await listenFrames({ ...options, strangers }, (socket) => {
      socket.onFrame((frame) => {
        socket.admit();
        setTimeout(() => socket.send(frame), 700);
      });
    });
    const silent = await connectFrames({ ...options, port: server.port });
    const guest = await connectFrames({ ...options, port: server.port });
    const echoed = new Promise((resolve) => guest.onFrame(resolve));
    guest.send(new Uint8Array([7]));
    silent.onFrame(() => expect.unreachable());
    await new Promise<void>((resolve) => silent.onClose(resolve));
    expect(await echoed).toEqual(new Uint8Array([7]));
    guest.close();
  });

  test("listenFrames() drops the oldest stranger for one too many [L-595]", async () => {
    const strangers = { maxFrameBytes: 4, deadlineMs: 60_000, maxSockets: 2 };
    const arrived: FrameSocket[] = [];
    let onArrival = (): void => {};
    await using server = await listenFrames({ ...options, strangers }, (socket) => {
      socket.onFrame(() => {});
      arrived.push(socket);
      onArrival();
    });
    const arrive = async (): Promise<FrameSocket> => {
      const seen = new Promise<void>((resolve) => {
        onArrival = resolve;
      });
      const near = await connectFrames({ ...options, port: server.port });
      near.onFrame(() => {});
      await seen;
      return near;
    };
    const admitted = await arrive();
    arrived[0]?.admit();
    const oldest = await arrive();
    const dropped = new Promise<void>((resolve) => oldest.onClose(resolve));
    const others = [await arrive(), await arrive()];
    await dropped;
    for (const socket of [admitted, ...others]) expect(socket.send(new Uint8Array(1))).toBe(true);
    for (const socket of [admitted, ...others]) socket.close();
  });

  test("end() sends nothing more and takes what was under way", async () => {
    const arrived = Promise.withResolvers<FrameSocket>();
    await using server = await listenFrames(options, arrived.resolve);
    const near = await connectFrames({ ...options, port: server.port });
    const far = await arrived.promise;
    const got: number[] = [];
    near.onFrame((frame) => got.push(frame.length));
    const closed = new Promise<void>((resolve) => near.onClose(resolve));
    for (let n = 1; n <= 100; n++) far.send(new Uint8Array(n * 1000));
    near.end();
    expect(near.send(new Uint8Array(1))).toBe(false);
    const farClosed = new Promise<void>((resolve) => far.onClose(resolve));
    far.onFrame(() => expect.unreachable());
    await closed;
    expect(got).toHaveLength(100);
    await farClosed;
    expect(far.send(new Uint8Array(1))).toBe(false);
  });

  test("listenFrames() says who is in the way of a port in use", async () => {
    await using server = await listenFrames(options, () => {});
    await expect(listenFrames({ ...options, port: server.port }, () => {})).rejects.toMatchObject({
      code: "address-in-use",
      message: `127.0.0.1:${server.port} is in use: stop what uses it, ` +
        "or give --listen 127.0.0.1:0 for any free port",
    });
  });
});
