/** What is asked of the web, and which places are not. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Reach } from "#internal/runtime/mod.ts";
import { namesThisMachine, webRequest } from "#internal/runtime/mod.ts";
import { serve } from "../gateway/bench.ts";

const PUBLIC: Reach = { loopback: false, private: false };
const HERE: Reach = { loopback: true, private: false };

function ask(url: string, reach: Reach, more: { maxBytes?: number; timeoutMs?: number } = {}) {
  return webRequest({
    url: new URL(url),
    method: "GET",
    headers: {},
    reach,
    timeoutMs: 60_000,
    maxBytes: 1_000,
    ...more,
  });
}

describe("webRequest()", () => {
  it.each([
    "http://127.0.0.1:1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://localhost:1/",
    "http://localhost.:1/",
    "http://10.1.2.3/",
    "http://100.100.100.200/",
    "http://169.254.169.254/",
    "http://[fd00:ec2::254]/",
    "http://0.0.0.0/",
  ])("webRequest() asks nothing of %s where only public places may be asked", async (url) => {
    await expect(ask(url, PUBLIC)).rejects.toMatchObject({ code: "address-refused" });
  });

  it("webRequest() asks this machine where the URL names it, and nothing private", async () => {
    await using server = await serve((_request, response) => void response.end("here"));
    const { body, status } = await ask(server.url, HERE);
    expect([status, new TextDecoder().decode(body)]).toEqual([200, "here"]);
    const named = server.url.replace("127.0.0.1", "localhost");
    expect((await ask(named, HERE)).status).toBe(200);
    await expect(ask("http://192.168.0.1/", HERE)).rejects.toMatchObject({
      code: "address-refused",
    });
    expect(namesThisMachine(new URL("http://[::1]:80/"))).toBe(true);
    expect(namesThisMachine(new URL("http://127.0.0.1.example/"))).toBe(false);
  });

  it("webRequest() tells what was sent from what was not, and bounds time and size", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    await expect(ask(`http://127.0.0.1:${port}/`, HERE)).rejects.toMatchObject({
      code: "web-unreachable",
    });
    await using server = await serve((request, response) => {
      if (request.url === "/large") response.end("x".repeat(2_000));
      if (request.url === "/break") request.socket.destroy();
      if (request.url === "/half") {
        response.writeHead(200, { "content-length": "10" });
        response.write("half");
        setTimeout(() => request.socket.destroy(), 20);
      }
    });
    const codeOf = async (path: string, timeoutMs = 60_000): Promise<unknown> =>
      await ask(`${server.url}${path}`, HERE, { timeoutMs }).then(
        () => "answered",
        (error: { readonly code: string }) => error.code,
      );
    expect(await codeOf("/large")).toBe("web-too-large");
    expect(await codeOf("/break")).toBe("web-lost");
    expect(await codeOf("/half")).toBe("web-lost");
    // On a slow machine the time may be over before there is a connection.
    expect(await codeOf("/never", 50)).toMatch(/^web-(lost|unreachable)$/);
  });

  it("webRequest() stops when it is told to", async () => {
    const stop = new AbortController();
    await using server = await serve(() => stop.abort(new Error("enough")));
    const asking = webRequest({
      url: new URL(server.url),
      method: "GET",
      headers: {},
      reach: HERE,
      timeoutMs: 60_000,
      maxBytes: 10,
      signal: stop.signal,
    });
    await expect(asking).rejects.toThrow("enough");
  });
});
