/** What `sion agent run` does about a project's own instructions. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostOptions, Ran } from "./bench.ts";
import { useBench } from "./bench.ts";

describe("sion agent run in a folder with AGENTS.md", () => {
  const bench = useBench();
  let work = "";
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), "sion-project-"));
    mkdirSync(join(work, "sub"));
    writeFileSync(join(work, "AGENTS.md"), "Use tabs.\n\u001b[2J\n");
  });
  afterEach(() => rmSync(work, { recursive: true, force: true }));

  async function run(host: Partial<HostOptions>, ...words: string[]): Promise<Ran> {
    if (!(await bench.sion("agent", "list", "--json")).stdout.includes('"coder"')) {
      await bench.sion("agent", "create", "alice", "coder", "--budget", "10");
    }
    writeFileSync(join(bench.home, "s.json"), JSON.stringify([{ say: "Done." }]));
    const model = `script:${join(bench.home, "s.json")}`;
    const given = ["--task", "x", "--model", model, "--workspace", work, ...words];
    return await bench.sionIn(host, "agent", "run", "coder", "coder", ...given);
  }

  it("does not take it without a terminal, and says how to", async () => {
    const { stderr, code } = await run({});
    expect(stderr).toBe(
      "AGENTS.md of the workspace is not taken: give --trust-project, or say yes to it at a " +
        "terminal\n",
    );
    expect(code).toBe(0);
    expect((await run({}, "--trust-project")).stderr).toBe("");
  });

  it("shows it at a terminal the first time, and asks again only when it changed", async () => {
    const first = await run({ tty: true, hidden: "n" });
    expect(first.stderr).toContain("AGENTS.md:\n  Use tabs.\n  ");
    expect(first.stderr).not.toContain("\u001b[2J");
    expect(first.stderr).toContain("Take them, as long as they stay so? y or n: ");
    expect(first.stderr).toContain("they are not taken\n");
    expect((await run({ tty: true, hidden: "y" })).stderr).not.toContain("Take them");
    writeFileSync(join(work, "AGENTS.md"), "Use spaces.\n");
    expect((await run({ tty: true, hidden: "y" })).stderr).toContain(
      "they are taken from now on\n",
    );
    expect((await run({})).stderr).toBe("");
  });
});
