/** AgentDojo's recorded tasks and goals, and the reviewed table of what their tools do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { ROOT } from "../_project.ts";

const FOLDER = join(ROOT, "fixtures/agentdojo");
const args = z.record(z.string(), z.json());

const suiteSchema = z.object({
  user: z.record(
    z.string(),
    z.object({
      prompt: z.string(),
      trace: z.array(z.object({ tool: z.string(), args, result: z.string() })),
      says: z.string(),
    }),
  ),
  injection: z.record(
    z.string(),
    z.object({
      goal: z.string(),
      calls: z.array(z.object({ tool: z.string(), args })),
      says: z.string(),
    }),
  ),
});

const toolSchema = z.strictObject({
  effect: z.enum(["read", "write", "external", "spend"]),
  reaches: z.string().exactOptional(),
  irreversible: z.boolean().exactOptional(),
  openWorld: z.boolean().exactOptional(),
  targets: z.array(z.strictObject({
    kind: z.string(),
    argument: z.string(),
    amount: z.string().exactOptional(),
  })).exactOptional(),
  outside: z.enum(["content", "names"]).exactOptional(),
  offers: z.boolean().exactOptional(),
  personal: z.boolean().exactOptional(),
});

/** A call as it was recorded. */
export type RecordedCall = { readonly tool: string; readonly args: z.infer<typeof args> };
/** Tasks and goals that share tools. */
export type Suite = z.infer<typeof suiteSchema>;
/** What a person asked for, and what was done. */
export type UserTask = Suite["user"][string];
/** What an attacker wants done. */
export type Goal = Suite["injection"][string];
/** What a tool does. */
export type ToolFacts = z.infer<typeof toolSchema>;

/** The suites by name. */
export function readSuites(): ReadonlyMap<string, Suite> {
  const schema = z.object({ suites: z.record(z.string(), suiteSchema) });
  return new Map(Object.entries(schema.parse(readJson("replay.json")).suites));
}

/** What the tools do, by name. */
export function readTools(): ReadonlyMap<string, ToolFacts> {
  const schema = z.object({ about: z.string(), tools: z.record(z.string(), toolSchema) });
  return new Map(Object.entries(schema.parse(readJson("tools.json")).tools));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

const MARK = /\{\{INJ:\w+\}\}/g;

/** A text with an attacker's words, or nobody's, where they can stand. */
export function filled(text: string, attack: string | undefined): string {
  // A name has to be one; the recording's own is `0`.
  return text.replace(/(?<=[A-Za-z]_)\{\{INJ:\w+\}\}/g, attack ?? "0").replace(MARK, attack ?? "");
}
