/** What a command comes to whose answer cannot be written. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readAtMost, readPathAtMost } from "../../internal/cli/standard_input.ts";
import { useBench } from "./bench.ts";

describe("sion with a standard output that fails", () => {
  const bench = useBench();
  const paid = async (): Promise<bigint> => bench.chain.balance(await bench.chain.accountOf("bob"));

  it("pay finishes on a full disk, and says with exit 4 what was signed [L-097]", async () => {
    const { code, stderr } = await bench.sionIn({ broken: "ENOSPC" }, "pay", "alice", "bob", "1.5");
    expect(await paid()).toBe(10_001_500_000n);
    const [digest] = bench.chain.receipts.keys();
    expect([code, stderr]).toEqual([
      4,
      `error: cannot write standard output (ENOSPC), and transaction ${digest} was signed: ` +
      `ask \`sion receipt ${digest}\`, do not pay again\n`,
    ]);
  });

  it("pay finishes when its reader has gone, with its own exit code [L-097]", async () => {
    const { code, stderr } = await bench.sionIn({ broken: "EPIPE" }, "pay", "alice", "bob", "1.5");
    expect(await paid()).toBe(10_001_500_000n);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("what signs nothing says that nobody got its answer", async () => {
    for (const words of [["balance", "alice"], ["help"], ["--version"]]) {
      const { code, stderr } = await bench.sionIn({ broken: "ENOSPC" }, ...words);
      expect([words, code, stderr]).toEqual([
        words,
        1,
        expect.stringMatching(
          /^error: cannot write standard output \(ENOSPC\): make room there, then run it again$/m,
        ),
      ]);
    }
  });

  it("events --follow ends with its reader", async () => {
    await bench.sion("pay", "alice", "bob", "1");
    const follow = ["events", "--from", "0", "--follow"];
    expect((await bench.sionIn({ broken: "EPIPE" }, ...follow)).code).toBe(0);
    expect((await bench.sionIn({ broken: "EIO" }, ...follow)).code).toBe(1);
  });
});

describe("readAtMost()", () => {
  const never = new AbortController().signal;

  it("readAtMost() reads what is there and refuses more than its bound", async () => {
    async function* pieces() {
      yield new Uint8Array([1, 2]);
      yield new Uint8Array([3]);
    }
    expect(await readAtMost(pieces(), 3, never)).toEqual(new Uint8Array([1, 2, 3]));
    await expect(readAtMost(pieces(), 2, never)).rejects.toThrow("more than 2 bytes");
  });

  it("readPathAtMost() reads a pipe when its writer comes to write, without holding a thread", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-pipe-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const script = `exec 3<>"$1"; echo ready; read -r line; printf %s "$line" >&3; sleep 60`;
    const writer = spawn("sh", ["-c", script, "sh", pipe]);
    onTestFinished(() => void writer.kill("SIGKILL"));
    await new Promise((ready) => writer.stdout.once("data", ready));
    const stop = new AbortController();
    const reading = readPathAtMost(pipe, 4, stop.signal, "the pipe");
    writer.stdin.write("12345\n");
    await expect(reading).rejects.toThrow("the pipe has more than 4 bytes");
    const silent = readPathAtMost(pipe, 4, stop.signal, "the pipe");
    stop.abort(new Error("stopped"));
    await expect(silent).rejects.toThrow("stopped");
  });

  it("readAtMost() is given up when the command is stopped, though nothing comes", async () => {
    const stop = new AbortController();
    const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
    const reading = readAtMost(silent, 10, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
  });
});
