/** Completion in a real bash: what it offers after what was typed. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commandPaths, loadCommands } from "../../internal/cli/commands/mod.ts";
import { completionScript } from "../../internal/cli/completion.ts";

describe("completionScript()", () => {
  let home: string;
  let env: Record<string, string> = {};
  beforeEach(() => {
    env = {};
  });
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "sion-completion-"));
    mkdirSync(join(home, "wallets"));
    writeFileSync(join(home, "wallets", "savings"), "");
    writeFileSync(join(home, "wallets", "salary"), "");
    mkdirSync(join(home, "agents", "profiles"), { recursive: true });
    writeFileSync(join(home, "agents", "profiles", "sales.json"), "");
    writeFileSync(join(home, "bash"), completionScript("bash", await loadCommands()));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  function offered(...words: string[]): string[] {
    const script = `source "$0"; COMP_WORDS=(sion "$@"); COMP_CWORD=$#; _sion; ` +
      'printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout, stderr } = spawnSync("bash", [
      "--norc",
      "-c",
      script,
      join(home, "bash"),
      ...words,
    ], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { SION_HOME: home, PATH: "/usr/bin:/bin", ...env },
    });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((line) => line !== "");
  }

  it.each([
    [["wal"], ["wallet"]],
    [["wallet", ""], ["import", "list", "new", "show"]],
    [["wallet", "s"], ["show"]],
    [["agent", "re"], ["resume", "revoke"]],
    [["pay", "sa"], ["salary", "savings"]],
    [["pay", "alice", "sav"], ["savings"]],
    [["pay", "al"], ["alice"]],
    [["pay", "alice", ""], ["alice", "bob", "carol", "dana", "salary", "savings"]],
    [["pay", "--valid-for", "10m", "sav"], ["savings"]],
    [["pay", "alice", "bob", ""], []],
    [["pay", "--o"], ["--offline"]],
    [["agent", "run", "x", "--autonomy", "L"], ["L0", "L1", "L2", "L3", "L4", "L5", "L6"]],
    [["completion", ""], ["bash", "fish", "zsh"]],
    [["charter", "create", "--payee", "sal"], ["salary"]],
    [["agent", "profile", "show", "sa"], ["sales"]],
    [["agent", "run", "--profile", ""], ["sales"]],
    [["agent", "talk", "sa"], ["salary", "sales", "savings"]],
    [["zzz", ""], []],
  ])("bash offers after %j: %j", (words, expected) => {
    expect(offered(...words).sort()).toEqual(expected);
  });

  it("bash offers a devnet's names only at a node of this machine", () => {
    expect(offered("pay", "al")).toEqual(["alice"]);
    env = { SION_NODE: "http://node.example:8400" };
    expect(offered("pay", "al")).toEqual([]);
  });

  it("bash offers every command at its place", () => {
    for (const path of commandPaths) {
      expect(offered(...path.split(" "))).toContain(path.split(" ").at(-1));
    }
  });

  it("fish and zsh get every command and option too", async () => {
    const commands = await loadCommands();
    const [fish, zsh] = [completionScript("fish", commands), completionScript("zsh", commands)];
    expect(zsh.startsWith("#compdef sion\n")).toBe(true);
    for (const path of commandPaths) {
      expect(fish).toContain(`-n '__sion_at ${path} --'`);
      expect(zsh).toContain(`"${path}") echo`);
    }
    expect(fish).toContain("complete -c sion -n '__sion_at pay --' -l valid-for -x");
  });
});
