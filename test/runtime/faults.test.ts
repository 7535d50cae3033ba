import { describe, expect, test } from "vitest";
import { spawnWorker } from "#internal/runtime/mod.ts";

const ENTRY = new URL("./_faulty_worker.ts", import.meta.url).href;

describe("runOwned()", () => {
  test.each([
    "at once",
    "in a promise",
    "in a microtask",
    "in an alarm",
    "in an accepted connection",
    "in a frame that comes in",
    "in an answer",
  ])(
    "runOwned() tells a fault %s to the one in whose work it came up, and the thread goes on",
    async (way) => {
      await using worker = spawnWorker(ENTRY, { task: "faults", data: null });
      const told: unknown[] = [];
      let enough = (): void => {};
      worker.onMessage((message) => {
        told.push(message);
        if (told.length === 4) enough();
      });
      const all = new Promise<void>((resolve) => enough = resolve);
      for (const owner of ["a", "b", "a", "c"]) worker.post({ owner, way });
      await Promise.race([all, worker.ended]);
      expect(told).toHaveLength(4);
      for (const owner of ["a", "b", "c"]) {
        expect(told).toContainEqual({ told: owner, of: `${owner} ${way}` });
      }
    },
  );

  test("runOwned() leaves what is nobody's to end the thread", async () => {
    await using worker = spawnWorker(ENTRY, { task: "faults", data: null });
    worker.onMessage((message) => {
      expect(message).toEqual({ told: "a", of: "a in a microtask" });
      worker.post({ owner: null, way: "in a microtask" });
    });
    worker.post({ owner: "a", way: "in a microtask" });
    await expect(worker.ended).rejects.toMatchObject({ code: "worker-failed" });
  });
});
