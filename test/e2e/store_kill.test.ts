/** A process that writes a validator's store is killed by SIGKILL around and within its writes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { utf8 } from "#internal/core/mod.ts";
import type { NodeState } from "#internal/store/mod.ts";
import { openNodeState } from "#internal/store/mod.ts";
import { runtimeCommand, runWith } from "./_child.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sion-store-kill-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const points = ["commitOwn", "commitPulse"].flatMap((method) =>
  ["before", "within", "after"].flatMap((when) => [1, 5].map((at) => ({ method, when, at })))
);

test.each(points)(
  "SIGKILL $when $method $at leaves the store with every write that had returned, and no part of another",
  async ({ method, when, at }) => {
    const ended = await runWith(
      "",
      runtimeCommand("_store_child.ts", folder, method, when, `${at}`),
    );
    expect([ended.signal, ended.stderr]).toEqual(["SIGKILL", ""]);
    const returned = ended.stdout.trim().split("\n").filter((line) => line !== "");
    const owns = returned.filter((line) => line.startsWith("commitOwn")).length;
    const pulses = returned.filter((line) => line.startsWith("commitPulse")).length;
    expect(method === "commitOwn" ? owns : pulses).toBe(when === "after" ? at : at - 1);

    using store = openNodeState(join(folder, "node.sqlite"), { shown: "~/d" }) as NodeState;
    expect([...store.blocksOfRounds(0, 99)].map(({ round }) => round))
      .toEqual(Array.from({ length: owns }, (_, i) => i + 1));
    const rows = owns === 0 ? [] : [1, 2, 3].map((key) => ({
      table: "t",
      key: `${key}`,
      value: utf8(`${owns}`),
    }));
    expect([...store.ownRows()]).toEqual(rows);
    expect(store.newestPulse()?.number ?? 0).toBe(pulses);
    expect([...store.objects()]).toHaveLength(3 * pulses);
  },
);
