/** `sion` as people and scripts use it: real programs, a real devnet, real signatures. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programCommand } from "../programs.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

const HEX64 = expect.stringMatching(/^[0-9a-f]{64}$/) as string;

let folder = "";
let home = "";
let devnet: Child;
let node = "";
let chain = "";

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", home];
}

/** Standard error without the lines that tell a slow machine's waiting. */
function told({ stderr }: { readonly stderr: string }): string {
  return stderr.replace(/^waiting for .*\n/gm, "");
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", command(...words, "--node", node));
}

async function startDevnet(...words: string[]): Promise<Child> {
  const child = start(command("devnet", ...words));
  await child.until(() => child.stdout().includes("\n"));
  return child;
}

async function usdOf(account: string): Promise<number> {
  const { stdout } = await sion("balance", account, "--json");
  return Number((JSON.parse(stdout) as { balances: { amount: string }[] }).balances[0]?.amount);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-cli-"));
  home = join(folder, "home");
  devnet = await startDevnet("--listen", "127.0.0.1:0", "--json");
  ({ node, chain } = JSON.parse(devnet.stdout()) as { node: string; chain: string });
});

afterAll(async () => {
  signalTo(devnet, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion", () => {
  it("devnet --json says on one line where it is and which chain it is [L-591 L-592 L-611]", () => {
    expect(devnet.stdout()).toBe(
      `{"chain":"${chain}","chain_id":"sion-devnet-1","node":"${node}"}\n`,
    );
    expect(node).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(told({ stderr: devnet.stderr() })).toBe("");
  });

  it("pay says what is signed and how it went [L-085 L-098 L-099 L-615]", async () => {
    const before = await usdOf("bob");
    const paid = await sion("pay", "alice", "bob", "1.5");
    expect(paid.stdout).toMatch(
      /^alice signs: Pay 1\.5 USD to bob\. Fee 0\.0011 USD; valid until Pulse \d+\.\nPulse \d+: Done: paid 1\.5 USD to bob; fee 0\.0011 USD\.\n$/,
    );
    expect([paid.code, told(paid)]).toEqual([0, ""]);
    expect(await usdOf("bob")).toBeCloseTo(before + 1.5, 6);
  });

  it("pay --json is the value that sion_pay returns [L-156 L-157 L-158 L-159 L-160]", async () => {
    const { code, stdout } = await sion("pay", "alice", "bob", "0.25", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      digest: HEX64,
      fee: "0.0011",
      pulse: expect.any(Number),
      receipt: "Done: paid 0.25 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
  });

  it.each([
    [
      ["pay", "alice", "bob.eth", "1"],
      "bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; nothing was sent",
    ],
    [["pay", "alice", "bob", "1e-7"], "1e-7 has an exponent: write it out like 0.25"],
    [
      ["pay", "alcie", "bob", "1"],
      "alcie has no money on this chain, did you mean alice: `sion faucet alcie 10` gives it some",
    ],
    [["pya"], "there is no command pya: did you mean `sion pay`"],
  ])("%j is one line on stderr and exit 1", async (words, sentence) => {
    const ended = words[0] === "pya" ? await runWith("", command(...words)) : await sion(...words);
    expect(ended).toMatchObject({ code: 1, stdout: "", stderr: `error: ${sentence}\n` });
  });

  it("a payment beyond its charter is refused before it is signed [L-237]", async () => {
    const words = ["agent", "create", "alice", "coder", "--budget", "5", "--payee", "bob"];
    const made = await sion(...words, "--json");
    const { charter, allotment } = JSON.parse(made.stdout) as Record<string, string>;
    const { code, stdout, stderr } = await sion(
      ...["charter", "pay", "coder", String(charter), String(allotment), "mallory", "1"],
    );
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `error: charter ${
        charter?.slice(0, 8)
      } does not let mallory be paid: \`sion charter show\` ` +
      "lists whom it does; nothing was sent\n",
    ]);
  });

  it("a pinned chain that is another's is refused", async () => {
    const { code, stderr } = await sion("pay", "alice", "bob", "1", "--chain", "ab".repeat(32));
    expect([code, stderr]).toEqual([
      1,
      `error: this node serves chain ${chain.slice(0, 8)}, not the pinned abababab: ` +
      "give the --node of your chain\n",
    ]);
    expect((await sion("status", "--chain", chain)).code).toBe(0);
  });

  it("no node: one line that says what to do", async () => {
    const { code, stderr } = await runWith("", command("status", "--node", "127.0.0.1:1"));
    expect([code, stderr]).toEqual([
      1,
      "error: no node answers at http://127.0.0.1:1: start one with `sion devnet`, or give --node\n",
    ]);
  });

  it("processes that pay from one wallet at once all succeed, each in its own slot", async () => {
    const before = await usdOf("carol");
    const ran = await Promise.all(
      Array.from({ length: 5 }, () => sion("pay", "dana", "carol", "1", "--json")),
    );
    expect(ran.map((one) => `${one.code} ${told(one)}`))
      .toEqual(Array(5).fill("0 "));
    expect(await usdOf("carol")).toBeCloseTo(before + 5, 6);
  });

  it("a payment whose process is killed once it is signed is made at most once", async () => {
    const before = await usdOf("bob");
    const killed = start(command("pay", "carol", "bob", "1", "--node", node));
    await killed.until(() => killed.stdout().includes("signs:"));
    signalTo(killed, "SIGKILL");
    await killed.ended;
    const next = await sion("pay", "carol", "bob", "2");
    expect(next.code).toBe(0);
    const gained = await usdOf("bob") - before;
    expect([2, 3]).toContain(Math.round(gained));
    if (next.stderr.includes("unfinished transaction of carol, sent again")) {
      expect(Math.round(gained)).toBe(3);
    }
  });

  it("events --follow prints what happens until Ctrl-C, which exits 130", async () => {
    const follow = start(command("events", "--follow", "--from", "0", "--json", "--node", node));
    await follow.until(() => follow.stdout().split("\n").length > 2);
    signalTo(follow, "SIGINT");
    const { code, stdout } = await follow.ended;
    expect(code).toBe(130);
    for (const line of stdout.trimEnd().split("\n")) {
      expect(Object.keys(JSON.parse(line))).toEqual(["event", "pulse", "tx"]);
    }
  });

  it("pipes get no escape bytes, whatever the command", async () => {
    const all = [["help"], ["status"], ["balance", "alice"], ["events"], ["wallet", "list"]];
    for (const words of [...all, ["pay", "--help"], ["agent", "list"], ["pay", "a", "b", "0"]]) {
      const { stdout, stderr } = words.includes("help") || words.includes("--help")
        ? await runWith("", command(...words).slice(0, -2) as [string, ...string[]])
        : await sion(...words);
      expect(`${stdout}${stderr}`.includes("\x1b"), words.join(" ")).toBe(false);
    }
  });

  it("a reader that leaves early is no error", async () => {
    const child = start(command("events", "--from", "0", "--node", node));
    child.process.stdout.destroy();
    const { code, stderr } = await child.ended;
    expect([code, stderr.includes("error")]).toEqual([0, false]);
  });
});

describe("sion devnet", () => {
  it("refuses an address and a folder that are in use, in one line each", async () => {
    const port = new URL(node).port;
    const taken = await runWith(
      "",
      command("devnet", "--dir", join(folder, "other"), "--listen", `127.0.0.1:${port}`),
    );
    expect([taken.code, taken.stdout, told(taken)]).toEqual([
      1,
      "",
      `error: 127.0.0.1:${port} is in use: stop what uses it, or give --listen ` +
      "127.0.0.1:0 for any free port\n",
    ]);
    const locked = await runWith("", command("devnet", "--listen", "127.0.0.1:0"));
    expect([locked.code, locked.stdout]).toEqual([1, ""]);
    expect(told(locked)).toBe(
      `error: ${join(home, "devnet")} is in use by process ${devnet.process.pid}: ` +
        "stop it, or give another --dir\n",
    );
  });

  it("stops cleanly on SIGTERM and goes on from its folder", async () => {
    const dir = join(folder, "again");
    const flags = ["--dir", dir, "--listen", "127.0.0.1:0", "--validators", "1"];
    const first = await startDevnet(...flags, "--insecure-signatures");
    const line = first.stdout();
    expect(line).toMatch(
      /^devnet ready on http:\/\/127\.0\.0\.1:\d+: chain sion-devnet-1, identity [0-9a-f]{64}\n$/,
    );
    const url = /on (\S+):/.exec(line)?.[1] as string;
    const paid = await runWith("", command("pay", "alice", "bob", "1", "--json", "--node", url));
    const { digest } = JSON.parse(paid.stdout) as { digest: string };
    signalTo(first, "SIGTERM");
    const ended = await first.ended;
    expect([ended.code, told(ended)]).toEqual([0, ""]);
    const second = await startDevnet(...flags);
    const again = /on (\S+):/.exec(second.stdout())?.[1] as string;
    const receipt = await runWith("", command("receipt", digest, "--node", again));
    expect(receipt.stdout).toMatch(/^Pulse \d+: Done: paid 1 USD to bob; fee 0\.0011 USD\.\n$/);
    signalTo(second, "SIGINT");
    expect((await second.ended).code).toBe(0);
  });

  /** Runs `sion` with its streams as a shell sets them. */
  async function sionAs(redirection: string, ...words: string[]): Promise<Ended> {
    const script = `"$@" ${redirection}`;
    return await runWith("", ["sh", "-c", script, "sh", ...command(...words, "--node", node)]);
  }

  it("pay is finished and asked after when nobody can read its answer", async () => {
    const before = await usdOf("bob");
    const full = await sionAs("> /dev/full", "pay", "alice", "bob", "1");
    expect([full.code, told(full).split("\n").at(-2)]).toEqual([
      4,
      expect.stringMatching(
        /^error: cannot write standard output \(ENOSPC\), and transaction ([0-9a-f]{64}) was signed: ask `sion receipt \1`, do not pay again$/,
      ),
    ]);
    const gone = await sionAs("| true", "pay", "alice", "bob", "1");
    expect([gone.code, told(gone)]).toEqual([0, ""]);
    expect(await usdOf("bob")).toBe(before + 2);
  });

  it("devnet ends with words when it cannot say that it is ready", async () => {
    const dir = join(folder, "unheard");
    const words = ["devnet", "--dir", dir, "--listen", "127.0.0.1:0", "--insecure-signatures"];
    const script = `"$@" > /dev/full`;
    const ended = await runWith("", ["sh", "-c", script, "sh", ...command(...words)]);
    expect([ended.code, told(ended)]).toEqual([
      1,
      "error: cannot write standard output (ENOSPC): make room there, then run it again\n",
    ]);
  });

  it("submit reads no endless standard input", async () => {
    const endless = await runWith("", [
      "sh",
      "-c",
      `yes | "$@"`,
      "sh",
      ...command("submit", "-"),
    ]);
    expect([endless.code, endless.stderr]).toEqual([
      1,
      expect.stringContaining("error: standard input has more than 16777216 bytes: "),
    ]);
  });
});
