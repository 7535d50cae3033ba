import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamSink } from "#internal/mcp/mod.ts";
import { readLines } from "../../internal/mcp/lines.ts";

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
    at += size;
  }
  yield bytes.subarray(at);
}

async function textsOf(lines: AsyncIterable<unknown>): Promise<unknown[]> {
  const out: unknown[] = [];
  for await (const line of lines) out.push(line);
  return out;
}

describe("readLines()", () => {
  it("finds the same lines however the bytes are cut [L-016]", async () => {
    const text = fc.array(
      fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " ")),
    );
    await fc.assert(fc.asyncProperty(text, fc.array(fc.nat(9)), async (lines, sizes) => {
      const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
      expect(await textsOf(readLines(inChunks(bytes, sizes))))
        .toEqual(lines.map((line) => ({ type: "line", text: line.replace(/^\uFEFF/, "") })));
    }));
  });

  it("gives up a line over the bound only, wherever it is cut", async () => {
    const bytes = new TextEncoder().encode("four\nsixsix\nfive5\nsixsix");
    for (const sizes of [[], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [10], [11], [12]]) {
      expect(await textsOf(readLines(inChunks(bytes, sizes), 5))).toEqual([
        { type: "line", text: "four" },
        { type: "too-long" },
        { type: "line", text: "five5" },
        { type: "too-long" },
      ]);
    }
  });
});

describe("streamSink()", () => {
  it("keeps the order of lines and flushes more than a pipe holds", async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    const sink = streamSink(stream);
    const wanted = Array.from({ length: 1000 }, (_, i) => `line ${i}`);
    for (const line of wanted) sink.write(line);
    let flushed = false;
    const flush = sink.flush().then(() => flushed = true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(flushed).toBe(false);
    const got: string[] = [];
    stream.on("data", (chunk: Uint8Array) => got.push(chunk.toString()));
    await flush;
    await new Promise((resolve) => setImmediate(resolve));
    expect(got.join("")).toBe(wanted.map((line) => `${line}\n`).join(""));
  });

  it("is closed when the stream fails, and takes no more", async () => {
    const stream = new PassThrough();
    const sink = streamSink(stream);
    stream.destroy(new Error("EPIPE"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sink.closed.aborted).toBe(true);
    sink.write("into the void");
    await sink.flush();
  });

  it("is not ready while a reader is far behind", async () => {
    const stream = new PassThrough({ highWaterMark: 16 });
    const sink = streamSink(stream);
    await sink.ready();
    for (let i = 0; i < 6; i++) sink.write("x".repeat(1 << 20));
    let ready = false;
    const waiting = sink.ready().then(() => ready = true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ready).toBe(false);
    stream.resume();
    await waiting;
    expect(ready).toBe(true);
  });
});
