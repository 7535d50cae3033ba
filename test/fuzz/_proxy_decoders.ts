/** What comes out of a sandbox to its proxy: heads of requests, and greetings of TLS. */
import { fromHex, utf8 } from "#internal/core/mod.ts";
import { serverNameOf } from "../../internal/sandbox/proxy/client_hello.ts";
import { readRequestHead } from "../../internal/sandbox/proxy/request_head.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

/** A greeting for `a.example`, with one other extension before the name. */
const GREETING = fromHex(
  "16030100460100004203030707070707070707070707070707070707070707070707070707070707" +
    "070707000002130101000017000a0001000000000e000c000009612e6578616d706c65",
);

const greeting = decoder({
  name: "a TLS greeting",
  covers: ["serverNameOf"],
  samples: () => [GREETING],
  decode: serverNameOf,
  use(read) {
    if (read === undefined || read === "more") return;
    if (read.name !== read.name.toLowerCase()) throw new Error("the name is not plain");
  },
});

const head = decoder({
  name: "the head of a request to a proxy",
  covers: ["readRequestHead"],
  samples: () =>
    [
      "GET http://a.example/b?c HTTP/1.1\r\nHost: a.example\r\nX-A: b",
      "POST http://A.example.:80/ HTTP/1.0\r\nContent-Length: 5\r\nConnection: x",
      "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443",
    ].map(utf8),
  decode: (bytes) => readRequestHead(new TextDecoder("latin1").decode(bytes)),
  use(read) {
    // Whatever was asked, one head goes on, and it names the host that is checked.
    if (read.kind !== "plain") return;
    const [, host, ...rest] = read.head.split("\r\n");
    const others = rest.filter((line) => /^(?:host|connection):/i.test(line));
    if (
      !host?.startsWith(`host: ${read.host}`) || others.length !== 1 || /[^\r]\n/.test(read.head)
    ) {
      throw new Error("the head is not what was checked");
    }
  },
});

/** Those of the proxy. */
export const PROXY_DECODERS: readonly Decoder[] = [greeting, head];
