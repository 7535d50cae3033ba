/** What holds for every tool of the registry, whatever it does. */
import { readdirSync } from "node:fs";
import { CallToolResultSchema, ToolSchema } from "@modelcontextprotocol/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import {
  callTool,
  describeTools,
  EFFECTS,
  type LedgerClient,
  type LedgerContext,
  loadLedgerTools,
  type Tool,
} from "#internal/mcp/mod.ts";
import { ledgerTools } from "../../internal/mcp/tools/mod.ts";
import { wireResult } from "../../internal/mcp/tool_server.ts";
import { fakeLedger, HEX, RECORDED } from "../mcp/_ledger.ts";
import { REFERENCE } from "../mcp/_tool_reference.ts";

const tools = await loadLedgerTools();
const session = { id: "s", outside: [] };

type Schema = {
  readonly type: string;
  readonly properties: Record<string, { type: string; items?: { type: string } }>;
  readonly required?: readonly string[];
};

function contextWith(client: LedgerContext["client"], signal?: AbortSignal): LedgerContext {
  return { signal: signal ?? new AbortController().signal, client };
}

const working = contextWith(() => Promise.resolve(fakeLedger()));

describe("the registry", () => {
  it("has every file of its folder, each name once", () => {
    const files = readdirSync(new URL("../../internal/mcp/tools", import.meta.url))
      .filter((file) => file !== "mod.ts" && !file.startsWith("_"));
    expect(tools).toHaveLength(files.length);
    expect(tools.map(({ name }) => name)).toEqual(ledgerTools.map(({ name }) => name));
    const named = tools.map(({ name }) => `${name.replace(/^sion_/, "")}.ts`);
    expect(named.toSorted((a, b) => a.localeCompare(b)))
      .toEqual(files.toSorted((a, b) => a.localeCompare(b)));
  });
});

describe.each(tools.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  const recorded = RECORDED[name] as Record<string, JsonValue>;
  const described = describeTools([tool as Tool<never>]).then(([only]) => only ?? {});
  const schema = async (): Promise<Schema> => (await described)["inputSchema"] as unknown as Schema;

  it("has a legal name and a description", () => {
    expect(name).toMatch(/^sion_[a-z_]{1,59}$/);
    expect(tool.description).toMatch(/^[A-Z].*\.$/s);
    expect(tool.title).toMatch(/^[A-Z]/);
  });

  it("is described as the protocol wants it", async () => {
    expect(ToolSchema.safeParse(await described).error).toBeUndefined();
  });

  it("has an object schema of plain types in alphabetical order [L-053 L-054]", async () => {
    const { type, properties, required, ...more } = await schema();
    expect(type).toBe("object");
    expect(more).toEqual({});
    const names = Object.keys(properties);
    expect(names).toEqual(names.toSorted());
    expect(required ?? []).toEqual(names.filter((property) => required?.includes(property)));
    for (const property of Object.values(properties)) {
      expect(["string", "number", "integer", "boolean", "array"]).toContain(property.type);
      if (property.type === "array") {
        expect(["string", "integer"]).toContain(property.items?.type);
      }
      expect(Object.keys(property).filter((key) => !["type", "items", "description"].includes(key)))
        .toEqual([]);
    }
  });

  it("takes what its wire schema takes", async () => {
    const wire = z.fromJSONSchema(await schema() as never);
    expect(wire.safeParse(recorded).error).toBeUndefined();
    expect(tool.input.safeParse(recorded).error).toBeUndefined();
  });

  it("is strict: each argument missing, of another type, or too much is named [L-050]", async () => {
    const { properties, required = [] } = await schema();
    for (const argument of required) {
      const { [argument]: _, ...without } = recorded;
      const result = await callTool(tool, working, without);
      expect(result).toMatchObject({ ok: false, code: "argument", noEffect: true });
      expect(messageIn(result)).toContain(argument);
    }
    for (const argument of Object.keys(properties)) {
      const result = await callTool(tool, working, { ...recorded, [argument]: { a: 1 } });
      expect(messageIn(result)).toMatch(new RegExp(`^${argument} must be .*: this is an object$`));
    }
    const result = await callTool(tool, working, { ...recorded, nonsense: 1 });
    expect(messageIn(result)).toContain("has no argument nonsense");
  });

  it("gives what its output schema says, twice the same [L-045..L-047]", async () => {
    const result = await callTool(tool, working, recorded);
    expect(result.ok).toBe(true);
    const wire = wireResult(result) as {
      content: [{ text: string }];
      structuredContent: JsonValue;
    };
    expect(CallToolResultSchema.safeParse(wire).error).toBeUndefined();
    expect(tool.output?.safeParse(wire.structuredContent).error).toBeUndefined();
    expect(tool.output).toBeDefined();
    expect(JSON.stringify(parseJson(wire.content[0].text), bigintText))
      .toBe(JSON.stringify(sorted(wire.structuredContent), bigintText));
  });

  it("tells Pulse, sentence and status of what it signed [L-076]", async () => {
    if (tool.highestEffect !== "spend") return;
    const result = await callTool(tool, working, recorded);
    const value = (result.ok ? result.value : undefined) as { readonly settlement?: object };
    if ("settlement" in value) {
      // What was paid on the way is told by where the ledger has it.
      const sion = { pulse: expect.any(Number) as number };
      expect(value.settlement).toMatchObject({ transaction: HEX, extensions: { sion } });
      return;
    }
    expect(value).toMatchObject({
      pulse: expect.any(Number) as number,
      receipt: expect.stringMatching(/^(Done: .*; fee [\d.]+ USD\.|Failed \()/) as string,
      status: expect.anything() as unknown,
    });
  });

  it("honours cancelling before and during the call", async () => {
    const gone = AbortSignal.abort();
    const early = await callTool(tool, contextWith(working.client, gone), recorded);
    expect(early).toMatchObject({ ok: false, code: "cancelled", noEffect: true });

    const controller = new AbortController();
    const seen: (AbortSignal | undefined)[] = [];
    const aborted = (...args: { signal?: AbortSignal }[]): Promise<never> => {
      seen.push(args.find((arg) => arg?.signal)?.signal);
      controller.abort();
      return Promise.reject(new DOMException("aborted", "AbortError"));
    };
    // Each of its methods, and of what it groups, is itself; but it is no promise.
    const client: LedgerClient = new Proxy(aborted as unknown as LedgerClient, {
      get: (_target, method) => method === "then" ? undefined : client,
    });
    const during = await callTool(
      tool,
      contextWith(() => Promise.resolve(client), controller.signal),
      recorded,
    );
    expect(seen).toEqual([controller.signal]);
    expect(during).toMatchObject({ ok: false, code: "cancelled" });
  });

  it("tells what is thrown as a message, never as a stack", async () => {
    const client = (): Promise<never> => Promise.reject(new TypeError("x is undefined"));
    const result = await callTool(tool, contextWith(client), recorded);
    expect(result).toEqual({
      ok: false,
      code: "internal",
      message: `${name} failed inside: x is undefined`,
      noEffect: false,
    });
  });

  it("is annotated as what the reference has it do [L-056]", async () => {
    const reference = REFERENCE.find((one) => one.name === name);
    const { annotations } = await described as unknown as {
      annotations: Record<`${"readOnly" | "destructive" | "idempotent"}Hint`, boolean>;
    };
    const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
    expect(readOnlyHint).toBe(reference?.effect === "read");
    if (readOnlyHint) expect([destructiveHint, idempotentHint]).toEqual([false, true]);
    if (reference?.effect === "spend") expect(destructiveHint).toBe(true);
  });

  it("declares effects that fit together", () => {
    const input = tool.input.parse(recorded);
    expect(EFFECTS).toContain(tool.highestEffect);
    const effect = tool.effect?.(input, session) ?? tool.highestEffect;
    expect(EFFECTS.indexOf(effect)).toBeLessThanOrEqual(EFFECTS.indexOf(tool.highestEffect));
    if (tool.highestEffect === "read") expect(tool.repeatHarmless).toBe(true);
    if (tool.highestEffect === "spend") expect(tool.fromPrograms).toBe(false);
    if (tool.mainArgument !== undefined) expect(Object.keys(recorded)).toContain(tool.mainArgument);
    for (const target of tool.targets?.(input) ?? []) {
      expect(Object.values(recorded)).toContain(target.to);
    }
  });
});

function messageIn(result: Awaited<ReturnType<typeof callTool>>): string {
  return result.ok ? "" : result.message;
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function sorted(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)
      .map(([key, member]) => [key, sorted(member)]),
  );
}
