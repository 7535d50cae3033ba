/** Pages of the web: which places are looked at, at every hop, and what bounds what comes. */
import type { RequestListener } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, deflate, deflateRaw, gzip } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fetchPage } from "#internal/runtime/mod.ts";
import type { PageRequest, WebNetwork, WebPage } from "#internal/runtime/mod.ts";
import { serve } from "../gateway/bench.ts";

/** An address of the internet, as far as anybody looks. */
const PUBLIC = "93.184.216.34";

/** The internet of the tests: its public address is a server here; what was asked and reached is kept. */
function internet(names: Readonly<Record<string, readonly (readonly string[])[]>>): {
  readonly network: WebNetwork;
  readonly resolved: string[];
  readonly reached: string[];
} {
  const resolved: string[] = [];
  const reached: string[] = [];
  return {
    resolved,
    reached,
    network: {
      resolve(host) {
        const answers = names[host];
        const times = resolved.filter((one) => one === host).length;
        resolved.push(host);
        const addresses = answers?.[Math.min(times, answers.length - 1)];
        return addresses === undefined
          ? Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))
          : Promise.resolve(addresses);
      },
      reached(address) {
        reached.push(address);
        return "127.0.0.1";
      },
    },
  };
}

type Options = Partial<Omit<PageRequest, "url">>;

async function get(url: string, options: Options = {}): Promise<WebPage> {
  return await fetchPage({
    url: new URL(url),
    headers: { "user-agent": "test" },
    reach: { loopback: false, private: false },
    timeoutMs: 60_000,
    maxBytes: 100_000,
    ...options,
  });
}

/** What it came to: the text, or the error's code and message. */
async function outcome(url: string, options?: Options): Promise<readonly [string, string]> {
  try {
    return ["answered", new TextDecoder().decode((await get(url, options)).body)];
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return [code, message];
  }
}

/** A server at the public address of `site.example`, by its port. */
async function site(listener: RequestListener, names: Parameters<typeof internet>[0] = {}) {
  const server = await serve(listener);
  const lab = internet({ "site.example": [[PUBLIC]], ...names });
  const { port } = new URL(server.url);
  return {
    ...lab,
    port,
    at: (path: string) => `http://site.example:${port}${path}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("fetchPage(), where it must not go", () => {
  /** Written every way that a URL can write them. */
  const written = [
    ...["http://127.0.0.1/", "http://127.1/", "http://0x7f.1/", "http://0177.0.0.1/"],
    ...["http://2130706433/", "http://①②⑦.⓪.⓪.①/", "http://%31%32%37.0.0.1/", "http://0/"],
    ...["http://0.0.0.0/", "http://localhost/", "http://localhost./", "http://LOCALHOST/"],
    ...["http://[::]/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"],
    ...["http://[64:ff9b::7f00:1]/", "http://[64:ff9b::169.254.169.254]/"],
    ...["http://[2002:7f00:1::]/", "http://[2002:a9fe:a9fe::1]/", "http://[2001:0:1::1]/"],
    ...[
      "http://[fd00:ec2::254]/",
      "http://[fe80::1]/",
      "http://[ff02::1]/",
      "http://[::127.0.0.1]/",
    ],
    ...[
      "http://169.254.169.254/latest/meta-data/",
      "http://100.100.100.200/",
      "http://192.0.0.192/",
    ],
    ...["http://168.63.129.16/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/"],
    ...["http://100.64.0.1/", "http://198.18.0.1/", "http://224.0.0.1/", "http://255.255.255.255/"],
    "https://127.0.0.1:8791/",
  ];

  test.each(written)("fetchPage() asks nothing of %s [A-300]", async (url) => {
    const { network, reached } = internet({});
    expect((await outcome(url, { network }))[0]).toBe("address-refused");
    expect(reached).toEqual([]);
  });

  test.each([
    "127.0.0.1",
    "::1",
    "::ffff:10.0.0.1",
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    `${PUBLIC} and 192.168.0.1`,
  ])("fetchPage() asks nothing of a name that resolves to %s [A-300]", async (addresses) => {
    const { network, reached } = internet({ "evil.example": [addresses.split(" and ")] });
    expect(await outcome("http://evil.example/", { network })).toEqual([
      "address-refused",
      expect.stringMatching(/^evil\.example is not asked, it leads (to this|into a private)/),
    ]);
    expect(reached).toEqual([]);
  });

  test("fetchPage() goes to the address that was looked at, whatever the name says later [A-300]", async () => {
    await using server = await site((_request, response) => void response.end("here"), {
      "turns.example": [[PUBLIC], ["127.0.0.1"]],
    });
    const url = `http://turns.example:${server.port}/`;
    expect(await outcome(url, server)).toEqual(["answered", "here"]);
    expect([server.resolved, server.reached]).toEqual([["turns.example"], [PUBLIC]]);
    expect((await outcome(url, server))[0]).toBe("address-refused");
    expect(server.reached).toEqual([PUBLIC]);
  });

  test("fetchPage() looks at every place that it is redirected to [A-300]", async () => {
    await using server = await site((request, response) => {
      const to = new URL(request.url ?? "/", "http://x").searchParams.get("to");
      if (to === null) return void response.end("the end");
      response.writeHead(302, { location: to }).end();
    }, { "inside.example": [["10.1.2.3"]], "turns.example": [[PUBLIC], ["127.0.0.1"]] });
    const codeAt = async (to: string): Promise<string> =>
      (await outcome(server.at(`/?to=${encodeURIComponent(to)}`), server))[0];
    const refused = [
      "http://127.0.0.1:8791/",
      "//127.0.0.1:8791/",
      "http://[::ffff:7f00:1]/",
      "http://169.254.169.254/",
      "http://localhost.:8791/",
      "http://inside.example/",
      "file:///etc/passwd",
      "ftp://site.example/",
      "gopher://site.example/",
      "http://name:word@site.example/",
    ];
    for (const to of refused) expect([to, await codeAt(to)]).toEqual([to, "web-redirects"]);
    expect(await outcome(server.at(`/?to=http://127.0.0.1:8791/`), server)).toEqual([
      "web-redirects",
      `site.example:${server.port} leads on to what cannot be read: 127.0.0.1:8791 is not asked, ` +
      "it leads to this machine: give another URL",
    ]);
    expect(server.reached.every((address) => address === PUBLIC)).toBe(true);
    const turning = `http://turns.example:${server.port}/`;
    expect(await codeAt(`${turning}?to=${encodeURIComponent(turning)}`)).toBe("web-redirects");
    expect(await codeAt("/next")).toBe("answered");
  });

  test("fetchPage() asks only by http: and https:, and never with a name or a password", async () => {
    const of = async (url: string): Promise<string> => (await outcome(url, internet({})))[0];
    for (const url of ["file:///etc/passwd", "ftp://a.example/", "data:,x", "ws://a.example/"]) {
      expect([url, await of(url)]).toEqual([url, "address-refused"]);
    }
    expect((await outcome("file:///etc/passwd", internet({})))[1]).toBe(
      "A file: address is not asked, only http: and https: are asked: give another URL",
    );
    const [code, message] = await outcome("http://me:hunter2@a.example/", internet({}));
    expect(code).toBe("address-refused");
    expect(message).not.toContain("hunter2");
  });
});

describe("fetchPage(), what comes", () => {
  test("fetchPage() follows five redirects and no more, and says where it came to", async () => {
    await using server = await site((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) return void response.end("the end");
      response.writeHead(307, { location: `/${left - 1}`, "set-cookie": "a=b" }).end();
    });
    const page = await get(server.at("/5"), server);
    expect([page.url.pathname, page.status]).toEqual(["/0", 200]);
    expect((await outcome(server.at("/6"), server))[0]).toBe("web-redirects");
    expect((await outcome(server.at("/99"), server))[0]).toBe("web-redirects");
  });

  test("fetchPage() sends no cookie, credential or referrer, wherever it is led", async () => {
    const seen: string[] = [];
    await using server = await site((request, response) => {
      seen.push(`${request.method} ${Object.keys(request.headers).sort().join(" ")}`);
      if (request.url === "/") {
        response.writeHead(301, { location: "/b", "set-cookie": "a=b; Path=/" }).end();
      } else response.end();
    });
    await get(server.at("/"), server);
    const asked = "GET accept-encoding connection host user-agent";
    expect(seen).toEqual([asked, asked]);
  });

  test("fetchPage() takes any status as an answer, also a redirect to nowhere", async () => {
    await using server = await site((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end("words");
    });
    for (const status of [200, 302, 404, 418, 500, 503]) {
      const page = await get(server.at(`/${status}`), server);
      expect([page.status, page.body.length]).toEqual([status, 5]);
    }
  });

  test("fetchPage() unpacks gzip, deflate of both kinds and brotli, also one in the other", async () => {
    const text = "ä page ".repeat(2_000);
    const packed: Readonly<Record<string, () => Promise<Uint8Array>>> = {
      gzip: () => promisify(gzip)(text),
      "x-gzip": () => promisify(gzip)(text),
      deflate: () => promisify(deflate)(text),
      Deflate: () => promisify(deflateRaw)(text),
      br: () => promisify(brotliCompress)(text),
      "gzip, br": async () => await promisify(brotliCompress)(await promisify(gzip)(text)),
      identity: () => Promise.resolve(new TextEncoder().encode(text)),
    };
    await using server = await site((request, response) => {
      const encoding = decodeURIComponent(request.url?.slice(1) ?? "");
      void packed[encoding]?.().then((body) => {
        response.writeHead(200, { "content-encoding": encoding }).end(body);
      });
    });
    for (const encoding of Object.keys(packed)) {
      const got = await outcome(server.at(`/${encodeURIComponent(encoding)}`), server);
      expect([encoding, got]).toEqual([encoding, ["answered", text]]);
    }
  });

  test("fetchPage() stops at its bound what unpacks without end, and what is no packing", async () => {
    const bomb = await promisify(gzip)(new Uint8Array(50_000_000));
    const twice = await promisify(gzip)(bomb);
    const cut = (await promisify(gzip)("words")).subarray(0, 15);
    await using server = await site((request, response) => {
      const [encoding, body] = {
        "/bomb": ["gzip", bomb],
        "/twice": ["gzip, gzip", twice],
        "/thrice": ["gzip, gzip, gzip", twice],
        "/junk": ["gzip", "no gzip at all"],
        "/cut": ["gzip", cut],
        "/odd": ["compress", "x"],
      }[request.url ?? ""] as [string, Uint8Array | string];
      response.writeHead(200, { "content-encoding": encoding }).end(body);
    });
    const codeAt = async (path: string): Promise<string> =>
      (await outcome(server.at(path), server))[0];
    expect(await codeAt("/bomb")).toBe("web-too-large");
    expect(await codeAt("/twice")).toBe("web-too-large");
    for (const path of ["/thrice", "/junk", "/cut", "/odd"]) {
      expect([path, await codeAt(path)]).toEqual([path, "web-unreadable"]);
    }
  });

  test("fetchPage() ends what never ends: headers, bodies and waits", async () => {
    const stalled: (() => void)[] = [];
    await using server = await site((request, response) => {
      if (request.url === "/headers") {
        // A byte at a time, each before anybody would call the line silent.
        const { socket } = request;
        socket.on("error", () => {});
        socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        const drip = setInterval(() => socket.write("a"), 20);
        stalled.push(() => clearInterval(drip), () => socket.destroy());
        return;
      }
      if (request.url === "/endless") {
        const more = (): void => {
          while (response.write("x".repeat(10_000)));
        };
        response.on("drain", more);
        more();
      } else {
        response.writeHead(200, { "content-length": "1000" });
        response.write("x");
      }
      stalled.push(() => response.destroy());
    });
    expect((await outcome(server.at("/endless"), server))[0]).toBe("web-too-large");
    const [code, message] = await outcome(server.at("/slow"), { ...server, timeoutMs: 300 });
    expect(code).toMatch(/^web-(lost|unreachable)$/);
    expect(message).toContain("did not answer in time");
    const headers = await outcome(server.at("/headers"), { ...server, timeoutMs: 300 });
    expect(headers[0]).toMatch(/^web-(lost|unreachable)$/);
    expect(headers[1]).toContain("did not answer in time");
    for (const end of stalled) end();
  });

  test("fetchPage() says in words what is no answer of HTTP, and what has too many headers", async () => {
    await using server = await site((request, response) => {
      if (request.url === "/garbage") return void request.socket.end("\0\0garbage\r\n\r\n");
      for (let n = 0; n < 70; n++) response.setHeader(`x-${n}`, "y".repeat(1_000));
      response.end("never read");
    });
    expect(await outcome(server.at("/headers"), server)).toEqual([
      "web-lost",
      expect.stringContaining("gave no whole answer, its headers have more than 65536 bytes"),
    ]);
    expect(await outcome(server.at("/garbage"), server)).toEqual([
      "web-lost",
      expect.stringContaining("gave no whole answer, it is no HTTP (HPE_"),
    ]);
  });

  test("fetchPage() stops when it is told to, also between two hops", async () => {
    const stop = new AbortController();
    await using server = await site((_request, response) => {
      stop.abort(new Error("enough"));
      response.writeHead(302, { location: "/on" }).end();
    });
    await expect(get(server.at("/"), { ...server, signal: stop.signal })).rejects.toThrow("enough");
  });
});
