/** The real server process: over pipes, by hand and with the official clients of both eras. */
import process from "node:process";
import { Client, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client";
// The package's `types` for this path name a file that is not there; tsc looks on, Deno does not.
// @ts-types="../../node_modules/@modelcontextprotocol/sdk/dist/esm/client/stdio.d.ts"
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { runtimeCommand, runWith, start } from "./_child.ts";

const SERVER = runtimeCommand("_mcp_child.ts");
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
const NO_NODE =
  "no node answers at http://127.0.0.1:9: start one with `sion devnet`, or give --node";
const TOOLS = [
  "sion_status",
  "sion_balance",
  "sion_pay",
  "sion_issue_claim",
  "sion_assess_claim",
  "sion_agent_pay",
  "sion_verify_pulse",
  "sion_events",
  "sion_submit_intent",
  "sion_fetch_paid",
  "sion_fetch_receipt",
  "sion_task_post",
  "sion_task_attest",
  "sion_task_submit",
  "sion_task_settle",
  "sion_task_show",
  "sion_memory_open",
  "sion_memory_remember",
  "sion_memory_commit",
  "sion_memory_recall",
  "sion_stake_pools",
  "sion_stake_delegate",
  "sion_stake_show",
  "sion_stake_claim",
  "sion_stake_undelegate",
  "sion_stake_withdraw",
  "sion_storage_post",
  "sion_storage_deals",
  "sion_storage_close",
  "wait",
  "large",
];

function callLine(id: number, name: string, given: object = {}): string {
  const params = { name, arguments: given };
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
}

describe("the server process", () => {
  it("answers what was piped in, then exits 0 with nothing else on stdout [L-014 L-015 L-016]", async () => {
    const end = await runWith(`${PING}nonsense\n${callLine(2, "sion_status")}`, SERVER);
    expect(end.code).toBe(0);
    expect(end.stderr).toBe("");
    const lines = end.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { id: 1, jsonrpc: "2.0", result: {} },
      {
        error: { code: -32700, message: "parse error: the line is not JSON" },
        id: null,
        jsonrpc: "2.0",
      },
      {
        id: 2,
        jsonrpc: "2.0",
        result: { content: [{ text: NO_NODE, type: "text" }], isError: true },
      },
    ]);
  });

  it("flushes an answer far larger than a pipe before it exits", async () => {
    const end = await runWith(callLine(1, "large", { bytes: 3_000_000 }), SERVER);
    expect(end.code).toBe(0);
    expect(JSON.parse(end.stdout).result.structuredContent.x).toHaveLength(3_000_000);
  });

  it("exits on end of input with nothing asked", async () => {
    expect(await runWith("", SERVER)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("aborts a call that its client cancels, and stays", async () => {
    const child = start(SERVER);
    child.process.stdin.write(callLine(1, "wait"));
    await child.until(() => child.stderr().includes("wait started"));
    const params = { requestId: 1 };
    child.process.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })}\n`,
    );
    await child.until(() => child.stderr().includes("wait was aborted"));
    child.process.stdin.end(PING);
    const end = await child.ended;
    expect(end.stdout).toBe('{"id":1,"jsonrpc":"2.0","result":{}}\n');
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops on %s, aborting what runs", async (signal) => {
    const child = start(SERVER);
    child.process.stdin.write(callLine(1, "wait"));
    await child.until(() => child.stderr().includes("wait started"));
    // Not through the child's own kill(), after which one runtime reports the signal for the code.
    process.kill(child.process.pid ?? 0, signal);
    const end = await child.ended;
    expect(end.code).toBe(0);
    expect(end.stderr).toContain("wait was aborted");
  });

  it("ends without a stack trace when nobody reads its output", async () => {
    const child = start(SERVER);
    child.process.stdin.write(callLine(1, "wait"));
    await child.until(() => child.stderr().includes("wait started"));
    child.process.stdout.destroy();
    child.process.stdin.write(PING.repeat(1000));
    const end = await child.ended;
    expect(end.stderr).toBe("wait started\nwait was aborted\n");
  });
});

/** Every error that a client's transport or protocol reports, besides what it throws. */
function watched<C extends { onerror?: ((error: Error) => void) | undefined }>(client: C) {
  const errors: string[] = [];
  client.onerror = (error) => errors.push(error.message);
  return { client, errors };
}

describe("the official client", () => {
  const [command, ...args] = SERVER;
  const eras: [string, ClientOptions, string][] = [
    ["2025-11-25", {}, "legacy"],
    [
      "2026-07-28",
      { versionNegotiation: { mode: "auto", probe: { timeoutMs: 20_000 } } },
      "modern",
    ],
    ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }, "modern"],
  ];
  it.each(eras)(
    "speaks %s with %o: lists, calls, reads errors, cancels [L-017 L-023 L-024 L-036 L-049]",
    async (version, options, era) => {
      const { client, errors } = watched(new Client({ name: "test", version: "1" }, options));
      await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getProtocolEra()).toBe(era);
      expect(client.getInstructions()).toMatch(/^Tools for the Siontology neo-blockchain devnet\./);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
      expect(await client.callTool({ name: "sion_balance", arguments: { account: "dana" } }))
        .toMatchObject({ content: [{ text: NO_NODE, type: "text" }], isError: true });
      const large = await client.callTool({ name: "large", arguments: { bytes: 1 } });
      expect(large.structuredContent).toEqual({ x: "x" });
      expect(await client.callTool({ name: "sion_teleport" })).toMatchObject({
        content: [{ text: "unknown tool sion_teleport", type: "text" }],
        isError: true,
      });
      const cancel = new AbortController();
      const waiting = client.callTool({ name: "wait" }, { signal: cancel.signal });
      cancel.abort();
      await expect(waiting).rejects.toThrow();
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      await client.close();
      expect(errors).toEqual([]);
    },
  );

  it("of version 1 speaks the handshake [L-024 L-025]", async () => {
    const { client, errors } = watched(new OldClient({ name: "test", version: "1" }));
    await client.connect(new OldTransport({ command, args, stderr: "ignore" }));
    expect(client.getServerVersion()).toMatchObject({ name: "sion" });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(await client.callTool({ name: "sion_status", arguments: {} }))
      .toEqual({ content: [{ text: NO_NODE, type: "text" }], isError: true });
    await client.ping();
    await client.close();
    expect(errors).toEqual([]);
  });
});
