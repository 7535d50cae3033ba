/** `sion pay --batch` as a program: killed in the middle and given again, it pays nothing twice. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programCommand } from "../programs.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

/** Parts of 128, 128 and 44. */
const PAYMENTS = 300;
/** Micro-USD: 128 members pay 300 + ⌈800/128⌉ each, 44 of them 300 + ⌈800/44⌉. */
const FEES = 256 * 307 + 44 * 319;

let folder = "";
let devnet: Child;
let node = "";

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", command(...words, "--node", node));
}

/** Micro-USD of an account. */
async function balanceOf(account: string): Promise<number> {
  const { stdout } = await sion("balance", account, "--json");
  const { balances } = JSON.parse(stdout) as { balances: { amount: string }[] };
  return Math.round(Number(balances[0]?.amount ?? 0) * 1e6);
}

/** A list of payments of 1, 2, 3 … thousandths of a USD, and what they come to. */
function listTo(payee: string): { readonly file: string; readonly sum: number } {
  const file = join(folder, `${payee}.csv`);
  const lines = Array.from({ length: PAYMENTS }, (_, at) => `${payee},${(at + 1) / 1000}`);
  writeFileSync(file, `# ${payee}\n${lines.join("\n")}\n`);
  return { file, sum: 1000 * PAYMENTS * (PAYMENTS + 1) / 2 };
}

/** Resolves once the program has written what matches. */
function saying(what: RegExp): (child: Child) => Promise<void> {
  return async (child) => await child.until(() => what.test(child.stdout()));
}

/** Gives a list again that was not told to its end: all its payments are told, each once. */
async function expectGoneOn(file: string): Promise<void> {
  const { code, stdout, stderr } = await sion("pay", "alice", "--batch", file);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error:")]);
  expect(stdout).toMatch(/\nmade 300 of 300 payments: 45\.15 USD, /);
  expect(stdout.match(/^Pulse \d+: Done: paid /gm)).toHaveLength(PAYMENTS);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-batch-"));
  devnet = start(
    command("devnet", "--listen", "127.0.0.1:0", "--json", "--insecure-signatures"),
  );
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node } = JSON.parse(devnet.stdout()) as { node: string });
});

afterAll(async () => {
  signalTo(devnet, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion pay --batch", () => {
  it("pays a list of three parts, with a fee for each share of a signature [L-095 L-096 L-573]", async () => {
    const { file, sum } = listTo("whole");
    const before = await balanceOf("alice");
    const { code, stdout } = await sion("pay", "alice", "--batch", file, "--json");
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as Record<string, unknown> & { payments: unknown[] };
    expect(told).toMatchObject({ succeeded: PAYMENTS, failed: 0, earlier: 0, paid: "45.15" });
    expect(told.payments).toHaveLength(PAYMENTS);
    expect(told["fees"]).toBe(String(FEES / 1e6));
    expect([await balanceOf("whole"), before - await balanceOf("alice")]).toEqual([
      sum,
      sum + FEES,
    ]);
  });

  it.each<[string, string, (child: Child) => Promise<void>]>([
    ["before it signed anything", "early", async () => {}],
    ["as it signs the first part", "first", saying(/ signs part 1 /)],
    ["as it signs the last part", "last", saying(/ signs part 3 /)],
  ])("killed with SIGKILL %s and given again, it pays once", async (_, payee, moment) => {
    const { file, sum } = listTo(payee);
    const before = await balanceOf("alice");
    const dying = start(command("pay", "alice", "--batch", file, "--node", node));
    await moment(dying);
    signalTo(dying, "SIGKILL");
    expect((await dying.ended).signal).toBe("SIGKILL");
    await expectGoneOn(file);
    expect(await balanceOf(payee)).toBe(sum);
    expect(before - await balanceOf("alice")).toBe(sum + FEES);
    const third = await sion("pay", "alice", "--batch", file);
    expect([third.code, third.stdout]).toEqual([1, ""]);
  });

  it("given again after its first receipt, killed or done by then, it pays once", async () => {
    const { file, sum } = listTo("receipt");
    const before = await balanceOf("alice");
    const dying = start(command("pay", "alice", "--batch", file, "--node", node));
    await saying(/^Pulse /m)(dying);
    // All receipts can come with one Pulse: then it may be done before the signal arrives.
    if (dying.process.exitCode === null) signalTo(dying, "SIGKILL");
    const { code } = await dying.ended;
    if (code === 0) {
      const again = await sion("pay", "alice", "--batch", file);
      expect(again.stderr).toMatch(/^error: alice made these 300 payments before, /m);
    } else {
      await expectGoneOn(file);
    }
    expect(await balanceOf("receipt")).toBe(sum);
    expect(before - await balanceOf("alice")).toBe(sum + FEES);
  });
});
