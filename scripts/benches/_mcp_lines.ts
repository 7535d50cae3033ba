/** The thinnest MCP client: lines in, lines out, so that what is timed is the server. */
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { type Place, spawnSion } from "../_sion.ts";

const ANSWER_LIMIT_MS = 60_000;

/** A running `sion mcp`. */
export type McpLines = AsyncDisposable & {
  /** Sends a request; resolves to its result. @throws {Error} for an error answer, or none. */
  readonly request: (
    method: string,
    params?: unknown,
  ) => Promise<Readonly<Record<string, unknown>>>;
};

type Waiting = {
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
};

type Answer = {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
};

/**
 * Starts the server; nothing is sent yet.
 * @param args what the place's program is told. @default as `sion` is told to be a server
 */
export function startMcp(place: Place, args: readonly string[] = ["mcp"]): McpLines {
  const child = spawnSion(place, args, "pipe");
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) {
    throw new Error("Cannot talk to sion mcp: it has no pipes");
  }
  child.stderr?.pipe(process.stderr);
  const waiting = new Map<number, Waiting>();
  const ended = once(child, "close");
  const giveUp = (reason: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(`sion mcp: ${reason}`));
    waiting.clear();
  };
  ended.then(() => giveUp("ended without an answer"), (error) => giveUp(String(error)));
  createInterface({ input: stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line) as Answer;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || asked === undefined) return;
    waiting.delete(id);
    if (result !== undefined) asked.resolve(result);
    else asked.reject(new Error(`sion mcp: ${error?.message ?? "an answer without a result"}`));
  });
  let last = 0;
  return {
    request(method, params = {}) {
      last += 1;
      const id = last;
      const { promise, resolve, reject } = Promise.withResolvers<
        Readonly<Record<string, unknown>>
      >();
      const timer = setTimeout(
        () => reject(new Error(`sion mcp: no answer to ${method} in time`)),
        ANSWER_LIMIT_MS,
      );
      waiting.set(id, { resolve, reject });
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return promise.finally(() => clearTimeout(timer));
    },
    async [Symbol.asyncDispose]() {
      stdin.end();
      await ended;
    },
  };
}

/** Parameters of the handshake of the older protocol. */
export const INITIALIZE: Readonly<Record<string, unknown>> = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "sion-bench", version: "1" },
};

/**
 * Calls a tool.
 * @throws {Error} with the tool's own words when the call failed.
 */
export async function callTool(
  mcp: McpLines,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await mcp.request("tools/call", { name, arguments: args });
  if (result["isError"] === true) throw new Error(JSON.stringify(result["content"]));
  return (result["structuredContent"] ?? {}) as Readonly<Record<string, unknown>>;
}
