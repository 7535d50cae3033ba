import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Logger } from "#internal/core/mod.ts";
import type { MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { startTestDevnet, temporaryFolder, testClient } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const WAIT_MS = 30_000;

async function executed(calls: RpcCalls, submitted: MethodResult<"submit">): Promise<number> {
  const digest = submitted.digests[0] as string;
  const { receipt } = await calls.receipt({ digest, wait_ms: WAIT_MS });
  expect(receipt).toMatchObject({ outcome: { kind: "success" } });
  return receipt?.pulse ?? 0;
}

describe("a devnet's folder", () => {
  test("a stopped devnet goes on with the same chain, state, receipts and events [L-593 L-611]", async () => {
    let before;
    let first;
    {
      await using devnet = await startTestDevnet(folder.path);
      const client = testClient(devnet.calls, devnet.chain);
      first = await client.pay("alice", "bob", 7n, 0n);
      const pulse = await executed(devnet.calls, first);
      before = { chain: devnet.chain, pulse, bob: await client.balance("bob") };
    }
    for (const sequence of [1n, 2n]) {
      await using devnet = await startTestDevnet(folder.path);
      const client = testClient(devnet.calls, devnet.chain);
      expect(devnet.chain).toBe(before.chain);
      expect(await client.balance("bob")).toBe(before.bob + 7n * (sequence - 1n));
      expect(await devnet.calls.receipt({ digest: first.digests[0] as string })).toMatchObject({
        state: "executed",
        receipt: { pulse: before.pulse },
      });
      const { events } = await devnet.calls.events({ from: 0, limit: 1 });
      expect(events).toMatchObject([{ pulse: before.pulse, tx: first.digests[0] }]);
      const pulse = await executed(devnet.calls, await client.pay("alice", "bob", 7n, sequence));
      expect(pulse).toBeGreaterThan(before.pulse);
      const { executed: counts } = await devnet.calls.status({});
      expect(counts).toEqual([Number(sequence) + 1, 0, 0]);
    }
  });

  test("three of four validators go on, and the fourth catches up [L-595]", async () => {
    {
      await using devnet = await startTestDevnet(folder.path);
      const client = testClient(devnet.calls, devnet.chain);
      await executed(devnet.calls, await client.pay("alice", "bob", 1n, 0n));
    }
    let pulse = 0;
    {
      await using devnet = await startTestDevnet(folder.path, { which: [0, 1, 2] });
      const client = testClient(devnet.calls, devnet.chain);
      for (const sequence of [1n, 2n, 3n]) {
        pulse = await executed(devnet.calls, await client.pay("alice", "bob", 1n, sequence));
      }
    }
    await using devnet = await startTestDevnet(folder.path);
    const late = devnet.validators[3]!;
    await expect.poll(async () => (await late.calls.status({})).pulse, { timeout: WAIT_MS })
      .toBeGreaterThanOrEqual(pulse);
    const [ours, theirs] = await Promise.all(
      [devnet.calls, late.calls].map(async (calls) =>
        (await calls.header({ number: pulse })).bytes
      ),
    );
    expect(theirs).toBe(ours);
    const client = testClient(late.calls, devnet.chain);
    await executed(late.calls, await client.pay("alice", "bob", 1n, 4n));
  });

  test("a validator whose store is lost only follows, and the others go on", async () => {
    {
      await using devnet = await startTestDevnet(folder.path);
      const client = testClient(devnet.calls, devnet.chain);
      await executed(devnet.calls, await client.pay("alice", "bob", 1n, 0n));
    }
    for (const name of ["node.sqlite", "node.sqlite-wal", "node.sqlite-shm"]) {
      rmSync(join(folder.path, "validator-3", name), { force: true });
    }
    const lines: string[] = [];
    const logger: Logger = { log: (_level, message) => void lines.push(message) };
    for (const sequence of [1n, 2n]) {
      await using devnet = await startTestDevnet(folder.path, { logger });
      const follower = devnet.validators[3]!;
      expect((await follower.calls.status({})).active).toBe(false);
      expect(lines.at(-1)).toBe(
        "The store of validator 3 is lost, and it only follows: only the very same store, the " +
          "newest there is, may be put back; else give the validator another key " +
          "(sion validator rotate-key)",
      );
      const client = testClient(devnet.calls, devnet.chain);
      const pulse = await executed(devnet.calls, await client.pay("alice", "bob", 1n, sequence));
      await expect.poll(async () => (await follower.calls.status({})).pulse, { timeout: WAIT_MS })
        .toBeGreaterThanOrEqual(pulse);
    }
  });
});
