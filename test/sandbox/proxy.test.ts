/** The proxy of the declared network: who gets through it, by real clients and by hand. */
import { Buffer } from "node:buffer";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect as connectTls } from "node:tls";
import { serverNameOf } from "../../internal/sandbox/proxy/client_hello.ts";
import { startProxy } from "../../internal/sandbox/proxy/filtering_proxy.ts";
import type { HostUse } from "../../internal/sandbox/proxy/filtering_proxy.ts";
import { readRequestHead } from "../../internal/sandbox/proxy/request_head.ts";
import { runCommand } from "#internal/sandbox/mod.ts";
import { needs } from "../parts.ts";
import { testPlace, testSandbox } from "./_open.ts";

const PUBLIC = "93.184.216.34";
/** What names lead to in these tests. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "api.example.com": [PUBLIC],
  "inner.example.com": ["169.254.169.254"],
  "both.example.com": [PUBLIC, "127.0.0.1"],
};

/** Keeps what it is sent, and answers each connection with a word. */
async function upstream(): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = [];
  const server: Server = createServer((socket) => {
    const at = heard.push("") - 1;
    socket.on("error", () => {});
    socket.on("data", (piece) => {
      heard[at] += piece.toString("latin1");
      if (heard[at]?.includes("\r\n\r\n") === true) {
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}

interface Proxied {
  readonly heard: string[];
  readonly uses: HostUse[];
  readonly dialled: string[];
  /** Sends bytes and gives all that comes back until the connection ends. */
  ask(text: string): Promise<string>;
  open(): Socket;
}

async function proxied(hosts = Object.keys(ADDRESSES)): Promise<Proxied> {
  const { port, heard } = await upstream();
  const uses: HostUse[] = [];
  const dialled: string[] = [];
  const path = join(testPlace().folder, "p.sock");
  const proxy = await startProxy(path, {
    hosts,
    onHost: (use) => uses.push(use),
    resolve: (host) => Promise.resolve(ADDRESSES[host] ?? []),
    dial(address, to) {
      dialled.push(`${address}:${to}`);
      return connect(port, "127.0.0.1");
    },
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return {
    heard,
    uses,
    dialled,
    open: () => connect(path),
    ask: (text) =>
      new Promise((resolve) => {
        const socket = connect(path);
        let answer = "";
        socket.on("error", () => {});
        socket.on("data", (piece) => answer += piece.toString("latin1"));
        socket.once("close", () => resolve(answer));
        socket.write(text);
      }),
  };
}

describe("startProxy()", () => {
  test("passes one request on to a declared host, at the address it looked at [A-124]", async () => {
    const { ask, heard, uses, dialled } = await proxied();
    const answer = await ask(
      "POST http://API.example.com/a?b HTTP/1.1\r\nHost: evil.example\r\nX-A: 1\r\n" +
        "Connection: keep-alive\r\nProxy-Authorization: x\r\nContent-Length: 4\r\n\r\nbody" +
        "GET http://evil.example/ HTTP/1.1\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(heard).toEqual([
      "POST /a?b HTTP/1.1\r\nhost: api.example.com\r\nx-a: 1\r\ncontent-length: 4\r\n" +
      "connection: close\r\n\r\nbody",
    ]);
    expect(dialled).toEqual([`${PUBLIC}:80`]);
    expect(uses).toEqual([{ host: "api.example.com", port: 80 }]);
  });

  test("reaches nothing else [A-124 A-127]", async () => {
    const { ask, heard, dialled } = await proxied();
    const refused: readonly (readonly [string, string])[] = [
      ["GET http://evil.example/ HTTP/1.1", "host not declared"],
      ["GET http://api.example.com@evil.example/ HTTP/1.1", "bad request"],
      ["GET http://api.example.com:22/ HTTP/1.1", "port not allowed"],
      ["GET http://93.184.216.34/ HTTP/1.1", "host not declared"],
      ["GET http://inner.example.com/ HTTP/1.1", "address not public"],
      ["GET http://both.example.com/ HTTP/1.1", "address not public"],
      ["GET https://api.example.com/ HTTP/1.1", "bad request"],
      ["GET /etc/passwd HTTP/1.1", "bad request"],
      ["CONNECT evil.example:443 HTTP/1.1", "host not declared"],
      ["CONNECT api.example.com:22 HTTP/1.1", "port not allowed"],
      ["CONNECT api.example.com:80 HTTP/1.1", "port not allowed"],
      ["CONNECT [::1]:443 HTTP/1.1", "bad request"],
      ["CONNECT 127.0.0.1:443 HTTP/1.1", "host not declared"],
      [
        "POST http://api.example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked",
        "give the body's length",
      ],
      [
        "POST http://api.example.com/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        "give the body's length",
      ],
      ["GET http://api.example.com/ HTTP/1.1\r\n folded", "bad request"],
      ["GET http://api.example.com/ HTTP/1.1\r\nA: b\nB: c", "bad request"],
    ];
    for (const [head, why] of refused) {
      const answer = await ask(`${head}\r\n\r\n`);
      expect(answer, head).toMatch(/^HTTP\/1\.1 40[03] /);
      expect(answer, head).toContain(`\r\n\r\n${why}\n`);
    }
    expect(await ask("x".repeat(20_000))).toContain("no request");
    expect(heard).toEqual([]);
    expect(dialled).toEqual([]);
  });

  test("opens a tunnel for a greeting of its own name only [A-124]", async () => {
    const { open, heard, uses } = await proxied();
    const greeted = (servername: string): Promise<void> =>
      new Promise((resolve) => {
        const socket = open();
        socket.once("close", () => resolve());
        socket.on("error", () => {});
        socket.once("data", () => {
          const tls = connectTls({ socket, servername, rejectUnauthorized: false });
          tls.on("error", () => socket.destroy());
        });
        socket.write("CONNECT api.example.com:443 HTTP/1.1\r\n\r\n");
        // What listens behind never answers a greeting: it is left once that has come.
        const look = setInterval(() => {
          if (heard.length > 0 && heard[0] !== "") socket.destroy();
        }, 10);
        socket.once("close", () => clearInterval(look));
      });
    await greeted("evil.example");
    expect(heard).toEqual([]);
    expect(uses.at(-1)).toEqual({
      host: "evil.example",
      port: 443,
      refused: "greeting for another host",
    });
    await greeted("api.example.com");
    expect(heard).toHaveLength(1);
    expect(serverNameOf(Buffer.from(heard[0] ?? "", "latin1"))).toEqual({
      name: "api.example.com",
    });
    const { ask } = await proxied();
    expect(await ask("CONNECT api.example.com:443 HTTP/1.1\r\n\r\nSSH-2.0-x\r\n")).toBe(
      "HTTP/1.1 200 OK\r\n\r\n",
    );
  });
});

describe("serverNameOf()", () => {
  /** A greeting with these extensions. */
  function hello(...extensions: readonly (readonly [number, readonly number[]])[]): Uint8Array {
    const two = (n: number) => [n >> 8, n & 0xff];
    const all = extensions.flatMap(([kind, body]) => [...two(kind), ...two(body.length), ...body]);
    const body = [
      3,
      3,
      ...new Array<number>(32).fill(7),
      0,
      ...two(2),
      0x13,
      1,
      1,
      0,
      ...two(all.length),
      ...all,
    ];
    return Uint8Array.from([22, 3, 1, ...two(body.length + 4), 1, 0, ...two(body.length), ...body]);
  }
  const name = (text: string): [number, number[]] => {
    const bytes = [...new TextEncoder().encode(text)];
    return [0, [0, bytes.length + 3, 0, 0, bytes.length, ...bytes]];
  };

  test("reads the name, waits for the rest, and takes nothing ambiguous", () => {
    const whole = hello([10, [0]], name("API.example.com"));
    expect(serverNameOf(whole)).toEqual({ name: "api.example.com" });
    for (let length = 0; length < whole.length; length++) {
      expect(serverNameOf(whole.subarray(0, length))).toBe("more");
    }
    expect(serverNameOf(hello(name("a"), name("b")))).toBeUndefined();
    expect(serverNameOf(hello(name("a"), [0xfe0d, [0]]))).toBeUndefined();
    expect(serverNameOf(hello())).toBeUndefined();
    expect(serverNameOf(hello([0, [0, 9, 0]]))).toBeUndefined();
    expect(serverNameOf(new TextEncoder().encode("GET / HTTP/1.1\r\n"))).toBeUndefined();
  });

  test("reads a greeting that is cut over records", () => {
    const whole = hello(name("api.example.com"));
    const message = whole.subarray(5);
    const records = [message.subarray(0, 3), message.subarray(3, 20), message.subarray(20)]
      .flatMap((part) => [22, 3, 1, 0, part.length, ...part]);
    expect(serverNameOf(Uint8Array.from(records))).toEqual({ name: "api.example.com" });
  });
});

test("readRequestHead() writes the host that is checked", () => {
  expect(readRequestHead("GET http://a.example.:80/ HTTP/1.1\r\nHost: b.example")).toMatchObject({
    kind: "plain",
    host: "a.example",
    head: "GET / HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n",
  });
});

describe.skipIf(!needs("bubblewrap", "the declared network"))(
  "a command with declared hosts",
  () => {
    test("finds the proxy, and no other way out [A-123 A-124]", { timeout: 60_000 }, async () => {
      const sandbox = await testSandbox({ network: "declared" });
      const uses: HostUse[] = [];
      const script = "import os, urllib.request, socket\n" +
        "for url in ['http://evil.example/', 'http://localhost.invalid/']:\n" +
        "    try: print(urllib.request.urlopen(url, timeout=9).status)\n" +
        "    except Exception as error: print(error)\n" +
        "try: socket.create_connection(('93.184.216.34', 80), 3)\n" +
        "except OSError as error: print(error)\n";
      const { status, stdout } = await runCommand(sandbox, {
        argv: ["python3", "-c", script],
        hosts: ["localhost.invalid"],
        onHost: (use) => uses.push(use),
      });
      expect(status).toBe(0);
      expect(new TextDecoder().decode(stdout.head)).toBe(
        "HTTP Error 403: Forbidden\nHTTP Error 403: Forbidden\n[Errno 101] Network is unreachable\n",
      );
      expect(uses).toEqual([
        { host: "evil.example", port: 80, refused: "host not declared" },
        { host: "localhost.invalid", port: 80, refused: "no such host" },
      ]);
      expect(sandbox.online).toBe(false);
    });

    test("is refused where the network is not the declared one", async () => {
      const sandbox = await testSandbox();
      await expect(runCommand(sandbox, { argv: ["/bin/true"], hosts: ["a.example"] })).rejects
        .toThrow(
          "a.example cannot be reached: give --sandbox-network declared",
        );
    });
  },
);
