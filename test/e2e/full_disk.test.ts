/**
 * A running devnet, one of whose validators has a small disk of its own. Rounds fill it; the thread
 * of that validator ends with a fault, the three others go on and pay. With room again it comes back
 * from what it has and catches up.
 */
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import { temporaryFolder, testClient } from "../node/devnet_fixture.ts";
import { needs, partPath } from "../parts.ts";
import { programCommand } from "../programs.ts";
import { callsAt } from "./_calls.ts";
import type { Child } from "./_child.ts";
import { signalTo, start } from "./_child.ts";

const WAIT_MS = 30_000;
const TEST_MS = 180_000;
const START = 10_000_000_000n;
/** The disk of validator 3, KiB: some fifty rounds of blocks more than a new store. */
const DISK_KIB = 3_584;
/**
 * Runs `$4…` with a disk of `$1` KiB at `$2`, that holds what lay there; what it holds at the end is
 * put into `$3`. The disk is seen by nobody else, and gone with the process.
 */
const ON_SMALL_DISK = [
  'size=$1 at=$2 to=$3; shift 3; mkdir -p "$to.before" "$to"',
  'cp -a "$at/." "$to.before/"',
  'mount -t tmpfs -o "size=${size}k,mode=700" none "$at"',
  'cp -a "$to.before/." "$at/"',
  '"$@" & program=$!',
  "trap 'kill -TERM $program' TERM",
  "wait $program || wait $program",
  'cp -a "$at/." "$to/"',
].join("\n");

let folder: ReturnType<typeof temporaryFolder>;
let running: Child | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  if (running !== undefined && running.process.exitCode === null) signalTo(running, "SIGTERM");
  await running?.ended;
  folder[Symbol.dispose]();
});

/** Starts the devnet in the folder; resolves when it is ready. */
async function startDevnet(wrapped: (command: string[]) => string[]) {
  const child = start(wrapped([
    ...programCommand("sion"),
    ...["devnet", "--json", "--listen", "127.0.0.1:0", "--dir", join(folder.path, "net")],
    "--insecure-signatures",
  ]) as [string, ...string[]]);
  running = child;
  await child.until(() => child.stdout().includes("\n"));
  const { chain, node } = parseJson(child.stdout().split("\n")[0] as string) as {
    chain: string;
    node: string;
  };
  const calls = callsAt(node, 2 * WAIT_MS);
  return { child, calls, client: testClient(calls, chain) };
}

async function stop(child: Child): Promise<void> {
  signalTo(child, "SIGTERM");
  expect((await child.ended).code).toBe(0);
}

const hasMounts = needs("mounts", "that a devnet outlives a validator whose disk is full");

describe.skipIf(!hasMounts)("a devnet with a full disk", () => {
  test(
    "a devnet pays on while the disk of one validator is full, which comes back with room [L-593 L-595]",
    async () => {
      const place = join(folder.path, "net", "validator-3");
      const left = join(folder.path, "left");
      await stop((await startDevnet((command) => command)).child);

      const small = await startDevnet((command) => [
        ...[
          partPath("mounts"),
          "--mount",
          ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
        ],
        ...["sh", "-euc", ON_SMALL_DISK, "sh", String(DISK_KIB), place, left, ...command],
      ]);
      let paid = 0n;
      const payOnce = async (): Promise<void> => {
        const action = await small.client.payAction("bob", 1n);
        const unit = await small.client.signed("alice", paid, [action]);
        expect(await small.client.submit(unit)).toMatchObject({ answer: "accepted" });
        paid += 1n;
        const digest = small.client.ledger.memberDigests(unit.unit)[0] as string;
        const { state } = await small.calls.receipt({ digest, until: "final", wait_ms: WAIT_MS });
        expect(["final", "executed"]).toContain(state);
      };
      const isFull = (): boolean => small.child.stderr().includes("the disk is full");
      while (!isFull()) await payOnce();
      const before = paid;
      while (paid < before + 5n) await payOnce();
      expect(small.child.stderr()).toMatch(
        /One of the validators stopped, the others go on: .*validator-3.* has no room: the disk is full/,
      );
      await stop(small.child);

      rmSync(place, { recursive: true });
      cpSync(left, place, { recursive: true });
      const whole = await startDevnet((command) => command);
      const { pulse } = await whole.calls.status({});
      await expect.poll(async () => (await whole.calls.status({})).pulse)
        .toBeGreaterThan(pulse + 2);
      expect(await whole.client.balance("bob")).toBe(START + paid);
      expect(whole.child.stderr()).not.toContain("stopped");
      await stop(whole.child);
    },
    TEST_MS,
  );
});
