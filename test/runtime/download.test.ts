import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer as createPlain } from "node:net";
import { createServer as createTls } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { concatBytes, utf8Text } from "#internal/core/mod.ts";
import type { Download } from "#internal/runtime/mod.ts";
import { download } from "#internal/runtime/mod.ts";

const file = (name: string) =>
  readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8");
const [key, cert] = [file("key.pem"), file("cert.pem")];

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

type Answer = (head: string, socket: Socket) => void;

/** A server on this machine; its port. */
async function serve(answer: Answer, options: { readonly plain?: boolean } = {}): Promise<number> {
  const sockets: Socket[] = [];
  const take = (socket: Socket): void => {
    sockets.push(socket);
    socket.on("data", (head: Uint8Array) => answer(utf8Text(head), socket));
    socket.on("error", () => {});
  };
  const server = options.plain === true ? createPlain(take) : createTls({ key, cert }, take);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

const HERE: Pick<Download, "allowPrivate" | "ca" | "mostBytes" | "resolve"> = {
  allowPrivate: true,
  ca: cert,
  mostBytes: 1000,
  resolve: () => Promise.resolve(["127.0.0.1"]),
};

async function taken(request: Partial<Download> & { readonly url: string }): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of download({ ...HERE, ...request })) parts.push(part);
  return utf8Text(concatBytes(...parts));
}

const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const redirect = (to: string): string =>
  `HTTP/1.1 302 Found\r\nlocation: ${to}\r\ncontent-length: 0\r\n\r\n`;

describe("download()", () => {
  test("download() takes what a URL serves, and names the host that it means", async () => {
    const heads: string[] = [];
    const port = await serve((head, socket) => {
      heads.push(head);
      socket.end(ok("leaves"));
    });
    expect(await taken({ url: `https://files.example:${port}/a%20b?c=1#d` })).toBe("leaves");
    expect(heads[0]).toContain("GET /a%20b?c=1 HTTP/1.1\r\n");
    expect(heads[0]).toContain(`host: files.example:${port}\r\n`);
    expect(heads[0]).toContain("accept-encoding: identity\r\n");
    expect(await taken({ url: `https://127.0.0.1:${port}/` })).toBe("leaves");
  });

  test("download() goes to the very address that was looked at, and to no private one", async () => {
    let [asked, connections] = [0, 0];
    const port = await serve((_head, socket) => {
      connections++;
      socket.end(ok("secret"));
    });
    const url = `https://files.example:${port}/`;
    // A name that is rebound: public when it is looked at, this machine when it is asked again.
    const resolve = (): Promise<string[]> => {
      asked++;
      return Promise.resolve(asked % 2 === 1 ? ["203.0.113.1", "8.8.8.8"] : ["127.0.0.1"]);
    };
    const refused = /at a private address, which only --allow-private takes/;
    for (let i = 0; i < 2; i++) {
      await expect(taken({ url, resolve, allowPrivate: false })).rejects.toThrow(refused);
    }
    const mixed = (): Promise<string[]> => Promise.resolve(["8.8.8.8", "10.0.0.1"]);
    await expect(taken({ url, resolve: mixed, allowPrivate: false })).rejects.toThrow(refused);
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]) {
      await expect(taken({ url: `https://${host}:${port}/`, allowPrivate: false }))
        .rejects.toThrow(refused);
    }
    expect([asked, connections]).toEqual([2, 0]);
  });

  test("download() looks at where it is led anew, and follows no more than five times", async () => {
    let asked = 0;
    const port = await serve((head, socket) => {
      const step = Number(/GET \/(\d+)/.exec(head)?.[1]);
      socket.end(step === 0 ? ok("there") : redirect(`/${step - 1}`));
    });
    const resolve = (): Promise<string[]> => {
      asked++;
      return Promise.resolve(["127.0.0.1"]);
    };
    expect(await taken({ url: `https://files.example:${port}/5`, resolve })).toBe("there");
    expect(asked).toBe(6);
    await expect(taken({ url: `https://files.example:${port}/6` }))
      .rejects.toThrow(/leads on more than 5 times/);
    const bad = await serve((_head, socket) => socket.end(redirect("http://files.example/")));
    await expect(taken({ url: `https://files.example:${bad}/` }))
      .rejects.toThrow(/is no https:\/\/ URL|no https/);
    const away = await serve((_head, socket) => socket.end(redirect("file:///etc/passwd")));
    await expect(taken({ url: `https://files.example:${away}/` })).rejects.toThrow(/no https/);
  });

  test("download() takes no more than it was told, whatever is said of it", async () => {
    const says = await serve((_head, socket) => socket.end(ok("x".repeat(1001))));
    await expect(taken({ url: `https://files.example:${says}/` }))
      .rejects.toThrow(/serves more than 1000 bytes/);
    let sent = 0;
    const endless = await serve((_head, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(1000))) sent += 1000;
        if (!socket.destroyed) socket.once("drain", more);
      };
      more();
    });
    await expect(taken({ url: `https://files.example:${endless}/` }))
      .rejects.toThrow(/serves more than 1000 bytes/);
    expect(sent).toBeLessThan(1 << 24);
    expect(await taken({ url: `https://files.example:${says}/`, mostBytes: 1001 }))
      .toHaveLength(1001);
  });

  test("download() gives up what does not come, and what ends early", async () => {
    const silent = await serve(() => {});
    await expect(taken({ url: `https://files.example:${silent}/`, idleMs: 50 }))
      .rejects.toThrow(/nothing comes from it any more/);
    const half = await serve((_head, socket) => socket.end(ok("leaves").slice(0, -2)));
    await expect(taken({ url: `https://files.example:${half}/` }))
      .rejects.toThrow(/the connection ended early/);
    const noise = await serve((_head, socket) => socket.end("SSH-2.0-x\r\n\r\n"));
    await expect(taken({ url: `https://files.example:${noise}/` })).rejects.toThrow(/cannot get/);
    const abort = new AbortController();
    const reading = taken({ url: `https://files.example:${silent}/`, signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });

  test("download() gives up what only drips, however large it may be, and not what waits for us", async () => {
    const drips = await serve((_head, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 5);
      socket.once("close", () => clearInterval(timer));
    });
    // Of so much a deadline for all of it would be in years, more than a timer holds.
    const url = `https://files.example:${drips}/`;
    await expect(taken({ url, mostBytes: 1e15, rateMs: 40 })).rejects.toThrow("too slowly");
    const heads = await serve((_head, socket) => {
      const timer = setInterval(() => socket.write("H"), 5);
      socket.once("close", () => clearInterval(timer));
    });
    await expect(taken({ url: `https://files.example:${heads}/`, rateMs: 40 }))
      .rejects.toThrow(/too slowly|cannot get/);
    const body = "x".repeat(1 << 20);
    const whole = await serve((_head, socket) => socket.end(ok(body)));
    const large = { url: `https://files.example:${whole}/`, mostBytes: 1e15 };
    let size = 0;
    for await (const part of download({ ...HERE, ...large, rateMs: 60_000 })) {
      size += part.length;
      if (size < 200_000) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(size).toBe(body.length);
  });

  test("download() refuses other answers, encodings, schemes, secrets in URLs", async () => {
    const missing = await serve((_head, socket) =>
      socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
    );
    await expect(taken({ url: `https://files.example:${missing}/` }))
      .rejects.toThrow(/it answers 404/);
    const zipped = await serve((_head, socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx")
    );
    await expect(taken({ url: `https://files.example:${zipped}/` }))
      .rejects.toThrow(/serves gzip/);
    for (const url of ["http://files.example/", "ftp://files.example/", "/a", "data:,x"]) {
      await expect(taken({ url })).rejects.toThrow(/no https|no URL/);
    }
    await expect(taken({ url: "https://me:secret@files.example/" }))
      .rejects.toThrow(/has a name or a password/);
    await expect(taken({ url: "https://me:secret@files.example/" }))
      .rejects.not.toThrow(/secret/);
  });

  test("download() believes a certificate only of that name, from whom it trusts", async () => {
    const port = await serve((_head, socket) => socket.end(ok("leaves")));
    await expect(taken({ url: `https://other.example:${port}/` })).rejects.toThrow(/no connection/);
    await expect(
      (async () => {
        const { ca: _ca, ...here } = HERE;
        const url = `https://files.example:${port}/`;
        for await (const _part of download({ ...here, url })) { /* nothing may come */ }
      })(),
    ).rejects.toThrow(/no connection/);
  });

  test("download() takes http: where it is allowed, and says when nobody answers", async () => {
    const port = await serve((_head, socket) => socket.end(ok("plain")), { plain: true });
    expect(await taken({ url: `http://files.example:${port}/`, allowPlain: true })).toBe("plain");
    for (const close of opened.splice(0)) close();
    await expect(taken({ url: `https://files.example:${port}/` }))
      .rejects.toThrow(/no connection \(ECONNREFUSED\)/);
    const nowhere = (): Promise<string[]> => Promise.reject(new Error("ENOTFOUND"));
    await expect(taken({ url: "https://nowhere.example/", resolve: nowhere }))
      .rejects.toThrow(/there is no host nowhere.example/);
  });
});
