/** Results that are too long for an answer: head, tail, and a name under which the agent reads on. */
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentTools, runAgent } from "#internal/agent/mod.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";
import { outsideTools } from "./_outside_tools.ts";

const LINES = Array.from({ length: 20_000 }, (_, n) => `line ${n + 1}`).join("\n");
const URL = "https://a.example/long";

async function run(
  turns: readonly Turn[],
  given: Record<string, string | boolean> = {},
  work = true,
) {
  const tools = [...agentTools, ...outsideTools({ [URL]: { text: LINES } })];
  const machine: TestMachine = testMachine({ tools });
  mkdirSync(join(machine.folder, "work"));
  const heard = hearing();
  const end = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: `Read ${URL}.`,
    models: [scriptOf(machine, turns)],
    who: "cli:root",
    autonomy: "L6",
    ...(work ? { workspace: "work" } : {}),
    given,
  }, heard.listener);
  const results = heard.events.flatMap((event) =>
    event.type === "tool" && (event.state === "ok" || event.state === "failed")
      ? [event.text ?? ""]
      : []
  );
  return { results, folder: join(machine.home, "agents", "outputs", end.session), machine };
}

const fetch = { calls: [{ tool: "fetch_url", input: { url: URL } }] };
const read = (path: string, offset: number, limit: number) => ({
  calls: [{ tool: "read_file", input: { path, offset, limit } }],
});

describe("a result that is too long", () => {
  test("is shown head and tail with its name, and read on under it, closed to others", async () => {
    const { results, folder } = await run([
      fetch,
      read("output:1.1", 10_000, 2),
      { say: "Read." },
    ]);
    expect(results[0]).toMatch(/^line 1\n/);
    expect(results[0]).toMatch(/\nline 20000$/);
    expect(results[0]).toMatch(
      /\n… \(\d+ characters left out; read_file output:1\.1 has all of it\) …\n/,
    );
    expect(results[0]?.length).toBeLessThan(65_536 + 100);
    expect(results[1]).toContain("10000\tline 10000\n");
    expect(readdirSync(folder)).toEqual(["1.1"]);
    expect([statSync(folder).mode & 0o077, statSync(join(folder, "1.1")).mode & 0o077]).toEqual([
      0,
      0,
    ]);
  });

  test("is not kept where the model is not to see it, nor without a workspace to read in", async () => {
    const held = await run([fetch, { say: "Read." }], { quarantine: true });
    expect(held.results[0]).not.toContain("line 1\n");
    expect(existsSync(held.folder)).toBe(false);
    const bare = await run([fetch, { say: "Read." }], {}, false);
    expect(bare.results[0]).toMatch(/… \(\d+ characters left out\) …/);
    expect(existsSync(bare.folder)).toBe(false);
  });

  test("is read, not written, and no other file is reached by its name", async () => {
    const { results, machine } = await run([
      fetch,
      { calls: [{ tool: "write_file", input: { path: "output:1.1", content: "mine" } }] },
      read("output:1.1", 2, 1),
      read("output:../../sessions.db", 1, 1),
      read("output:7.7", 1, 1),
      { say: "Read." },
    ]);
    expect(existsSync(join(machine.folder, "work", "output:1.1"))).toBe(true);
    expect(results[2]).toContain("2\tline 2\n");
    expect(results[3]).toMatch(/^(?!.*line).*output:/);
    expect(results[4]).toContain("there is no output:7.7");
  });
});
