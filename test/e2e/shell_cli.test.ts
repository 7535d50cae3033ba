/** `sion agent run --shell` as a program, on a devnet that is a program too. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../parts.ts";
import { programCommand } from "../programs.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

/** Longer than any test, and of this process alone. */
const SECONDS = 1_000_000 + process.pid;

let folder = "";
let home = "";
let devnet: Child;
let node = "";
let agent = "";

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", [...programCommand("sion"), ...words, "--home", home, "--node", node]);
}

function script(name: string, turns: readonly object[]): string {
  writeFileSync(join(folder, name), JSON.stringify(turns));
  return `script:${join(folder, name)}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-shell-cli-"));
  home = join(folder, ".sion");
  mkdirSync(join(folder, "work"));
  devnet = start([
    ...programCommand("sion"),
    "devnet",
    ...["--dir", join(folder, "devnet"), "--listen", "127.0.0.1:0"],
    ...["--insecure-signatures", "--json"],
  ]);
  await devnet.until(() => devnet.stdout().includes("\n"));
  node = (JSON.parse(devnet.stdout()) as { node: string }).node;
  const created = await sion("agent", "create", "alice", "coder", "--budget", "10", "--json");
  agent = (JSON.parse(created.stdout) as { agent: string }).agent;
});

afterAll(async () => {
  process.kill(devnet.process.pid as number, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** The specification's first example, as its script plays it. */
const PRIMES = [
  {
    calls: [{
      tool: "write_file",
      input: {
        path: "primes.py",
        content: "primes = [n for n in range(2, 60) if all(n % d for d in range(2, n))]\n" +
          "print(len(primes), 'primes below 60:', primes)\n",
      },
    }],
  },
  { calls: [{ tool: "shell", input: { command: "python3 primes.py" } }] },
  {
    calls: [{
      tool: "shell",
      input: {
        command: "id; echo home=$HOME; ls /root ~/.sion 2>&1; touch /usr/local/x 2>&1; ls",
      },
    }],
  },
  {
    calls: [{
      tool: "shell",
      input: {
        command:
          'python3 -c \'import urllib.request; urllib.request.urlopen("https://example.com", ' +
          "timeout=5)' 2>&1 | tail -n 1",
      },
    }],
  },
  { say: "There are 17 primes below 60; the script is primes.py in the workspace." },
];

const PRINTED = [
  '→ write_file {"content":"primes = [n for n in range(2, 60) if all(n % d for d in range(2, n))]\\n' +
  'print(len(primes), \'primes below 60:\', primes)\\n","path":"primes.py"}',
  "← wrote 117 bytes to primes.py",
  '→ shell {"command":"python3 primes.py"}',
  "← exit status 0",
  "--- stdout",
  "17 primes below 60: [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]",
  '→ shell {"command":"id; echo home=$HOME; ls /root ~/.sion 2>&1; touch /usr/local/x 2>&1; ls"}',
  "← exit status 0",
  "--- stdout",
  "uid=10001(sandbox) gid=10001(sandbox) groups=10001(sandbox)",
  "home=/workspace",
  "ls: cannot access '/root': No such file or directory",
  "ls: cannot access '/workspace/.sion': No such file or directory",
  "touch: cannot touch '/usr/local/x': Read-only file system",
  "primes.py",
  '→ shell {"command":"python3 -c \'import urllib.request; ' +
  'urllib.request.urlopen(\\"https://example.com\\", timeout=5)\' 2>&1 | tail -n 1"}',
  "← exit status 0",
  "--- stdout",
  "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
  "agent: There are 17 primes below 60; the script is primes.py in the workspace.",
];

describe.skipIf(!needs("bubblewrap", "an agent's shell, by the program"))("sion agent run", () => {
  const run = (...words: string[]): Promise<Ended> =>
    sion("agent", "run", "coder", agent, "--task", "Go.", ...words);

  test("--shell gives a shell in a sandbox [A-002 A-072..A-088 A-091 A-092 A-645]", async () => {
    const work = ["--workspace", join(folder, "work"), "--shell", "--autonomy", "L3"];
    const ran = await run("--model", script("shell.json", PRIMES), ...work);
    expect(ran.stderr).toBe("");
    const lines = ran.stdout.trimEnd().split("\n").map((line) => line.trimStart());
    const session = /^session ([0-9a-f]{16}) for agent/.exec(lines[0] ?? "")?.[1];
    expect(lines.slice(1)).toEqual([...PRINTED, `session ${session}: done`]);
    expect(ran.code).toBe(0);
  });

  test.skipIf(!needs("python", "programs over tools, by the program"))(
    "--shell gives programs over tools, and an answer the files that are shared " +
      "[A-193 A-194 A-199 A-220 C-221 C-233]",
    async () => {
      const tree = join(folder, "tree");
      mkdirSync(join(tree, "src", "deep"), { recursive: true });
      writeFileSync(join(tree, "src", "main.rs"), "unsafe fn a() {}\n");
      writeFileSync(join(tree, "src", "deep", "b.rs"), "fn b() { unsafe { a() } }\n");
      const code = 'total = 0\nfor path in tools.find_files(pattern="src/**/*.rs").split():\n' +
        '    text = tools.read_file(path=path)\n    total += text.count("unsafe")\n' +
        'print("unsafe:", total)\n';
      const model = script("count.json", [
        { calls: [{ tool: "run_code", input: { code } }] },
        { calls: [{ tool: "share_file", input: { path: "src/main.rs" } }] },
        { say: "Two." },
      ]);
      const ran = await run("--model", model, "--workspace", tree, "--shell", "--json");
      expect(ran.stderr).toBe("");
      const events = ran.stdout.trim().split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(
        events.filter(({ state }) => state === "ok").map(({ tool, text }) => [tool, text]),
      ).toEqual([
        ["run_code", "unsafe: 2"],
        ["share_file", "src/main.rs (17 bytes) goes to the person after your answer"],
      ]);
      expect(events.at(-1)).toMatchObject({ event: "done", said: "Two.", files: ["src/main.rs"] });
    },
  );

  test("refuses what a sandbox cannot be, before there is a session [A-132..A-136 A-138 A-144 A-145 A-647]", async () => {
    const model = script("say.json", [{ say: "Hi." }]);
    const work = ["--model", model, "--workspace", join(folder, "work"), "--shell"];
    const refused = (sentence: string) => ({ code: 1, stdout: "", stderr: `error: ${sentence}\n` });
    expect(await run(...work, "--sandbox-network", "sion-egress")).toMatchObject(
      refused("with bubblewrap the network is none, declared or host, not sion-egress"),
    );
    const above = ["--workspace", `${home}/..`, "--shell"];
    const [program, ...start] = programCommand("sion");
    const task = ["agent", "run", "coder", agent, "--task", "x", "--model", model];
    const options = ["--home", home, "--node", node];
    expect(
      await runWith(
        "",
        ["/usr/bin/env", `HOME=${folder}`, program, ...start, ...task, ...above, ...options],
      ),
    ).toMatchObject(refused(
      "the workspace ~/.sion/.. and ~/.sion (wallets, sessions, skills) overlap: " +
        "give a workspace apart from it",
    ));
    expect(await run(...work, "--sandbox-read", home)).toMatchObject(refused(
      `--sandbox-read ${home} would show ${home} (wallets, sessions, skills): ` +
        "give a folder apart from it",
    ));
    const docker = (image: string, ...words: string[]): Promise<Ended> =>
      run(...work.slice(0, -1), "--shell", `docker:${image}`, ...words);
    expect(await docker("alpine:3.20")).toMatchObject(
      refused("alpine:3.20 is not pinned by digest: give name@sha256:<64 hex digits>"),
    );
    const pinned = `alpine@sha256:${"d9".repeat(32)}`;
    for (const network of ["bridge", "host"]) {
      expect(await docker(pinned, "--sandbox-network", network)).toMatchObject(refused(
        `Docker's "${network}" network does not restrict where a command connects: ` +
          "name a network you set up",
      ));
    }
    expect(await run(...work, "--sandbox-timeout", "soon")).toMatchObject(refused(
      "--sandbox-timeout soon is no time: give seconds, 1 to 86400",
    ));
  });

  test("Ctrl-C ends a command that runs, and the session is kept [A-635]", async () => {
    const work = join(folder, "work");
    const command = "touch begun.txt; exec sleep 4321";
    const model = script("long.json", [
      { calls: [{ tool: "shell", input: { command } }] },
      { say: "It was cut off." },
    ]);
    const running = start([
      ...programCommand("sion"),
      ...["agent", "run", "coder", agent, "--task", "Wait.", "--model", model],
      ...["--workspace", work, "--shell", "--autonomy", "L3", "--home", home, "--node", node],
    ]);
    await expect.poll(() => existsSync(join(work, "begun.txt")), { timeout: 60_000 }).toBe(true);
    signalTo(running, "SIGINT");
    const { code, stdout, stderr } = await running.ended;
    const session = /^session ([0-9a-f]{16}) /.exec(stdout)?.[1] ?? "";
    expect([code, stderr]).toEqual([
      130,
      `error: session ${session} stopped: go on with ` +
      `\`sion agent continue ${session}\`\n`,
    ]);
    expect(stdout).toContain("exit status 137 (stopped: nobody waits for it any more)\n");
    expect((await sion("agent", "continue", session)).stdout).toContain("agent: It was cut off.\n");
  });

  test("a conversation whose process is killed goes on in the next, and what it ran is gone [A-066 A-594 A-634 A-635]", async () => {
    const work = join(folder, "work");
    const pay = { tool: "ledger_pay", input: { amount: "1", purpose: "invoice 9", to: "bob" } };
    const slow = { command: `echo ran >> ran.txt; exec sleep ${SECONDS}` };
    const model = script("killed.json", [
      { calls: [pay] },
      { calls: [{ tool: "shell", input: slow }] },
      { say: "Bob is paid; the command was cut off." },
      { say: "Still here." },
    ]);
    const talk: [string, ...string[]] = [
      ...programCommand("sion"),
      ...["agent", "talk", "coder", agent, "--model", model, "--workspace", work, "--shell"],
      ...["--autonomy", "L6", "--home", home, "--node", node],
    ];
    const killed = start(talk);
    killed.process.stdin.write("pay bob 1 USD and run it\n");
    await killed.until(() => killed.stdout().includes("→ shell"));
    await expect.poll(() => existsSync(join(work, "ran.txt"))).toBe(true);
    signalTo(killed, "SIGKILL");
    expect(await killed.ended).toMatchObject({ signal: "SIGKILL" });
    const session = /^session ([0-9a-f]{16}) /.exec(killed.stdout())?.[1];
    const left = () => commandLines().filter((line) => line.includes(`sleep ${SECONDS}`));
    await expect.poll(left).toEqual([]);
    const next = await runWith("/status\nare you there?\n", talk);
    expect(next).toMatchObject({ code: 0 });
    expect(next.stdout).toContain("cut off: /retry answers again\n");
    expect(next.stdout).toContain("agent: Bob is paid; the command was cut off.\n");
    expect(next.stdout).toContain("agent: Still here.\n");
    expect(next.stderr).toContain(`session ${session}: kept.`);
    expect(readFileSync(join(work, "ran.txt"), "utf8")).toBe("ran\n");
    const { stdout } = await sion("balance", "bob", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ balances: [{ amount: "10001" }] });
  });
});

/** The command lines of this machine's processes. */
function commandLines(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  });
}
