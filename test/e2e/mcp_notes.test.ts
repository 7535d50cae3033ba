/** The example of an MCP server, by hand and with the official clients of both eras. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../parts.ts";
import { runWith } from "./_child.ts";

const SERVER = fileURLToPath(new URL("../../examples/mcp-notes/notes-server.py", import.meta.url));
// Of the system, and apart from what Python finds of the user's.
const COMMAND = ["/usr/bin/python3", "-I", SERVER] as const;
const ERAS: readonly (readonly [version: string, ClientOptions])[] = [
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
  ["2025-11-25", { versionNegotiation: { mode: "legacy" } }],
];

function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "sion-notes-"));
}

interface Said {
  readonly text: string;
  readonly failed: boolean;
}

describe.skipIf(!needs("python", "the example server"))("examples/mcp-notes", () => {
  test.each(ERAS)(
    "keeps notes for the official client of %s [A-320 A-321 A-325]",
    async (version, options) => {
      const folder = freshFolder();
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const [command, ...args] = COMMAND;
      const client = new Client({ name: "test", version: "1" }, options);
      await client.connect(new StdioClientTransport({ command, args, cwd: folder }));
      onTestFinished(() => client.close());
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()).toMatchObject({ name: "notes", version: "1.0" });
      const call = async (name: string, given: Record<string, unknown> = {}): Promise<Said> => {
        const result = await client.callTool({ name, arguments: given });
        const content = result.content as readonly { readonly text?: string }[];
        return { text: content[0]?.text ?? "", failed: result.isError === true };
      };
      const said = (text: string): Said => ({ text, failed: false });

      const { tools } = await client.listTools();
      expect(
        tools.map(({ name, description, annotations }) => [name, description, annotations]),
      ).toEqual([
        ["list_notes", "List the notes kept, by name.", {
          openWorldHint: false,
          readOnlyHint: true,
        }],
        ["read_note", "Read a note by its name.", { openWorldHint: false, readOnlyHint: true }],
        [
          "add_note",
          "Keep a note under a name (lowercase letters, digits and hyphens), " +
          "replacing one of that name.",
          { idempotentHint: true, openWorldHint: false, readOnlyHint: false },
        ],
        [
          "delete_note",
          "Delete a note by its name.",
          { openWorldHint: false, readOnlyHint: false },
        ],
      ]);

      const text = "Ship the shell and MCP tools on Friday.";
      expect(await call("list_notes")).toEqual(said("no notes are kept"));
      expect(await call("add_note", { name: "release", text })).toEqual(said("kept note release"));
      expect(await call("add_note", { name: "a-2", text: "é\r\n" })).toEqual(said("kept note a-2"));
      expect(await call("list_notes")).toEqual(said("a-2\nrelease"));
      expect(await call("read_note", { name: "release" })).toEqual(said(text));
      expect(await call("read_note", { name: "a-2" })).toEqual(said("é\r\n"));
      expect(readFileSync(join(folder, "release.txt"), "utf8")).toBe(text);
      expect(await call("add_note", { name: "release", text: "Ship." }))
        .toEqual(said("kept note release"));
      expect(await call("read_note", { name: "release" })).toEqual(said("Ship."));
      expect(await call("delete_note", { name: "release" })).toEqual(said("deleted note release"));
      expect(readdirSync(folder)).toEqual(["a-2.txt"]);

      const gone = { text: "there is no note release: list_notes has their names", failed: true };
      expect(await call("read_note", { name: "release" })).toEqual(gone);
      expect(await call("delete_note", { name: "release" })).toEqual(gone);
      for (const name of ["../x", "A", "", "a/b", "a\0b", "a".repeat(65)]) {
        const refused = await call("add_note", { name, text });
        expect(refused.failed).toBe(true);
        expect(refused.text).toMatch(/is no name of a note/);
      }
      expect((await call("add_note", { name: "x", text: "y".repeat(65_537) })).failed).toBe(true);
      expect(await call("read_note", {})).toEqual({
        text: "read_note takes name, as text",
        failed: true,
      });
      expect(readdirSync(folder)).toEqual(["a-2.txt"]);
    },
  );

  test("follows no link out of its directory [A-320]", async () => {
    const folder = freshFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "secret"), "CANARY");
    symlinkSync(join(folder, "secret"), join(folder, "link.txt"));
    const lines = ["list_notes", "read_note", "delete_note"].map((name, id) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, arguments: name === "list_notes" ? {} : { name: "link" } },
      })
    );
    const { stdout } = await runWith(`${lines.join("\n")}\n`, inFolder(folder));
    expect(stdout).not.toContain("CANARY");
    expect(stdout).toContain("no notes are kept");
    expect(existsSync(join(folder, "link.txt"))).toBe(true);
  });

  test("answers what is no message, and serves each request by its own era [A-358 A-359]", async () => {
    const modern = (id: number, method: string, version = "2026-07-28", more: object = {}) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method,
        params: {
          ...more,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      });
    const lines: readonly (readonly [line: string, answer: object | undefined])[] = [
      ["no JSON", { id: null, error: { code: -32700 } }],
      ["[".repeat(100_000), { id: null, error: { code: -32700 } }],
      [`"${"x".repeat(1 << 20)}"`, { id: null, error: { code: -32700 } }],
      ["[]", { id: null, error: { code: -32600 } }],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { id: null, error: { code: -32600 } }],
      ['{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}', { id: 1, result: {} }],
      ['{"jsonrpc":"2.0","id":2,"method":"none"}', { id: 2, error: { code: -32601 } }],
      ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', { id: 3, error: { code: -32602 } }],
      [modern(4, "tools/list"), { id: 4, result: { resultType: "complete", ttlMs: 3_600_000 } }],
      [modern(5, "ping"), { id: 5, error: { code: -32601 } }],
      [modern(6, "tools/list", "2099-01-01"), {
        id: 6,
        error: { code: -32022, data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"] } },
      }],
      [
        '{"jsonrpc":"2.0","id":7,"method":"server/discover"}',
        { id: 7, error: { code: -32602 } },
      ],
      [modern(8, "server/discover"), {
        id: 8,
        result: { supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"] },
      }],
      [modern(9, "tools/call", "2026-07-28", { name: "none" }), { id: 9, error: { code: -32602 } }],
      [
        '{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}',
        { id: 10, result: { protocolVersion: "2025-11-25" } },
      ],
    ];
    const { stdout, stderr, code } = await runWith(
      `${lines.map(([line]) => line).join("\n")}\n`,
      inFolder(tmpdir()),
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const answers = stdout.trim().split("\n").map((line) => JSON.parse(line) as object);
    expect(answers).toMatchObject(
      lines.map(([, answer]) => answer).filter((answer) => answer !== undefined),
    );
  });
});

/** The server in a folder; nothing of the folder's is in its way. */
function inFolder(folder: string): [string, ...string[]] {
  return ["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, ...COMMAND];
}
