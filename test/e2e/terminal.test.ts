/** The programs at a real terminal, which tmux is: what only a person sees there, and Ctrl-C. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { skillFixture } from "../agent/_skills.ts";
import { needs, partPath } from "../parts.ts";
import { programCommand } from "../programs.ts";

/** Longest to wait for something to show on the screen: then the test says what shows, before it is ended. */
const SHOW_LIMIT_MS = 170_000;
/** Keys that come sooner after a question are no answer to it. */
const GRACE_MS = 500;

const here = needs("tmux", "what the programs show at a terminal, and Ctrl-C there");

let folder = "";

function tmux(...args: string[]): string {
  const socket = ["-S", join(folder, "tmux"), "-f", "/dev/null"];
  return execFileSync(partPath("tmux"), [...socket, ...args], { encoding: "utf8" });
}

/** The screen as text; lines that the width wrapped are whole. */
const screen = (...args: string[]): string => tmux("capture-pane", "-p", "-J", ...args);

async function shows(what: string | RegExp): Promise<string> {
  const endMs = Date.now() + SHOW_LIMIT_MS;
  const found = (text: string): boolean =>
    typeof what === "string" ? text.includes(what) : what.test(text);
  for (;;) {
    const text = screen();
    // What an earlier command left on the screen shows nothing of this one.
    hasBegun ||= text.split("\n").some((line) => line.trim() === `begin ${typed}`);
    if (hasBegun && found(text)) return text;
    if (Date.now() > endMs) throw new Error(`the screen does not show ${what}:\n${text}`);
    await sleep(50);
  }
}

/** A shell whose sion keeps its state in the folder and talks to the node. */
function shellIn(place: string, node = ""): string {
  const talksTo = node === "" ? "" : ` SION_NODE='${node}'`;
  return `env -u NO_COLOR -u CI SION_HOME='${place}/home'${talksTo} PS1='$ ' sh`;
}

/**
 * Types a command of sion on a cleared screen. Returns how its end is announced there with an
 * exit code, by a word that no earlier command announced its own with.
 */
function type(...words: string[]): (code: number) => RegExp {
  const command = [...programCommand("sion"), ...words].map((word) => `'${word}'`).join(" ");
  typed += 1;
  hasBegun = false;
  const mark = `end ${typed} with`;
  tmux("send-keys", "-l", `clear; echo "begin ${typed}"; ${command}; echo "${mark} $?"`);
  tmux("send-keys", "Enter");
  return (code) => new RegExp(`${mark} ${code}$`, "m");
}

let typed = 0;
/** Whether the screen has shown what was typed last begin. */
let hasBegun = true;

describe.skipIf(!here)("sion at a terminal", () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sion-terminal-"));
    const shell = `env -u NO_COLOR -u CI SION_HOME='${folder}/home' SION_KEYRING=off PS1='$ ' sh`;
    tmux("new-session", "-d", "-x", "160", "-y", "50", shell);
  });

  afterEach(() => {
    tmux("kill-server");
    rmSync(folder, { recursive: true, force: true });
  });

  it("devnet says what to do next, and Ctrl-C stops it cleanly", async () => {
    const ends = type("devnet", "--listen", "127.0.0.1:0", "--dir", join(folder, "devnet"));
    const text = await shows("Ctrl-C stops it");
    expect(text).toMatch(/^devnet ready on http:\/\/127\.0\.0\.1:\d+: chain sion-devnet-1, /m);
    expect(text).toMatch(/^ {2}sion faucet alice 100 /m);
    tmux("send-keys", "C-c");
    await shows(ends(0));
  });

  it("mcp says on the terminal what it speaks, and ends at end of input", async () => {
    const ends = type("mcp", "--node", "http://127.0.0.1:8409");
    const text = await shows("Ctrl-D ends it.");
    expect(text).toContain(
      "sion mcp --node http://127.0.0.1:8409 speaks the Model Context Protocol",
    );
    expect(text).toContain('"http://127.0.0.1:8409"\n');
    expect(text).toContain(`"env": {\n        "SION_HOME": "${folder}/home"\n`);
    tmux("send-keys", "C-d");
    await shows(ends(0));
  });

  it("an error is red at a terminal, and plain with NO_COLOR", async () => {
    await shows(type("pay", "alice")(1));
    expect(screen("-e")).toMatch(/\[31m[^\n]*error:/);
    tmux("send-keys", "-l", "export NO_COLOR=1");
    tmux("send-keys", "Enter");
    await shows(type("pay", "alice")(1));
    expect(screen("-e")).not.toContain("[31m");
  });

  it("agent credential add takes a value that is typed and not shown [A-586]", async () => {
    const ends = type("agent", "credential", "add", "OPENAI_API_KEY");
    await shows("OPENAI_API_KEY (not shown): ");
    tmux("send-keys", "-l", "sk-typ");
    tmux("send-keys", "BSpace", "C-u");
    tmux("send-keys", "-l", "sk-0123456789x");
    tmux("send-keys", "BSpace", "Enter");
    const text = await shows(ends(0));
    expect(text).toContain("kept OPENAI_API_KEY, encrypted; its key is in ");
    expect(text).not.toContain("sk-");
    const { openCredentials } = await import("#internal/store/mod.ts");
    const random = () => new Uint8Array(12);
    expect(await openCredentials(join(folder, "home"), { random }).all()).toEqual([
      { name: "OPENAI_API_KEY", secret: true, value: "sk-0123456789" },
    ]);
    const stopped = type("agent", "credential", "add", "OTHER");
    await shows("OTHER (not shown): ");
    tmux("send-keys", "C-c");
    await shows(stopped(130));
    tmux("send-keys", "-l", "echo 'the terminal' shows again");
    await shows("echo 'the terminal' shows again");
  });

  it("skill install shows what a release may do and installs it after a y, nothing after another answer [A-285]", async () => {
    const file = join(folder, "a.skill.tar");
    await shows(type("skill", "pack", skillFixture("word-count"), "--out", file)(0));
    const declined = type("skill", "install", file);
    expect(await shows("install word-count, and grant it that? [y/N]")).toContain(
      "script scripts/count.py (/usr/bin/env python3)",
    );
    tmux("send-keys", "Enter");
    expect(await shows(declined(6))).toContain("nothing was installed");
    const ends = type("skill", "install", file);
    await shows("[y/N]");
    tmux("send-keys", "-l", "y");
    tmux("send-keys", "Enter");
    expect(await shows(ends(0))).toContain("installed word-count, release ");
    await shows(type("skill", "remove", "word-count")(0));
  });

  it("agent talk shows what the agent does, asks by one key, and keeps the session [A-634]", async () => {
    const started = type("devnet", "--listen", "127.0.0.1:0", "--dir", join(folder, "devnet"));
    const ready = await shows("Ctrl-C stops it");
    const node = /devnet ready on (\S+):/.exec(ready)?.[1] ?? "";
    tmux("new-window", shellIn(folder, node));
    await shows(type("faucet", "alice", "1000")(0));
    const create = ["agent", "create", "alice", "coder", "--budget", "100", "--payee", "bob"];
    await shows(type(...create)(0));
    mkdirSync(join(folder, "work"));
    writeFileSync(join(folder, "work", "cart.py"), "def total(items):\n    return sum(items)\n");
    const edit = { path: "cart.py", old_string: "sum(items)", new_string: "sum(items) * 1.2" };
    const turns = [
      { say: "I **add** the tax.", calls: [{ tool: "edit_file", input: edit }] },
      {
        calls: [{ tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } }],
      },
      { say: "It costs too much, I see." },
    ];
    writeFileSync(join(folder, "turns.json"), JSON.stringify(turns));
    const model = `script:${join(folder, "turns.json")}`;
    const talk = ["agent", "talk", "coder", "coder", "--model", model];
    const left = type(...talk, "--workspace", join(folder, "work"), "--autonomy", "L2");
    await shows("100 USD left · nothing from outside · /help");
    tmux("send-keys", "-l", "add the tax, pay bob 1");
    tmux("send-keys", "Enter");
    const asked = await shows("y once   n decline and say why   s always edit_file(");
    expect(asked).toContain("you: add the tax, pay bob 1\nagent: I add the tax.\n → edit_file {");
    expect(asked).toMatch(/\n {2}-\s+return sum\(items\)\n {2}\+\s+return sum\(items\) \* 1\.2\n/);
    expect(asked).toContain("waiting for you: edit_file (writing at autonomy L2; request ");
    tmux("resize-window", "-x", "100", "-y", "40");
    await shows("y once   n decline");
    tmux("send-keys", "Enter", "Escape", "x");
    await sleep(GRACE_MS);
    tmux("send-keys", "y");
    await shows("changed 1 line of cart.py");
    const paid = await shows("It costs too much, I see.");
    expect(paid).toContain("spending is refused at autonomy L2");
    // A row of the screen may end between two of these words.
    expect(paid).toMatch(/\(approved\s+by cli:/);
    tmux("send-keys", "C-c");
    await shows("Ctrl-C again, or Ctrl-D, leaves");
    tmux("send-keys", "C-c");
    expect(await shows(left(0))).toMatch(
      /session [0-9a-f]{16}: kept\. Go on with `sion agent talk/,
    );
    const back = type("agent", "talk", "coder", "coder");
    const again = await shows("/ and Tab list commands");
    expect(again).toMatch(/you: add the tax, pay bob 1\nagent: I add the tax\.\n/);
    expect(again).toContain("It costs too much, I see.\n");
    tmux("send-keys", "-l", "/quit");
    tmux("send-keys", "Enter");
    await shows(back(0));
    // Typed ahead, while the terminal still reads lines: Enter is Enter all the same.
    const ahead = type("agent", "talk", "coder", "coder");
    tmux("send-keys", "-l", "/quit");
    tmux("send-keys", "Enter");
    await shows(ahead(0));
    tmux("send-keys", "-l", "echo the terminal is 'as before'");
    tmux("send-keys", "Enter");
    await shows("\nthe terminal is as before");
    tmux("select-window", "-t", ":0");
    tmux("send-keys", "C-c");
    await shows(started(0));
  });
});
