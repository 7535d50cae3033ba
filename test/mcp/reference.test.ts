/** docs/reference/mcp-tools.md: what it shows is what a client gets. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import { loadLedgerTools } from "#internal/mcp/mod.ts";
import { readCalls, writeCall } from "../../scripts/record_docs/_mcp_calls.ts";
import { answersTo, request } from "./_peer.ts";
import { fakeLedgerServer } from "./_ledger.ts";
import { compared } from "./_recorded_calls.ts";

const page = readFileSync(new URL("../../docs/reference/mcp-tools.md", import.meta.url), "utf8");
const tools = await loadLedgerTools();

function sectionOf(name: string): string {
  return page.split(/^## /m).find((section) => section.startsWith(`${name}\n`)) ?? "";
}

type Property = {
  readonly type: string;
  readonly description?: string;
  readonly items?: { readonly type: string };
};
type Listed = {
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: {
      readonly properties: Readonly<Record<string, Property>>;
      readonly required?: readonly string[];
    };
  }[];
};

describe("the reference of MCP tools", () => {
  it("has a row for every argument as tools/list gives it [L-008]", async () => {
    const [answer] = await answersTo([request(1, "tools/list")], fakeLedgerServer());
    const listed = (answer?.["result"] as Listed | undefined)?.tools ?? [];
    expect(listed).toHaveLength(tools.length);
    for (const { name, description, inputSchema: { properties, required = [] } } of listed) {
      const rows = Object.entries(properties).map((
        [argument, { type, items, description: meaning = "" }],
      ) =>
        `| \`${argument}\` | ${items === undefined ? type : `array of ${items.type}`} | ${
          required.includes(argument) ? "yes" : "no"
        } | ${meaning} |`
      );
      expect(sectionOf(name)).toContain(description);
      expect(sectionOf(name).match(/^\| `.*$/gm) ?? []).toEqual(rows);
    }
  });

  it("shows recorded calls of every tool, in the shape that the tool gives [L-009]", () => {
    const calls = readCalls(page);
    for (const tool of tools) {
      const recorded = calls.get(tool.name) ?? [];
      expect(recorded.length, tool.name).toBeGreaterThan(0);
      for (const { call, result } of recorded) {
        const { arguments: given } = parseJson(call) as { arguments: JsonValue };
        expect(tool.input.safeParse(given).error, tool.name).toBeUndefined();
        expect(tool.output?.safeParse(parseJson(result)).error, tool.name).toBeUndefined();
      }
    }
  });

  it("shows what the seed recorded, to the word [L-663..L-674 L-676..L-690]", () => {
    const all = compared(readCalls(page));
    expect(all).toHaveLength(27);
    for (const { name, at, seed, now } of all) expect([name, at, now]).toEqual([name, at, seed]);
  });

  it("cuts nothing but long hex in arguments [L-011]", () => {
    for (const { call, result } of [...readCalls(page).values()].flat()) {
      expect(call).not.toMatch(/[0-9a-f]{65}/);
      expect(call.replaceAll(/"[0-9a-f]{16}…"/g, '""')).not.toContain("…");
      expect(result).not.toContain("…");
      expect(page).toContain(writeCall({ call, result }));
    }
  });
});
