/** Whatever a client sends, the link holds and every line that comes back is a message. */
import {
  CallToolResultSchema,
  DiscoverResultSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCMessageSchema,
  ListToolsResultSchema,
} from "@modelcontextprotocol/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import type { ServerDefinition } from "#internal/mcp/mod.ts";
import { answersTo, definition, gate, linesFor, MODERN, modernRequest, request } from "./_peer.ts";

/** A server whose slow tool does not wait, since nobody would open its gate. */
function quickServer(): ServerDefinition {
  const slow = gate();
  slow.open();
  return definition(slow);
}

/** Every line is one message; `id: null` stands where MCP's schema would leave the id out. */
function expectMessages(lines: readonly string[]): Record<string, JsonValue>[] {
  return lines.flatMap((line) => {
    const value = parseJson(line) as Record<string, JsonValue> | Record<string, JsonValue>[];
    const messages = Array.isArray(value) ? value : [value];
    for (const message of messages) {
      const { id, ...rest } = message;
      expect(JSONRPCMessageSchema.safeParse(id === null ? rest : asDouble(message)).success, line)
        .toBe(true);
      if (id === null) expect(JSONRPCErrorResponseSchema.safeParse(rest).success).toBe(true);
    }
    return messages;
  });
}

/** The official schemas know doubles only. */
function asDouble(message: Record<string, JsonValue>): unknown {
  return typeof message["id"] === "bigint" ? { ...message, id: 0 } : message;
}

const METHODS = ["initialize", "ping", "tools/list", "tools/call", "server/discover", "x/y"];
const ids = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constant(null),
);
const meta = fc.oneof(
  fc.constant(MODERN),
  fc.constant({ ...MODERN, "io.modelcontextprotocol/protocolVersion": "1900-01-01" }),
  fc.record({ progressToken: fc.oneof(fc.integer(), fc.string(), fc.boolean()) }),
  fc.jsonValue(),
);
const params = fc.record({
  name: fc.oneof(fc.constantFrom("echo", "list", "steps", "slow", "broken"), fc.string()),
  arguments: fc.oneof(fc.record({ text: fc.oneof(fc.string(), fc.integer()) }), fc.jsonValue()),
  protocolVersion: fc.oneof(fc.constantFrom("2025-03-26", "2025-11-25"), fc.jsonValue()),
  requestId: ids,
  _meta: meta,
}, { requiredKeys: [] });
const message = fc.record({
  jsonrpc: fc.constantFrom("2.0", "1.0"),
  id: ids,
  method: fc.oneof(fc.constantFrom(...METHODS, "notifications/cancelled"), fc.jsonValue()),
  params: fc.oneof({ weight: 4, arbitrary: params }, { weight: 1, arbitrary: fc.jsonValue() }),
}, { requiredKeys: ["method"] });
/** Well-formed, malformed, cut off, several on a line, and no JSON at all. */
const lines = fc.array(fc.oneof(
  message.map(writeJson),
  message.map((value) => writeJson(value).slice(0, -1)),
  fc.array(message, { maxLength: 4 }).map(writeJson),
  fc.json(),
  fc.string().map((text) => text.replaceAll(/[\r\n]/g, "")),
));

function writeJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) => typeof member === "bigint" ? JSON.rawJSON(String(member)) : member,
  );
}

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

describe("a client that sends anything", () => {
  it("gets messages only, and an answer to what it asks next", async () => {
    await fc.assert(
      fc.asyncProperty(lines, async (sent) => {
        const last = '{"jsonrpc":"2.0","id":"the last","method":"ping"}';
        const received = expectMessages(
          await linesFor([...sent, last].join("\n"), quickServer()),
        );
        const answer = received.find(({ id, result }) => id === "the last" && result !== undefined);
        expect(answer).toEqual({ id: "the last", jsonrpc: "2.0", result: {} });
      }),
      { numRuns: 150 },
    );
  });

  it("gets one answer to every request with an id of its own", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ method: fc.constantFrom(...METHODS), params })), async (
        wanted,
      ) => {
        const sent = wanted.map((entry, id) => ({ jsonrpc: "2.0", id, ...entry }));
        const answers = await answersTo(sent, quickServer());
        const answered = answers.filter(({ id }) => id !== undefined).map(({ id }) => Number(id));
        expect(answered.toSorted((a, b) => a - b)).toEqual(sent.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });

  it("gets bytes that are no text answered as well", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expectMessages(await linesFor(bytes));
      }),
      { numRuns: 100 },
    );
  });
});

describe("the official schemas", () => {
  it("accept every result in both eras [L-014 L-019 L-030 L-053]", async () => {
    const echo = { name: "echo", arguments: { text: "x" } };
    const answers = await answersTo([
      request("init", "initialize", { protocolVersion: "2025-11-25" }),
      request("list", "tools/list"),
      request("call", "tools/call", echo),
      request("fail", "tools/call", { name: "none" }),
      modernRequest("discover", "server/discover"),
      modernRequest("list 2", "tools/list"),
      modernRequest("call 2", "tools/call", echo),
      modernRequest("array", "tools/call", { name: "list" }),
    ]);
    const results = new Map(answers.map(({ id, result }) => [id, result]));
    const schemas = {
      init: InitializeResultSchema,
      list: ListToolsResultSchema,
      call: CallToolResultSchema,
      fail: CallToolResultSchema,
      discover: DiscoverResultSchema,
      "list 2": ListToolsResultSchema,
      "call 2": CallToolResultSchema,
      array: CallToolResultSchema,
    };
    for (const [id, schema] of Object.entries(schemas)) {
      expect(schema.safeParse(results.get(id)).error, id).toBeUndefined();
    }
  });
});
