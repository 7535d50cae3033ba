/** Calls that run side by side, are cancelled, report progress, and outlive the input. */
import { describe, expect, it } from "vitest";
import { answersTo, definition, gate, linesFor, MODERN, openPeer, request } from "./_peer.ts";

const callSlow = (id: unknown): unknown => request(id, "tools/call", { name: "slow" });
const cancelled = (requestId: unknown): unknown => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "enough" },
});

describe("connect()", () => {
  it("answers quick requests while slow ones run", async () => {
    const slow = gate();
    const peer = openPeer(definition(slow));
    peer.send(callSlow(1));
    peer.send(callSlow("1"));
    peer.send(request(2, "ping"));
    await peer.until(() => peer.output.lines.length === 1);
    expect(peer.output.lines[0]).toContain('"id":2');
    slow.open();
    await peer.until(() => peer.output.lines.length === 3);
    peer.end();
    await peer.done;
    expect(peer.output.lines.map((line) => /"id":("?\w+"?)/.exec(line)?.[1]))
      .toEqual(["2", "1", '"1"']);
  });

  it("answers deeply nested JSON without parsing it", async () => {
    const deep = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}\n`;
    expect(await linesFor(deep, definition(gate()))).toEqual([
      '{"error":{"code":-32700,"message":"parse error: the line is nested deeper than 64"},' +
      '"id":null,"jsonrpc":"2.0"}',
    ]);
  });

  it("asks for less where reading would give more than a model can take", async () => {
    const text = "x".repeat(1 << 20);
    const [answer] = await answersTo(
      [request(1, "tools/call", { name: "echo", arguments: { text } })],
      definition(gate()),
    );
    expect(answer?.["result"]).toEqual({
      content: [{
        text: "echo found 1048592 characters, more than 1048576: ask for less of it",
        type: "text",
      }],
      isError: true,
    });
  });

  it("refuses an id that is still in use, and takes it again afterwards", async () => {
    const slow = gate();
    const log: string[] = [];
    const peer = openPeer(definition(slow, log));
    peer.send(callSlow(1));
    peer.send(callSlow(1));
    await peer.until(() => peer.output.lines.length === 1);
    expect(peer.output.lines[0]).toBe(
      '{"error":{"code":-32600,"message":"invalid request: id 1 is in use by a request that ' +
        'still runs"},"id":null,"jsonrpc":"2.0"}',
    );
    slow.open();
    await peer.until(() => peer.output.lines.length === 2);
    peer.send(callSlow(1));
    await peer.until(() => peer.output.lines.length === 3);
    peer.end();
    await peer.done;
    expect(log.filter((entry) => entry === "slow started")).toHaveLength(2);
  });

  it("runs as many calls at once as it is asked to, up to its bound", async () => {
    const slow = gate();
    const log: string[] = [];
    const peer = openPeer(definition(slow, log));
    for (let id = 0; id < 1025; id++) peer.send(callSlow(id));
    await peer.until(() => log.length === 1024);
    await peer.until(() => peer.output.lines.length === 1);
    expect(peer.output.lines[0]).toContain('"code":-32603');
    expect(peer.output.lines[0]).toContain('"id":1024');
    slow.open();
    peer.end();
    await peer.done;
    expect(peer.output.lines).toHaveLength(1025);
  });

  it("aborts a cancelled call and does not answer it", async () => {
    const log: string[] = [];
    const peer = openPeer(definition(gate(), log));
    peer.send(callSlow(1));
    peer.send(cancelled(1));
    await peer.until(() => log.includes("slow aborted"));
    peer.send(cancelled(1));
    peer.send(cancelled("nobody"));
    peer.send(cancelled(null));
    peer.send(request(2, "ping"));
    peer.end();
    await peer.done;
    expect(peer.output.lines).toEqual(['{"id":2,"jsonrpc":"2.0","result":{}}']);
  });

  it("leaves a cancelled call out of its batch", async () => {
    const peer = openPeer(definition());
    peer.send(request(0, "initialize", { protocolVersion: "2025-03-26" }));
    peer.send([callSlow(1), request(2, "ping")]);
    peer.send(cancelled(1));
    peer.end();
    await peer.done;
    expect(peer.output.lines[1]).toBe('[{"id":2,"jsonrpc":"2.0","result":{}}]');
  });

  it("reports progress that rises to the token it was given, before the answer", async () => {
    const token = { progressToken: "t-1" };
    const call = { name: "steps", _meta: token };
    const lines = await answersTo([request(1, "tools/call", call)]);
    const seen = lines.slice(0, -1).map(({ method, params }) => ({ method, params }));
    expect(seen).toEqual([1, 2, 3].map((progress) => ({
      method: "notifications/progress",
      params: { progress, progressToken: "t-1", total: 3 },
    })));
    expect(lines.at(-1)?.["result"]).toMatchObject({ structuredContent: { heard: true } });
  });

  it("reports no progress without a token", async () => {
    const [only, ...more] = await answersTo([
      request(1, "tools/call", { name: "steps", _meta: MODERN }),
    ]);
    expect(more).toEqual([]);
    expect(only?.["result"]).toMatchObject({ structuredContent: { heard: false } });
  });

  it("tells a bug in a tool as a failed call and goes on", async () => {
    const answers = await answersTo([
      request(1, "tools/call", { name: "broken" }),
      request(2, "tools/call", { name: "echo", arguments: { text: "x" } }),
    ]);
    expect(answers.find(({ id }) => id === 1)?.["result"]).toEqual({
      content: [{ text: "broken failed inside: a bug", type: "text" }],
      isError: true,
    });
    expect(answers.find(({ id }) => id === 2)?.["result"]).not.toHaveProperty("isError");
  });

  it("answers with an internal error when the tools cannot be loaded, and keeps the link", async () => {
    const server = { ...definition(), tools: () => Promise.reject(new Error("secret path")) };
    const answers = await answersTo([request(1, "tools/list"), request(2, "ping")], server);
    expect(answers.find(({ id }) => id === 1)?.["error"]).toEqual({
      code: -32603,
      message: "internal error: the server failed inside",
    });
    expect(answers.find(({ id }) => id === 2)?.["result"]).toEqual({});
  });

  it("does not load the tools for the handshake", async () => {
    let loaded = 0;
    const server = {
      ...definition(),
      tools: () => {
        loaded += 1;
        return definition().tools();
      },
    };
    await answersTo([request(1, "initialize"), request(2, "ping")], server);
    expect(loaded).toBe(0);
    await answersTo([request(1, "tools/list"), request(2, "tools/list")], server);
    expect(loaded).toBe(1);
  });
});

describe("runMcpServer()", () => {
  it("answers what runs when the input ends, then ends", async () => {
    const slow = gate();
    const log: string[] = [];
    const peer = openPeer(definition(slow, log));
    peer.send(callSlow(1));
    peer.end();
    await peer.until(() => log.includes("slow started"));
    expect(peer.output.lines).toEqual([]);
    slow.open();
    await peer.done;
    expect(peer.output.lines).toHaveLength(1);
  });

  it("aborts what still runs when the grace after the end of input is over", async () => {
    const peer = openPeer(definition(), { graceMs: 1 });
    peer.send(callSlow(1));
    peer.end();
    await peer.done;
    expect(peer.output.lines).toEqual([
      '{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":"stopped","type":"text"}],' +
      '"isError":true}}',
    ]);
  });

  it("stops when told, aborting what runs", async () => {
    const log: string[] = [];
    const peer = openPeer(definition(gate(), log));
    peer.send(callSlow(1));
    await peer.until(() => log.includes("slow started"));
    peer.stop();
    await peer.done;
    expect(log).toContain("slow aborted");
  });

  it("ends when nobody reads any more", async () => {
    const log: string[] = [];
    const peer = openPeer(definition(gate(), log));
    peer.send(callSlow(1));
    await peer.until(() => log.includes("slow started"));
    peer.output.close();
    await peer.done;
    expect(log).toContain("slow aborted");
  });

  it("ends at once on empty input", async () => {
    expect(await linesFor("")).toEqual([]);
  });
});
