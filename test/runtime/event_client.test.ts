import fc from "fast-check";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import type { EventRequest } from "#internal/runtime/mod.ts";
import { createEventClient } from "#internal/runtime/mod.ts";
import { createEventReader } from "../../internal/runtime/event_reader.ts";

/** The data of a whole stream's events, as the standard has them. */
function dataOf(text: string): string[] {
  const blocks = text.replace(/^\uFEFF/, "").replaceAll(/\r\n|\r/g, "\n").split("\n\n");
  return blocks.slice(0, -1).flatMap((block) => {
    const lines = block.split("\n").flatMap((line) => {
      const [name, ...rest] = line.split(":");
      return name === "data" ? [rest.join(":").replace(/^ /, "")] : [];
    });
    return lines.length === 0 ? [] : [lines.join("\n")];
  });
}

describe("createEventReader()", () => {
  test.each([
    ["event: a\ndata: one\n\ndata:two\n\n", ["one", "two"]],
    ["data: 1\r\ndata:  2\r\n\r\n", ["1\n 2"]],
    ["data\rdata: x\r\r", ["\nx"]],
    ["dataset: 1\nid: 2\n\n", []],
    ["data: not whole\n", []],
    ["\uFEFFdata: é\n\n", ["é"]],
  ])("reads %j", (text, data) => {
    expect(createEventReader()(utf8(text))).toEqual(data);
    expect(dataOf(text)).toEqual(data);
  });

  test("reads the same however the stream is cut into pieces", () => {
    const text = fc.array(fc.constantFrom("\n", "\r", "\r\n", "data: é", "data", ":", "a", "😀"), {
      maxLength: 40,
    }).map((parts) => parts.join(""));
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 });
    fc.assert(
      fc.property(text, cuts, (whole, sizes) => {
        const bytes = utf8(whole);
        const read = createEventReader();
        const found: string[] = [];
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          found.push(...read(bytes.subarray(at, at + size)));
          at = Math.min(bytes.length, at + size);
        }
        expect(found).toEqual(dataOf(whole));
      }),
      { numRuns: 500 },
    );
  });
});

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const question = (url: string, more: Partial<EventRequest> = {}): EventRequest => ({
  url,
  headers: { "content-type": "application/json" },
  body: '{"say":"é"}',
  signal: new AbortController().signal,
  bounds: { maxBytes: 1_000, maxErrorBytes: 20, maxEventBytes: 100 },
  ...more,
});

/** Over `fetch`, which a proxy that is named makes it use, and over what it uses otherwise. */
describe.each([
  ["itself", {}],
  ["fetch", { HTTP_PROXY: "http://127.0.0.1:9" }],
])("createEventClient() by %s", (_how, env) => {
  const client = createEventClient(env);

  test("reads the events of an answer, and the headers in any case", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Retry-After": "3" });
      response.end(": hi\ndata: one\n\ndata: two\n\ndata: cut");
    });
    const answer = await client.post(question(url));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([200, "3"]);
    expect(answer.headers.get("none")).toBeNull();
    const events: string[] = [];
    for await (const data of answer.events()) events.push(data);
    expect(events).toEqual(["one", "two"]);
  });

  test("bounds what it takes, and follows no redirect", async () => {
    const url = await serve(({ url: path }, response) => {
      if (path === "/v1/away") response.writeHead(307, { location: "/v1/large" }).end("elsewhere");
      else response.writeHead(path === "/v1/large" ? 200 : 500).end("x".repeat(2_000));
    });
    const away = await client.post(question(`${url}/away`));
    expect([away.status, await away.text()]).toEqual([307, "elsewhere"]);
    for (const path of ["large", "error"]) {
      const answer = await client.post(question(`${url}/${path}`));
      await expect(answer.text()).rejects.toMatchObject({ code: "answer-too-large" });
    }
  });

  test("ends with the signal's reason", async () => {
    const url = await serve((_request, response) => {
      response.write("data: one\n\n");
    });
    const abort = new AbortController();
    const answer = await client.post(question(url, { signal: abort.signal }));
    const reading = (async () => {
      for await (const data of answer.events()) abort.abort(new Error(`after ${data}`));
    })();
    await expect(reading).rejects.toThrow("after one");
  });
});
