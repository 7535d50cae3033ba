/** Threads that answer for each other while enough of them live. */
import { describe, expect, test } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import { createThreadGroup } from "../../internal/node/thread_group.ts";
import type { ValidatorThread } from "../../internal/node/validator_thread.ts";

/** A thread that answers its number, until it fails. */
class FakeThread {
  readonly #failed = Promise.withResolvers<never>();
  readonly fault = this.#failed.promise;
  readonly asked: string[] = [];
  readonly #index: number;
  #listener: (number: number) => void = () => {};
  #waiting: ((error: unknown) => void) | undefined;
  isDead = false;
  isDisposed = false;

  constructor(index: number) {
    this.#index = index;
    this.fault.catch(() => {});
  }

  call(method: string): Promise<unknown> {
    this.asked.push(method);
    if (this.isDead) return Promise.reject(new RpcError("stopping", "The node is going down"));
    if (method === "header") return Promise.reject(new RpcError("not-found", "There is none"));
    if (method === "status" && this.asked.length > 1) {
      return new Promise((_, reject) => this.#waiting = reject);
    }
    return Promise.resolve(this.#index);
  }

  onPulse(callback: (number: number) => void): void {
    this.#listener = callback;
  }

  pulse(): void {
    this.#listener(1);
  }

  die(error: unknown): void {
    this.isDead = true;
    this.#failed.reject(error);
    this.#waiting?.(new RpcError("stopping", "The node is going down"));
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}

function group(count: number, quorum: number) {
  const threads = Array.from({ length: count }, (_, index) => new FakeThread(index));
  const lines: string[] = [];
  const made = createThreadGroup({
    threads: threads as unknown as ValidatorThread[],
    nameOf: (index) => `validator ${index}`,
    isEnough: (mask) => mask.toString(2).replaceAll("0", "").length >= quorum,
    logger: { log: (level, message) => lines.push(`${level}: ${message}`) },
  });
  made.watch();
  return { made, threads: threads as [FakeThread, FakeThread, FakeThread], lines };
}

describe("createThreadGroup()", () => {
  test("a group's calls move to another thread when the answering one ends, also those under way", async () => {
    const { made, threads: [first, second], lines } = group(4, 3);
    expect(await made.calls.status({})).toBe(0);
    const waiting = made.calls.status({});
    first.die(new SionError("worker-failed", "A worker ended"));
    expect(await waiting).toBe(1);
    expect(await made.calls.genesis({})).toBe(1);
    expect(second.asked).toEqual(["status", "genesis"]);
    expect(lines).toEqual([
      "error: One of the validators stopped, the others go on: A worker ended",
    ]);
    expect(first.isDisposed).toBe(true);
  });

  test("a group does not ask for money twice", async () => {
    const { made, threads: [first, second] } = group(4, 3);
    first.isDead = true;
    const asked = made.calls.faucet({ account: "ab".repeat(32), amount: 1n });
    await expect(asked).rejects.toMatchObject({ code: "stopping" });
    expect(second.asked).toEqual([]);
  });

  test("a group hands on what a thread refuses", async () => {
    const { made, threads: [, second] } = group(4, 3);
    await expect(made.calls.header({ number: 1 })).rejects.toMatchObject({ code: "not-found" });
    expect(second.asked).toEqual([]);
  });

  test("a group's fault is that of the thread without which too few live", async () => {
    const { made, threads: [first, second], lines } = group(4, 3);
    first.die(new SionError("worker-failed", "A worker ended"));
    second.die(new SionError("worker-failed", "Another ended"));
    await expect(made.fault).rejects.toMatchObject({
      code: "node-stopped",
      message: "validator 1 stopped (Another ended): the chain is kept, start it again",
    });
    expect(lines).toHaveLength(1);
  });

  test("a group tells of the Pulses of the thread that answers", async () => {
    const { made, threads: [first, second] } = group(4, 3);
    let told = 0;
    made.onPulse(() => told++);
    first.pulse();
    second.pulse();
    expect(told).toBe(1);
    first.die(new Error("gone"));
    // Whoever waits looks again at the one that answers now.
    await expect.poll(() => told).toBe(2);
    second.pulse();
    expect(told).toBe(3);
  });
});
