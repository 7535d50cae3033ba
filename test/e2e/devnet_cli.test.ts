/** `sion devnet` as a program: what it prints, how it ends, what it refuses. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseJson } from "#internal/core/mod.ts";
import { FORMAT_VERSION } from "#internal/proofs/mod.ts";
import { isDeno } from "#internal/runtime/mod.ts";
import { temporaryFolder } from "../node/devnet_fixture.ts";
import { programCommand } from "../programs.ts";
import type { Child } from "./_child.ts";
import { signalTo, start } from "./_child.ts";

let folder: ReturnType<typeof temporaryFolder>;
let children: Child[];
beforeEach(() => {
  folder = temporaryFolder();
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    if (child.process.exitCode === null) child.process.kill("SIGKILL");
    await child.ended;
  }
  folder[Symbol.dispose]();
});

/** Starts a devnet of one validator with insecure signatures. */
function devnet(...more: string[]): Child {
  const options = ["--dir", folder.path, "--insecure-signatures", "--validators", "1"];
  const listen = more.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
  const child = start([...programCommand("sion"), "devnet", ...options, ...listen, ...more]);
  children.push(child);
  return child;
}

function ready(child: Child): Promise<void> {
  return child.until(() => child.stdout().endsWith("\n"));
}

/** What a devnet that does not start says, besides what it waited for. */
async function refusal(): Promise<string> {
  const { code, stdout, stderr } = await devnet().ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  return stderr.split("\n").filter((line) => line !== "" && !line.startsWith("waiting ")).join(
    "\n",
  );
}

describe("sion devnet", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "sion devnet prints one ready line and stops cleanly on %s [L-591 L-611]",
    async (signal) => {
      const child = devnet();
      await ready(child);
      signalTo(child, signal);
      expect(await child.ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /^devnet ready on http:\/\/127\.0\.0\.1:\d+: chain sion-devnet-1, identity [0-9a-f]{64}\n$/,
        ),
      });
    },
  );

  test("sion devnet begins with one arena of malloc on Linux's Node, under its id", async () => {
    const child = devnet();
    await ready(child);
    const environment = readFileSync(`/proc/${child.process.pid}/environ`, "utf8").split("\0");
    expect(environment.includes("MALLOC_ARENA_MAX=1")).toBe(!isDeno);
  });

  test("sion devnet --json prints one object, and goes on with the same chain [L-593]", async () => {
    const seen = [];
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const child = devnet("--json");
      await ready(child);
      signalTo(child, signal);
      const { stdout } = await child.ended;
      const value = parseJson(stdout) as { chain: string };
      expect(Object.keys(value)).toEqual(["chain", "chain_id", "node"]);
      seen.push(value.chain);
    }
    const third = devnet("--json");
    await ready(third);
    seen.push((parseJson(third.stdout()) as { chain: string }).chain);
    expect(new Set(seen).size).toBe(1);
  });

  test("sion devnet refuses a folder of another format, and one that is damaged, in one line", async () => {
    const first = devnet();
    await ready(first);
    signalTo(first, "SIGTERM");
    await first.ended;
    const genesis = join(folder.path, "genesis.json");
    writeFileSync(genesis, '{"format": 9999}');
    expect(await refusal()).toBe(
      `error: ${folder.path} has format 9999, this sion has ${FORMAT_VERSION}: give another --dir`,
    );
    rmSync(genesis);
    expect(await refusal()).toBe(
      `error: ${folder.path} has validators but no genesis.json: give another --dir`,
    );
  });
});
