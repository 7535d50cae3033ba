/** A server of test tools, and a client that feeds it raw lines and reads what comes back. */
import { setImmediate } from "node:timers";
import { type JsonValue, parseJson, stringifyJson } from "#internal/core/mod.ts";
import {
  defineTool,
  jsonResult,
  type LineSink,
  refused,
  runMcpServer,
  type ServerDefinition,
  type Tool,
  type ToolContext,
} from "#internal/mcp/mod.ts";
import * as z from "zod";

export const MODERN = {
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
};

/** What the slow tool waits for; a test opens the gate. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

const plain = { openWorld: false, repeatHarmless: true, fromPrograms: true } as const;

function testTools(slow: Gate, log: string[] = []): Tool[] {
  return [
    defineTool({
      ...plain,
      name: "echo",
      title: "Echo",
      description: "Gives the text back.",
      input: z.strictObject({
        count: z.int().optional(),
        text: z.string().describe("What to say"),
      }),
      highestEffect: "read",
      run: (_context: ToolContext, input) => Promise.resolve(jsonResult({ said: input.text })),
    }),
    defineTool({
      ...plain,
      name: "list",
      description: "Gives a list.",
      input: z.strictObject({}),
      highestEffect: "read",
      run: (_context: ToolContext) => Promise.resolve(jsonResult([{ big: 2n ** 63n - 1n }])),
    }),
    defineTool({
      ...plain,
      name: "slow",
      description: "Waits.",
      input: z.strictObject({}),
      highestEffect: "write",
      async run(context: ToolContext) {
        log.push("slow started");
        const aborted = new Promise<void>((resolve) =>
          context.signal.addEventListener("abort", () => resolve(), { once: true })
        );
        await Promise.race([slow.opened, aborted]);
        log.push(context.signal.aborted ? "slow aborted" : "slow done");
        return context.signal.aborted ? refused("cancelled", "stopped") : jsonResult({ done: 1 });
      },
    }),
    defineTool({
      ...plain,
      name: "steps",
      description: "Reports progress.",
      input: z.strictObject({}),
      highestEffect: "read",
      run(context: ToolContext) {
        for (const progress of [1, 2, 2, 1, 3]) context.progress?.({ progress, total: 3 });
        return Promise.resolve(jsonResult({ heard: context.progress !== undefined }));
      },
    }),
    defineTool({
      ...plain,
      name: "broken",
      description: "Throws.",
      input: z.strictObject({}),
      highestEffect: "read",
      run: (_context: ToolContext) => Promise.reject(new Error("a bug")),
    }),
  ];
}

export function definition(slow: Gate = gate(), log: string[] = []): ServerDefinition {
  return {
    info: { name: "test", version: "1.0.0" },
    instructions: "Be kind.",
    tools: () => Promise.resolve(testTools(slow, log)),
    context: (base) => base,
  };
}

/** A sink that keeps what was written. */
function memorySink(): LineSink & { readonly lines: string[]; close(): void } {
  const lines: string[] = [];
  const closed = new AbortController();
  return {
    lines,
    closed: closed.signal,
    close: () => closed.abort(),
    write: (text) => void lines.push(text),
    ready: () => Promise.resolve(),
    flush: () => Promise.resolve(),
  };
}

/** Feeds the whole input at once, waits for the server's end, gives every line it wrote. */
export async function linesFor<Context extends ToolContext = ToolContext>(
  input: string | Uint8Array,
  server?: ServerDefinition<Context>,
): Promise<string[]> {
  const output = memorySink();
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes);
  }
  const streams = { input: chunks(), output };
  await (server ? runMcpServer(server, streams) : runMcpServer(definition(), streams));
  return output.lines;
}

/** As `linesFor` for messages; the answers parsed. */
export async function answersTo<Context extends ToolContext = ToolContext>(
  messages: readonly unknown[],
  server?: ServerDefinition<Context>,
): Promise<Record<string, JsonValue>[]> {
  const input = messages.map((message) => `${stringifyJson(message)}\n`).join("");
  return (await linesFor(input, server)).map((line) =>
    parseJson(line) as Record<string, JsonValue>
  );
}

export function request(id: unknown, method: string, params?: unknown): unknown {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

export function modernRequest(id: unknown, method: string, params: object = {}): unknown {
  return request(id, method, { ...params, _meta: MODERN });
}

/** A client that sends line by line and waits for what it wants to see. */
export interface Peer {
  readonly output: { readonly lines: string[]; close(): void };
  /** Settles when the server has ended. */
  readonly done: Promise<unknown>;
  send(message: unknown): void;
  end(): void;
  stop(): void;
  /** Gives way until the condition holds. */
  until(condition: () => boolean): Promise<void>;
}

/** Starts a server for one client. */
export function openPeer<Context extends ToolContext>(
  server: ServerDefinition<Context>,
  options: { graceMs?: number } = {},
): Peer {
  const output = memorySink();
  const waiting: string[] = [];
  let wake = gate();
  let ended = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield new TextEncoder().encode(next);
      else if (ended) return;
      else {
        await wake.opened;
        wake = gate();
      }
    }
  }
  const stop = new AbortController();
  const done = runMcpServer(server, {
    input: chunks(),
    output,
    stop: stop.signal,
    ...options,
  });
  return {
    output,
    done,
    stop: () => stop.abort(),
    send(message: unknown) {
      waiting.push(`${stringifyJson(message)}\n`);
      wake.open();
    },
    end() {
      ended = true;
      wake.open();
    },
    async until(condition: () => boolean): Promise<void> {
      for (let turn = 0; turn < 10_000 && !condition(); turn++) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!condition()) throw new Error(`Never happened; got ${output.lines.join("\n")}`);
    },
  };
}
