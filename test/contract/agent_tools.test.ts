/** What holds for every tool of an agent, whoever adds one. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { EFFECTS } from "#internal/mcp/mod.ts";
import { agentTools, inputSchemaOf } from "#internal/agent/mod.ts";
import type { AgentTool, AgentToolContext } from "#internal/agent/mod.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import { obliging } from "../agent/_ledger_stub.ts";
import { fakeLedger, testFolder } from "../agent/_machine.ts";
import { plainShell } from "../agent/_plain_shell.ts";
import { putSkill, skillsOn } from "../agent/_skills.ts";
import { plainWeb } from "../agent/web/_plain_web.ts";

const REFERENCE = readFileSync(
  new URL("../../docs/reference/agent-tools.md", import.meta.url),
  "utf8",
);

const MACHINE = {
  clock: { nowMs: () => 0 },
  random: (n: number) => new Uint8Array(n),
  env: {},
  home: "/nowhere",
  cwd: "/",
  readText: () => Promise.reject(new Error("there are no files")),
};

const SESSION = {
  id: "5".repeat(16),
  outside: [],
  services: { shell: plainShell(), skills: await skillsOn(MACHINE) },
};

/** An input that each tool takes. A tool that is not here fails the suite. */
const INPUTS: Readonly<Record<string, unknown>> = {
  apply_patch: { patch: "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-A\n+B\n" },
  ask_reader: { about: "1.1", answer: "yes_no", question: "Is it?" },
  diagnostics: {},
  edit_file: { new_string: "B", old_string: "A", path: "a.txt" },
  fetch_url: { url: "https://a.example/" },
  find_files: { pattern: "*.txt" },
  image_generate: { name: "b.txt", prompt: "A boat." },
  ledger_assess_claim: { claim: "e825c122", value: "1000" },
  ledger_balance: {},
  ledger_events: { from: 3 },
  ledger_fetch_paid: { max_usd: "0.5", url: "https://shop.example/a" },
  ledger_memory_commit: { log: "5bc688d4" },
  ledger_memory_list: {},
  ledger_memory_open: {},
  ledger_memory_recall: {
    frame: "hall",
    from_s: 0,
    log: "5bc688d4",
    max: [1, 1, 1],
    min: [0, 0, 0],
    until_s: 9,
  },
  ledger_memory_remember: { log: "5bc688d4", predicate: "open", subject: "door", value: "true" },
  ledger_pay: { amount: "1", purpose: "invoice 7", to: "bob" },
  ledger_task_attest: { output: "17", task: "5bc688d4" },
  ledger_task_list: { as: "poster" },
  ledger_task_post: { amount: "3", worker: "bob" },
  ledger_task_refund: { task: "5bc688d4" },
  ledger_task_settle: { result: "e825c122", task: "5bc688d4" },
  ledger_task_show: { task: "5bc688d4" },
  ledger_task_submit: { output: "17", task: "5bc688d4" },
  read_file: { path: "a.txt" },
  run_code: { code: "print(tools.read_file(path='a.txt'))" },
  run_tests: {},
  search_files: { pattern: "A" },
  share_file: { path: "a.txt" },
  shell: { command: "cat a.txt" },
  shell_job: {},
  skill_read: { name: "word-count" },
  skill_run: { args: ["notes.txt"], name: "word-count", script: "scripts/count.py" },
  skill_write: {
    content: "---\nname: greeting\ndescription: How to greet.\n---\nSay hello.\n",
    name: "greeting",
  },
  web_search: { query: "primes" },
  write_file: { content: "x", path: "b.txt" },
};

async function contextIn(folder: string, signal?: AbortSignal): Promise<AgentToolContext> {
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "work", "a.txt"), "A\n");
  putSkill({ home: folder }, "word-count");
  writeFileSync(join(folder, "work", "a.py"), "a = 1\n");
  writeFileSync(join(folder, "work", "Makefile"), "test:\n\techo tested\n");
  return {
    signal: signal ?? new AbortController().signal,
    session: SESSION.id,
    call: "1.1",
    outside: [],
    ledger: { ...fakeLedger(), ...obliging() },
    workspace: await openWorkspace(join(folder, "work")),
    services: {
      shell: plainShell(join(folder, "work")),
      web: plainWeb(),
      "image-model": {
        name: "openai:test",
        make: () => Promise.resolve(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)),
      },
      skills: await skillsOn({ ...MACHINE, home: folder }),
    },
    reader: () => Promise.resolve({ answer: "yes" }),
    programs: {
      tools: ["read_file"],
      call: () => Promise.resolve({ ok: true, text: "A" }),
      added: () => [],
    },
    note: () => {},
  };
}

function inputOf(tool: AgentTool): unknown {
  expect(Object.keys(INPUTS)).toContain(tool.name);
  return tool.input.parse(INPUTS[tool.name]);
}

describe.each(agentTools.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
  test("has a legal name, unique in its list, and says what it does", () => {
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(agentTools.filter((other) => other.name === name)).toHaveLength(1);
    expect(tool.description.length).toBeGreaterThan(20);
  });

  test("takes a strict object: an unknown key is refused, also one named like a prototype", () => {
    const schema = z.toJSONSchema(tool.input, { io: "input" }) as Record<string, unknown>;
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    const input = INPUTS[name] as object;
    expect(tool.input.safeParse({ ...input, approved: true }).success).toBe(false);
    const own = JSON.stringify(input).slice(1, -1);
    const polluted = `{"__proto__":{"autonomy":"L6"}${own === "" ? "" : `,${own}`}}`;
    expect(tool.input.safeParse(JSON.parse(polluted)).success).toBe(false);
  });

  test("describes every argument it takes, unless its name says it", () => {
    const schema = z.toJSONSchema(tool.input, { io: "input" }) as {
      properties?: Record<string, { description?: string }>;
    };
    for (const [key, { description }] of Object.entries(schema.properties ?? {})) {
      expect(description, key).toBeTypeOf("string");
    }
  });

  test("is in the reference with every argument, and what rules name it by is one of them", () => {
    const from = REFERENCE.indexOf(`\n## ${name}\n`);
    const to = REFERENCE.indexOf("\n## ", from + 1);
    const section = REFERENCE.slice(from, to === -1 ? undefined : to);
    expect(from).toBeGreaterThan(0);
    expect(section).toContain(tool.description);
    const { properties = {} } = inputSchemaOf(tool) as { properties?: Record<string, unknown> };
    for (const key of Object.keys(properties)) expect(section).toContain(`\n| \`${key}\` | `);
    if (tool.mainArgument !== undefined) {
      expect(Object.keys(properties)).toContain(tool.mainArgument);
    }
  });

  test("declares the most it can do, and no call does more [A-009 A-052]", () => {
    expect(EFFECTS).toContain(tool.highestEffect);
    const effect = tool.effect?.(inputOf(tool), SESSION) ?? tool.highestEffect;
    expect(EFFECTS.indexOf(effect)).toBeLessThanOrEqual(EFFECTS.indexOf(tool.highestEffect));
  });

  test("names where money goes and how much, and the files it uses", () => {
    const input = inputOf(tool);
    if (tool.highestEffect === "spend") {
      const targets = tool.targets?.(input) ?? [];
      expect(targets.length).toBeGreaterThan(0);
      for (const { to, amount } of targets) expect([to, amount]).not.toContain(undefined);
      expect(tool.repeatHarmless).toBe(false);
      expect(tool.fromPrograms).toBe(false);
    }
    if (/_file$|_patch$/.test(name)) expect(tool.paths?.(input)).toHaveLength(1);
  });

  test("answers a call with text, and a refusal with a code and a sentence", async () => {
    const context = await contextIn(testFolder());
    const result = await tool.run(context, inputOf(tool));
    expect(result.ok).toBe(true);
    if (result.ok) expect(result.text).not.toBe("");
    if (tool.paths !== undefined) {
      const elsewhere = JSON.stringify(INPUTS[name]).replaceAll(/\b[ab]\.txt/g, "../../etc/passwd");
      const refused = await tool.run(context, tool.input.parse(JSON.parse(elsewhere)));
      expect(refused).toMatchObject({ ok: false, code: "outside", noEffect: true });
    }
  });
});
