/** What a command sees of the machine and can do to it, tried as root and as an ordinary user. */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import { userId } from "#internal/runtime/mod.ts";
import { runtimeCommand } from "../e2e/_child.ts";
import { needs } from "../parts.ts";
import { isSecondRuntime } from "../share.ts";

/** What each probe found. */
type Found = Readonly<Record<string, { readonly holds: boolean; readonly said: string }>>;

const LIMIT_MS = 120_000;
/** Somebody without rights, wherever there is root to stand for them. */
const ORDINARY_USER = 65_534;

async function found(kind: "sandbox" | "naive", uid?: number): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), "sion-probes-"));
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "inherited"), "CANARY\n");
  // As a program has it that was started with files of whoever started it.
  const inheriting = 'exec 7<"$0"; exec "$@"';
  const command = runtimeCommand("_sandbox_child.ts", folder, kind);
  const child = spawn("/bin/sh", ["-c", inheriting, join(folder, "inherited"), ...command], {
    env: { ...process.env, CANARY: "CANARY", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => text += piece);
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(text) as Found;
}

const escaped = (all: Found): string[] =>
  Object.entries(all).filter(([, { holds }]) => !holds).map(([name, { said }]) =>
    `${name}: ${said}`
  );

describe.skipIf(!needs("bubblewrap", "that a command cannot leave its sandbox"))("sandbox", () => {
  test(
    "holds what commands try, whoever runs the runtime " +
      "[A-076 A-081..A-088 A-094 A-096 A-098 A-100 A-102 A-105..A-107 A-604]",
    { timeout: LIMIT_MS },
    async () => {
      const all = await found("sandbox");
      expect(escaped(all)).toEqual([]);
      expect(Object.keys(all).length).toBeGreaterThanOrEqual(45);
    },
  );

  test.runIf(userId() === 0)(
    "holds them for an ordinary user of the machine as for root [A-098 A-100]",
    { timeout: LIMIT_MS },
    async () => {
      expect(escaped(await found("sandbox", ORDINARY_USER))).toEqual([]);
    },
  );

  // This says something of the probes, which are the same on both.
  if (isSecondRuntime) return;

  test("the probes find what a sandbox lets through that is written without care", {
    timeout: LIMIT_MS,
  }, async () => {
    const names = escaped(await found("naive")).map((line) => line.split(":")[0]);
    expect(names.length).toBeGreaterThanOrEqual(30);
    // What holds by the machine itself (no hypervisor's sockets, few processes) is not among them.
    expect(names).toEqual(expect.arrayContaining([
      "the machine's loopback",
      "descriptors of the runtime",
      "the first process's variables",
      "a link out of the workspace",
    ]));
  });
});
