/** The tools of `sion mcp` as the reference has them, word for word and in its order. */
import { readFileSync } from "node:fs";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import type { Effect } from "#internal/mcp/mod.ts";

/** What the reference fixes of a tool. */
export interface ReferenceTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonValue;
  readonly effect: Effect;
}

/** All of them. */
export const REFERENCE = parseJson(
  readFileSync(new URL("../../fixtures/mcp/tools.json", import.meta.url), "utf8"),
) as unknown as readonly ReferenceTool[];
