/** `--file`, against the real ledger behind a fake node. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { useBench } from "./bench.ts";

describe("--file", () => {
  const bench = useBench();

  it("sends files along with a task and with what is said later [C-204 C-207..C-210]", async () => {
    const created = await bench.sion(
      "agent",
      "create",
      "alice",
      "coder",
      "--budget",
      "10",
      "--json",
    );
    const { agent } = created.json() as { agent: string };
    const folder = mkdtempSync(join(tmpdir(), "sion-sent-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const at = (name: string) => join(folder, name);
    mkdirSync(at("work"));
    writeFileSync(at("turns.json"), JSON.stringify([{ say: "One." }, { say: "Two." }]));
    writeFileSync(at("cart.png"), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10));
    writeFileSync(at("notes.txt"), "a note");
    const options = ["--model", `script:${at("turns.json")}`, "--workspace", at("work")];
    const run = (...words: string[]) =>
      bench.sion("agent", "run", "coder", agent, "--task", "Look.", ...options, ...words);
    const ran = await run("--file", at("cart.png"), "--file", at("notes.txt"));
    expect(ran.code).toBe(0);
    const [, session = ""] = /^session ([0-9a-f]{16})/.exec(ran.stdout) ?? [];
    const said = await bench.sion(
      "agent",
      "continue",
      session,
      "--say",
      "And this.",
      "--file",
      at("notes.txt"),
    );
    expect(said.stdout).toContain("agent: Two.");
    const { stdout } = await bench.sion("agent", "trace", session);
    expect(stdout).toContain(
      "(A picture was sent, put in your workspace as inbox/cart.png: image/png, 8 bytes.)",
    );
    expect(stdout).toContain(
      "(A file was sent, put in your workspace as inbox/notes-2.txt: text/plain, 6 bytes.)",
    );
    expect(readFileSync(at("work/inbox/notes.txt"), "utf8")).toBe("a note");

    expect(await run("--file", at("none.png"))).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^error: there is no file .*none\.png: give another\n/),
    });
    expect((await run("--file", at("work"))).stderr).toMatch(/^error: .*work is a folder/);
    truncateSync(at("notes.txt"), 25_000_001);
    expect((await run("--file", at("notes.txt"))).stderr).toMatch(
      /^error: .*notes\.txt has 25\.0 MB: a file of at most 25 MB can be sent/,
    );
    const alone = await bench.sion("agent", "continue", session, "--file", at("cart.png"));
    expect(alone.stderr).toMatch(/^error: --file goes with --say: give both/);
  });
});
