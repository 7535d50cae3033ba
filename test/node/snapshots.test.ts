import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import type { MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { startTestDevnet, temporaryFolder, testClient } from "./devnet_fixture.ts";
import type { TestDevnet } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const WAIT_MS = 60_000;
/** Empty rounds follow each other at once, and blocks are kept for as short as the order allows. */
const SHORT_MEMORY = {
  tuning: { idle: [{ afterMs: 0, everyMs: 10 }], leaderMs: 20, leaderMaxMs: 80, retryMs: 100 },
  keptRounds: 0,
};
/** The same, with time to catch up. */
const AT_EASE = { ...SHORT_MEMORY, tuning: { retryMs: 200 } };
/** Pulses after which a block is no longer kept: 256 rounds and some. */
const FORGOTTEN_PULSES = 72;

/** Receipt of the first member of a unit, once it is executed. */
async function executed(calls: RpcCalls, submitted: MethodResult<"submit">): Promise<number> {
  const digest = submitted.digests[0] as string;
  const { receipt } = await calls.receipt({ digest, wait_ms: WAIT_MS });
  expect(receipt).toMatchObject({ outcome: { kind: "success" } });
  return receipt?.pulse ?? 0;
}

async function pulse(calls: RpcCalls): Promise<number> {
  return (await calls.status({})).pulse;
}

async function passes(calls: RpcCalls, number: number): Promise<void> {
  await expect.poll(() => pulse(calls), { timeout: WAIT_MS }).toBeGreaterThanOrEqual(number);
}

/** Three validators go on until what the fourth misses is gone. */
async function leaveBehind(fund: (devnet: TestDevnet) => Promise<void>): Promise<void> {
  await using devnet = await startTestDevnet(folder.path, { ...SHORT_MEMORY, which: [0, 1, 2] });
  await fund(devnet);
  await passes(devnet.calls, await pulse(devnet.calls) + FORGOTTEN_PULSES);
}

describe("a validator that was stopped for longer than blocks are kept", () => {
  test(
    "takes a snapshot, proves what it has from then on, and certifies again [L-595]",
    async () => {
      let before: MethodResult<"submit">;
      {
        await using devnet = await startTestDevnet(folder.path, SHORT_MEMORY);
        const client = testClient(devnet.validators[3]!.calls, devnet.chain);
        before = await client.pay("alice", "bob", 5n, 0n);
        await executed(devnet.validators[3]!.calls, before);
      }
      let bob = 0n;
      let missed: MethodResult<"submit"> | undefined;
      await leaveBehind(async (devnet) => {
        const client = testClient(devnet.calls, devnet.chain);
        missed = await client.pay("alice", "bob", 7n, 1n);
        await executed(devnet.calls, missed);
        bob = await client.balance("bob");
      });
      const lines: string[] = [];
      const logger: Logger = { log: (_level, message) => void lines.push(message) };
      {
        await using devnet = await startTestDevnet(folder.path, { ...AT_EASE, logger });
        const late = devnet.validators[3]!;
        await expect.poll(() => lines.find((line) => line.startsWith("Took a snapshot")), {
          timeout: WAIT_MS,
        }).toBeDefined();
        await passes(late.calls, await pulse(devnet.calls));
        const client = testClient(late.calls, devnet.chain);
        expect(await client.balance("bob")).toBe(bob);
        expect(await late.calls.status({})).toMatchObject({ active: true });
        // What it executed itself is still there; what it missed is not.
        expect(await late.calls.receipt({ digest: before.digests[0]! }))
          .toMatchObject({ state: "executed" });
        expect(await late.calls.receipt({ digest: missed!.digests[0]! }))
          .toMatchObject({ state: "unknown" });
      }
      // With another one gone, nothing is certified without it.
      await using devnet = await startTestDevnet(folder.path, {
        ...AT_EASE,
        which: [3, 1, 2],
      });
      const client = testClient(devnet.calls, devnet.chain);
      const number = await executed(devnet.calls, await client.pay("alice", "bob", 1n, 2n));
      await expect.poll(async () => (await devnet.calls.status({})).certified_pulse, {
        timeout: WAIT_MS,
      }).toBeGreaterThanOrEqual(number);
    },
    120_000,
  );

  test("follows by a snapshot when its store is lost, and never signs [L-597]", async () => {
    {
      await using devnet = await startTestDevnet(folder.path, SHORT_MEMORY);
      const client = testClient(devnet.calls, devnet.chain);
      await executed(devnet.calls, await client.pay("alice", "bob", 5n, 0n));
    }
    for (const name of ["node.sqlite", "node.sqlite-wal", "node.sqlite-shm"]) {
      rmSync(join(folder.path, "validator-3", name), { force: true });
    }
    await leaveBehind(async () => {});
    await using devnet = await startTestDevnet(folder.path, AT_EASE);
    const follower = devnet.validators[3]!;
    await passes(follower.calls, await pulse(devnet.calls));
    const client = testClient(devnet.calls, devnet.chain);
    const paid = await executed(devnet.calls, await client.pay("alice", "bob", 1n, 1n));
    await passes(follower.calls, paid);
    expect(await testClient(follower.calls, devnet.chain).balance("bob"))
      .toBe(await client.balance("bob"));
    expect(await follower.calls.status({})).toMatchObject({ active: false });
  }, 120_000);
});
