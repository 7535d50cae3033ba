/** Validators that share threads. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "#internal/core/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import {
  startValidatorThreads,
  validatorsPerThread,
} from "../../internal/node/validator_thread.ts";
import { temporaryFolder } from "./devnet_fixture.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

describe("startValidatorThreads()", () => {
  test("startValidatorThreads() has validators share a thread, and the end of one leaves the others", async () => {
    const entry = new URL("../../internal/node/validator_worker.ts", import.meta.url).href;
    const threads = startValidatorThreads(entry, { count: 4, cores: 1, logger: silentLogger });
    try {
      const { genesis, validators, fresh } = await openDevnetFolder({
        path: folder.path,
        shown: "~/d",
        shape: { insecureSignatures: true },
        random: systemRandom,
        nowMs: systemClock.nowMs(),
      });
      const token = systemRandom(32);
      const places = await Promise.all(threads.map((thread, index) => {
        const peering = { kind: "run", index, token } as const;
        const place = validators[index];
        if (place === undefined) throw new Error(`there is no validator ${index}`);
        return thread.open({ genesis, place, fresh, shown: "~/d", peering });
      }));
      expect(places.map(({ validator }) => validator)).toEqual([0, 1, 2, 3]);
      expect(new Set(places.map(({ port }) => port)).size).toBe(4);
      const addresses = places.map(({ port = 0 }) => ({ host: "127.0.0.1", port }));
      threads.forEach((thread, index) => thread.start(addresses.slice(index + 1)));
      await threads[0]?.[Symbol.asyncDispose]();
      await expect(threads[0]?.call("status", {})).rejects.toMatchObject({ code: "stopping" });
      for (const thread of threads.slice(1)) {
        expect(await thread.call("status", {})).toMatchObject({ chain: places[0]?.chain });
      }
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
