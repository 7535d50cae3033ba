/** A workspace for tests of the tools that work in it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentTool, AgentToolContext } from "#internal/agent/mod.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import type { Workspace } from "../../internal/agent/workspace.ts";
import { fakeLedger, testFolder } from "./_machine.ts";

/** A workspace and what is done in it. */
export interface TestWorkspace {
  readonly folder: string;
  readonly workspace: Workspace;
  readonly context: AgentToolContext;
  /** What was noted of the calls. */
  readonly notes: { readonly [name: string]: unknown }[];
  /** What the model is told of a call. */
  call(tool: AgentTool, input: unknown): Promise<string>;
  /** What a file holds. */
  text(name: string): string;
  /** Every file there and what it holds. */
  all(): Record<string, string>;
}

/** Makes a workspace with these files in it. */
export async function workspaceWith(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<TestWorkspace> {
  const folder = join(testFolder(), "work");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const workspace = await openWorkspace(folder);
  const notes: { readonly [name: string]: unknown }[] = [];
  const context: AgentToolContext = {
    signal: new AbortController().signal,
    session: "5".repeat(16),
    call: "1.1",
    outside: [],
    ledger: fakeLedger(),
    workspace,
    services: {},
    note: (note) => void notes.push(note),
  };
  return {
    folder,
    workspace,
    context,
    notes,
    async call(tool, input) {
      const result = await tool.run(context, tool.input.parse(input));
      return result.ok ? result.text : `✗ ${result.code}: ${result.message}`;
    },
    text: (name) => readFileSync(join(folder, name), "utf8"),
    all: () =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
          .sort()
          .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
      ),
  };
}
