import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  isDeno,
  lockFolder,
  lockFolderSoon,
  readEnvironment,
  spawnWorker,
  startChild,
} from "#internal/runtime/mod.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sion-processes-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("lockFolder()", () => {
  test("lockFolder() is held once, and again after it was let go [L-611]", async () => {
    {
      await using _held = await lockFolder(folder);
      await expect(lockFolder(folder, "~/d")).rejects.toMatchObject({
        code: "folder-locked",
        message: `~/d is in use by process ${process.pid}: stop it, or give another --dir`,
      });
    }
    await using again = await lockFolder(folder);
    expect(again.path).toBe(folder);
  });

  test("lockFolder() names the process that holds it and is free once that is killed [L-611]", async () => {
    const program = new URL("./lock_holder.ts", import.meta.url).pathname;
    const args = isDeno ? ["run", "-A", program, folder] : [program, folder];
    const holder = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    await expect(lockFolder(folder)).rejects.toMatchObject({
      code: "folder-locked",
      data: { pid: holder.pid },
    });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await using again = await lockFolder(folder);
    expect(again.path).toBe(folder);
  });

  test("lockFolderSoon() waits until the folder is let go, and no longer than it is told", async () => {
    const held = await lockFolder(folder);
    await expect(lockFolderSoon(folder, { waitMs: 20 })).rejects.toMatchObject({
      code: "folder-locked",
    });
    const waiting = lockFolderSoon(folder, { waitMs: 600_000 });
    await held[Symbol.asyncDispose]();
    await using soon = await waiting;
    expect(soon.path).toBe(folder);
  });
});

describe("startChild()", () => {
  const env = readEnvironment();

  test("startChild() gives input, output and the exit code", async () => {
    await using child = await startChild({ command: "cat", args: [], env });
    child.stdin.end("words");
    expect(await text(child.stdout)).toBe("words");
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  test("startChild() names a program that is not there", async () => {
    await expect(startChild({ command: join(folder, "none"), args: [], env })).rejects
      .toMatchObject({ code: "spawn-failed", data: { reason: "ENOENT" } });
  });

  test("stop() ends what the child has started, and what ignores the request", async () => {
    const script = "trap '' TERM; sleep 300 & echo $!; wait; sleep 300";
    const child = await startChild({ command: "sh", args: ["-c", script], env });
    const [chunk] = await once(child.stdout, "data") as [Uint8Array];
    const grandchild = Number(new TextDecoder().decode(chunk));
    expect(await child.stop(50)).toEqual({ code: null, signal: "SIGKILL" });
    await expect.poll(() => isRunning(grandchild)).toBe(false);
  });

  test("stop() is not held up by what left the group and holds its output", async () => {
    const script = "setsid sleep 300 & echo $!";
    const child = await startChild({ command: "sh", args: ["-c", script], env });
    const [chunk] = await once(child.stdout, "data") as [Uint8Array];
    const left = Number(new TextDecoder().decode(chunk));
    onTestFinished(() => void (isRunning(left) && process.kill(left, "SIGKILL")));
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(await child.stop()).toEqual({ code: 0, signal: null });
  });

  test("stop() ends what left the group of a child that is marked, within another mark or not", async () => {
    const left: number[] = [];
    for (const outer of [undefined, "0123abcd"]) {
      const script = "setsid sh -c 'trap \"\" TERM HUP; sleep 300 & echo $$ $! $MARK; wait' & wait";
      const child = await startChild({
        command: "sh",
        args: ["-c", script],
        env: { ...env, MARK: outer },
        mark: "MARK",
      });
      const [chunk] = await once(child.stdout, "data") as [Uint8Array];
      const [leader, below, mark = ""] = new TextDecoder().decode(chunk).trim().split(" ");
      left.push(Number(leader), Number(below));
      expect(mark).toMatch(outer === undefined ? /^[0-9a-f]{32}$/ : /^0123abcd,[0-9a-f]{32}$/);
      await child.stop(0);
    }
    for (const pid of left) await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

/** False also for a process that ended and that nobody has asked about yet. */
function isRunning(pid: number): boolean {
  return execFileSync("ps", ["-A", "-o", "pid=,stat="], { encoding: "utf8" }).split("\n")
    .some((line) => new RegExp(`^ *${pid} +[^Z]`).test(line));
}

describe("spawnWorker()", () => {
  const entry = new URL("./worker_entry.ts", import.meta.url).href;

  test("spawnWorker() hands over task and data, carries messages in order, and stops", async () => {
    const worker = spawnWorker(entry, { task: "echo", data: { greeting: "hello" } });
    const got: unknown[] = [];
    const all = Promise.withResolvers<void>();
    worker.post(1n);
    worker.post(new Uint8Array([1, 2]));
    worker.onMessage((message) => {
      got.push(message);
      if (got.length === 3) all.resolve();
    });
    await all.promise;
    expect(got).toEqual([
      { task: "echo", data: { greeting: "hello" } },
      1n,
      new Uint8Array([1, 2]),
    ]);
    await worker.terminate();
    await worker.ended;
  });

  test("spawnWorker() reports a fault that ends the worker", async () => {
    const worker = spawnWorker(entry, { task: "fail", data: null });
    await expect(worker.ended).rejects.toMatchObject({ code: "worker-failed" });
  });
});
