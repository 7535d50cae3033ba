/** Validators that share threads. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "#internal/core/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import { createThreadGroup } from "../../internal/node/thread_group.ts";
import type { OpenedValidator, ValidatorThread } from "../../internal/node/validator_thread.ts";
import {
  startValidatorThreads,
  validatorsPerThread,
} from "../../internal/node/validator_thread.ts";
import { temporaryFolder, testClient } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

/** Opens each thread's validator in the folder. */
async function openAll(threads: readonly ValidatorThread[]): Promise<readonly OpenedValidator[]> {
  const { genesis, validators, fresh } = await openDevnetFolder({
    path: folder.path,
    shown: "~/d",
    shape: { insecureSignatures: true },
    random: systemRandom,
    nowMs: systemClock.nowMs(),
  });
  const token = systemRandom(32);
  return await Promise.all(threads.map((thread, index) => {
    const peering = { kind: "run", index, token } as const;
    const place = validators[index];
    if (place === undefined) throw new Error(`there is no validator ${index}`);
    return thread.open({ genesis, place, fresh, shown: "~/d", peering });
  }));
}

function startAll(
  threads: readonly ValidatorThread[],
  places: readonly OpenedValidator[],
): void {
  const addresses = places.map(({ port = 0 }) => ({ host: "127.0.0.1", port }));
  threads.forEach((thread, index) => thread.start(addresses.slice(index + 1)));
}

describe("startValidatorThreads()", () => {
  test("startValidatorThreads() has validators share a thread, and the end of one leaves the others", async () => {
    const entry = new URL("../../internal/node/validator_worker.ts", import.meta.url).href;
    const threads = startValidatorThreads(entry, { count: 4, cores: 1, logger: silentLogger });
    try {
      const places = await openAll(threads);
      expect(places.map(({ validator }) => validator)).toEqual([0, 1, 2, 3]);
      expect(new Set(places.map(({ port }) => port)).size).toBe(4);
      startAll(threads, places);
      await threads[0]?.[Symbol.asyncDispose]();
      await expect(threads[0]?.call("status", {})).rejects.toMatchObject({ code: "stopping" });
      for (const thread of threads.slice(1)) {
        expect(await thread.call("status", {})).toMatchObject({ chain: places[0]?.chain });
      }
    } finally {
      for (const thread of threads) await thread[Symbol.asyncDispose]();
    }
  });

  test("startValidatorThreads() ends the validator alone in whose work a fault came up, while payments go on", async () => {
    const entry = new URL("./_faulty_worker.ts", import.meta.url).href;
    const threads = startValidatorThreads(entry, { count: 4, cores: 2, logger: silentLogger });
    try {
      const places = await openAll(threads);
      startAll(threads, places);
      const group = createThreadGroup({
        threads,
        nameOf: (index) => `validator ${index}`,
        isEnough: () => true,
        logger: silentLogger,
      });
      group.watch();
      const { calls } = group;
      const client = testClient(calls, places[0]?.chain ?? "");
      for (let sequence = 0n; sequence < 3n; sequence++) {
        const unit = await client.signed("alice", sequence, [await client.payAction("bob", 1n)]);
        const { answer, digests: [digest = ""] } = await client.submit(unit);
        expect(answer).toBe("accepted");
        const executed = async (): Promise<boolean> =>
          (await calls.receipt({ digest, until: "executed", wait_ms: 1_000 })).state === "executed";
        while (!await executed());
        if (sequence === 0n) await expect(threads[1]?.fault).rejects.toThrow(/as asked/);
      }
      const living = threads.filter((_, index) => index !== 1);
      for (const thread of living) expect(await thread.call("status", {})).toMatchObject({});
    } finally {
      for (const thread of threads) await thread[Symbol.asyncDispose]();
    }
  });

  test("validatorsPerThread() is one where cores are enough, else as few as the cores allow", () => {
    const found = [1, 2, 3, 4, 16].map((cores) => validatorsPerThread(4, cores));
    expect(found).toEqual([4, 2, 2, 1, 1]);
    expect(validatorsPerThread(1, 8)).toBe(1);
  });
});
