import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { concatBytes, utf8, utf8Text } from "#internal/core/mod.ts";
import { createHttpClient, listenFrames } from "#internal/runtime/mod.ts";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A server that hands each connection's every chunk of input to `answer`. */
async function serve(
  answer: (input: string, socket: Socket, connection: number) => void,
): Promise<string> {
  const sockets: Socket[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    sockets.push(socket);
    socket.on("data", (chunk: Uint8Array) => answer(utf8Text(chunk), socket, connection));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

function client(): ReturnType<typeof createHttpClient> {
  const made = createHttpClient();
  opened.push(() => made[Symbol.dispose]());
  return made;
}

const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

describe("createHttpClient()", () => {
  test("request() sends method, path, headers and body, and keeps the connection", async () => {
    const inputs: string[] = [];
    const url = await serve((input, socket, connection) => {
      inputs.push(input);
      socket.write(ok(`connection ${connection}`));
    });
    const http = client();
    const headers = { "content-type": "application/json" };
    const first = await http.request({
      url: `${url}/rpc/a?b=1`,
      method: "POST",
      headers,
      body: utf8("{}"),
    });
    const second = await http.request({ url });
    expect(utf8Text(first.body)).toBe("connection 1");
    expect(utf8Text(second.body)).toBe("connection 1");
    expect(inputs[0]).toMatch(/^POST \/rpc\/a\?b=1 HTTP\/1\.1\r\nhost: 127/);
    expect(inputs[0]).toMatch(/content-length: 2\r\n\r\n\{\}$/);
  });

  test("request() uses one connection for each of many at once", async () => {
    const url = await serve((_input, socket, connection) => {
      socket.write(ok(String(connection)));
    });
    const http = client();
    const answers = await Promise.all(Array.from({ length: 8 }, () => http.request({ url })));
    expect(new Set(answers.map(({ body }) => utf8Text(body))).size).toBe(8);
  });

  test("request() says that nothing was sent when nobody listens", async () => {
    const server = await listenFrames({ host: "127.0.0.1", port: 0, maxFrameBytes: 1 }, () => {});
    await server[Symbol.asyncDispose]();
    await expect(client().request({ url: `http://127.0.0.1:${server.port}` })).rejects
      .toMatchObject({ code: "unreachable", message: expect.stringContaining("ECONNREFUSED") });
  });

  test("request() says that the answer is lost when the connection ends in it", async () => {
    const url = await serve((_input, socket) => {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf");
    });
    await expect(client().request({ url })).rejects.toMatchObject({
      code: "lost",
      data: { answered: true },
    });
  });

  test("request() repeats only what may be repeated when a kept connection is dead", async () => {
    let served = 0;
    const url = await serve((_input, socket, connection) => {
      served++;
      if (connection === 1 && served > 1) socket.destroy();
      else socket.write(ok("x"));
    });
    const http = client();
    await http.request({ url });
    await expect(http.request({ url })).rejects.toMatchObject({ code: "lost" });
    served = 0;
    const again = client();
    const fresh = await serve((_input, socket, connection) => {
      if (++served === 2 && connection === 1) socket.destroy();
      else socket.write(ok(String(connection)));
    });
    await again.request({ url: fresh });
    const answer = await again.request({ url: fresh, repeatable: true });
    expect(utf8Text(answer.body)).toBe("2");
  });

  test("request() gives up at its time limit and says that the request was sent", async () => {
    const url = await serve(() => {});
    await expect(client().request({ url, timeoutMs: 30 })).rejects.toMatchObject({
      code: "timeout",
      data: { sent: true },
    });
  });

  test("request() takes no answer over its bound", async () => {
    const url = await serve((_input, socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n");
      const part = new Uint8Array(1 << 20);
      for (let n = 0; n < 65; n++) socket.write(part);
    });
    await expect(client().request({ url, timeoutMs: 60_000 })).rejects.toMatchObject({
      code: "lost",
      cause: { message: "The answer is too large" },
    });
  });

  test("request() ends with the signal's reason", async () => {
    const reached = Promise.withResolvers<void>();
    const url = await serve(() => reached.resolve());
    const abort = new AbortController();
    const answer = client().request({ url, signal: abort.signal });
    await reached.promise;
    abort.abort(new Error("asked to stop"));
    await expect(answer).rejects.toThrow("asked to stop");
    await expect(client().request({ url, signal: abort.signal })).rejects.toThrow("asked to stop");
  });

  test("request() takes no address but http:, and no line breaks in headers", async () => {
    await expect(client().request({ url: "https://127.0.0.1/" })).rejects.toThrow(TypeError);
    const url = await serve((_input, socket) => {
      socket.write(ok("x"));
    });
    await expect(client().request({ url, headers: { a: "b\r\nc: d" } })).rejects.toThrow(TypeError);
  });

  test("stream() hands on pieces as they come and ends the connection when left", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_input, socket) => {
      socket.once("close", () => closed.resolve());
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
    });
    const { status, chunks } = await client().stream({ url });
    expect(status).toBe(200);
    for await (const chunk of chunks) {
      expect(utf8Text(chunk)).toBe("one");
      break;
    }
    await closed.promise;
  });

  test("stream() throws when the connection ends before the body does", async () => {
    const url = await serve((_input, socket) => {
      socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
    });
    const { chunks } = await client().stream({ url });
    const all = (async () => {
      for await (const _chunk of chunks) continue;
    })();
    await expect(all).rejects.toMatchObject({ code: "lost" });
  });

  test("stream() keeps the connection of a body that was read to its end", async () => {
    const url = await serve((_input, socket, connection) => {
      socket.write(ok(`connection ${connection}`));
    });
    const http = client();
    for (let round = 0; round < 3; round++) {
      const { chunks } = await http.stream({ url });
      expect(await whole(chunks)).toBe("connection 1");
    }
    expect(utf8Text((await http.request({ url })).body)).toBe("connection 1");
  });

  test("stream() repeats only what may be repeated when a kept connection is dead", async () => {
    const url = await serve((input, socket, connection) => {
      if (input.startsWith("POST")) socket.destroy();
      else socket.write(ok(`connection ${connection}`));
    });
    const http = client();
    await whole((await http.stream({ url })).chunks);
    await expect(http.stream({ url, method: "POST" })).rejects.toMatchObject({
      code: "lost",
      data: { answered: false },
    });
    await whole((await http.stream({ url })).chunks);
    const dead = http.stream({ url, method: "POST", repeatable: true });
    await expect(dead).rejects.toMatchObject({ code: "lost", data: { answered: false } });
    expect(await whole((await http.stream({ url })).chunks)).toBe("connection 4");
  });

  test("stream() asks https: addresses, and believes a certificate only from whom it trusts", async () => {
    const file = (name: string): string =>
      readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");
    const ca = file("cert.pem");
    const server = createTls({ key: file("key.pem"), cert: ca }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", () => void socket.write(ok("sealed")));
    });
    server.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened.push(() => server.close());
    const url = `https://127.0.0.1:${(server.address() as { port: number }).port}/`;
    const http = client();
    expect(await whole((await http.stream({ url, ca })).chunks)).toBe("sealed");
    await expect(client().stream({ url })).rejects.toMatchObject({ code: "unreachable" });
  });

  test("stream() ends with the signal's reason, in the middle of a body too", async () => {
    const url = await serve((_input, socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n");
    });
    const abort = new AbortController();
    const { chunks } = await client().stream({ url, signal: abort.signal });
    const all = (async () => {
      for await (const _chunk of chunks) abort.abort(new Error("asked to stop"));
    })();
    await expect(all).rejects.toThrow("asked to stop");
    await expect(client().stream({ url, signal: abort.signal })).rejects.toThrow("asked to stop");
  });
});

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return utf8Text(concatBytes(...parts));
}
