import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { concatBytes, utf8, utf8Text } from "#internal/core/mod.ts";
import {
  createHttpClient,
  openLargeFile,
  partOf,
  receiveFile,
  serveFiles,
} from "#internal/runtime/mod.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-large-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const CONTENT = Uint8Array.from({ length: 700_000 }, (_, at) => (at * 31) % 251);

async function* piecesOf(...pieces: readonly (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

describe("openLargeFile()", () => {
  test("openLargeFile() reads in pieces and at a place", async () => {
    const path = join(folder, "a");
    writeFileSync(path, CONTENT);
    await using file = await openLargeFile(path);
    if (file === undefined) throw new Error();
    const pieces: Uint8Array[] = [];
    for await (const piece of file.pieces()) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(concatBytes(...pieces)).toEqual(CONTENT);
    expect(await file.read(1000, 300_000)).toEqual(CONTENT.subarray(1000, 301_000));
    expect(await file.read(699_990, 300)).toEqual(CONTENT.subarray(699_990));
    expect(file.sizeBytes).toBe(CONTENT.length);
  });

  test("openLargeFile() takes no folder and nothing that waits, and stops when it is told", async () => {
    expect(await openLargeFile(join(folder, "none"))).toBeUndefined();
    await expect(openLargeFile(folder, "~/d")).rejects.toThrow("~/d is a folder: give a file");
    await expect(openLargeFile("/dev/zero")).rejects.toThrow("/dev/zero is no file: give a file");
    writeFileSync(join(folder, "a"), CONTENT);
    await using file = await openLargeFile(join(folder, "a"));
    const stop = new AbortController();
    await expect((async () => {
      for await (const _piece of file?.pieces(stop.signal) ?? []) stop.abort(new Error("enough"));
    })()).rejects.toThrow("enough");
  });
});

describe("receiveFile()", () => {
  test("receiveFile() keeps the whole, for its owner only, once it is found good", async () => {
    const path = join(folder, "a");
    let seen = "";
    await receiveFile(path, piecesOf(utf8("one "), utf8("two")), () => {
      seen = readFileSync(partOf(path), "utf8");
      return Promise.resolve();
    });
    expect([seen, readFileSync(path, "utf8")]).toEqual(["one two", "one two"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["a"]);
  });

  test("receiveFile() keeps what was there when what comes breaks off or is not good", async () => {
    const path = join(folder, "a");
    writeFileSync(path, "old");
    const good = (): Promise<void> => Promise.resolve();
    await expect(receiveFile(path, piecesOf(utf8("new"), new Error("gone")), good))
      .rejects.toThrow("gone");
    await expect(receiveFile(path, piecesOf(utf8("new")), () => Promise.reject(new Error("bad"))))
      .rejects.toThrow("bad");
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(["a"]);
    writeFileSync(partOf(path), "what a kill left, longer than the next");
    await receiveFile(path, piecesOf(utf8("new")), good);
    expect(readFileSync(path, "utf8")).toBe("new");
  });
});

describe("serveFiles()", () => {
  test("serveFiles() serves what it finds by name, and nothing else", async () => {
    const path = join(folder, "a");
    writeFileSync(path, CONTENT);
    const asked: string[] = [];
    await using server = await serveFiles({
      host: "127.0.0.1",
      port: 0,
      find: (name) => {
        asked.push(name);
        return Promise.resolve(
          name === "kept" ? { path, sizeBytes: CONTENT.length } : undefined,
        );
      },
    });
    using http = createHttpClient();
    const get = (name: string) => http.request({ url: `${server.url}/${name}` });
    expect((await get("kept")).body).toEqual(CONTENT);
    const statuses = [];
    for (const name of ["", "other", "kept/..%2f..", "%2e%2e/x"]) {
      statuses.push((await get(name)).status);
    }
    expect(statuses).toEqual([404, 404, 404, 404]);
    expect(asked[0]).toBe("kept");
    const posted = await http.request({ url: `${server.url}/kept`, method: "POST" });
    expect([posted.status, utf8Text(posted.body)]).toEqual([405, ""]);
  });

  test("serveFiles() ends an answer early where the file is gone", async () => {
    const gone = { path: join(folder, "gone"), sizeBytes: 10 };
    await using server = await serveFiles({
      host: "127.0.0.1",
      port: 0,
      find: () => Promise.resolve(gone),
    });
    using http = createHttpClient();
    await expect(http.request({ url: `${server.url}/a` })).rejects.toThrow(/stopped answering/);
    await expect(
      serveFiles({
        host: "127.0.0.1",
        port: Number(new URL(server.url).port),
        find: () => Promise.resolve(undefined),
      }),
    )
      .rejects.toThrow(/is in use/);
  });
});
