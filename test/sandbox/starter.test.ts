/** Commands whose sandboxes were started by the small process that is there for it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signalGroup } from "#internal/runtime/mod.ts";
import { needs } from "../parts.ts";
import { answerOf, testPlace, testSandbox } from "./_open.ts";
import type { TestPlace } from "./_open.ts";

/** More than one starter starts. */
const COMMANDS = 20;
/** For a machine with much other work. */
const LIMIT_MS = 240_000;

/** The starters of a place: bash with the sandbox's folder among its words, and no bubblewrap yet. */
function startersOf({ home }: TestPlace): readonly number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const leads = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[4]) === pid;
      return leads && words.includes("sion-sandbox") && words.some((word) => word.startsWith(home));
    } catch {
      return false;
    }
  });
}

describe.skipIf(!needs("bubblewrap", "sandboxes that were started ahead"))("a command", {
  timeout: LIMIT_MS,
}, () => {
  test("is alike in each sandbox that was started for it ahead [A-074 A-075]", async () => {
    const sandbox = await testSandbox();
    for (let number = 0; number < COMMANDS; number += 1) {
      const command =
        `cat; ls /proc/self/fd | xargs; (ulimit -u || ulimit -p) 2>/dev/null; echo ${number} > /dev/stderr; exit 5`;
      expect(await answerOf(sandbox, command)).toBe(
        `exit status 5\n--- stdout\n0 1 2 3\n512\n--- stderr\n${number}`,
      );
    }
  });

  test("ends there as a shell counts it, and as a shell says it [A-074]", async () => {
    const sandbox = await testSandbox();
    await answerOf(sandbox, "true");
    expect(await answerOf(sandbox, "kill -9 $$")).toMatch(/^exit status 137/);
    expect(await answerOf(sandbox, "exec sh -c 'kill -TERM $$'")).toMatch(/^exit status 143/);
    expect(await answerOf(sandbox, "if")).toMatch(/^exit status 2\n--- stderr\n.*[Ss]yntax error/);
    expect(await answerOf(sandbox, "echo 'it''s' \"$0 $#\"\nexit 7\necho no")).toBe(
      "exit status 7\n--- stdout\nits /bin/sh 0",
    );
    expect(await answerOf(sandbox, "trap 'echo bye' EXIT; cd /tmp; echo $PWD")).toBe(
      "exit status 0\n--- stdout\n/tmp\nbye",
    );
  });

  test("sees nothing of what started it, and cannot tell it anything [A-076 A-098]", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    await answerOf(sandbox, "true");
    expect(await answerOf(sandbox, "cat /proc/*/cmdline | tr '\\0' ' ' | grep -c 'jobs -r[p]'"))
      .toBe("exit status 1\n--- stdout\n0");
    expect(await answerOf(sandbox, `ls ${place.home} 2>&1`)).toContain("No such file");
  });

  test("finds a sandbox though what starts them was killed, and none is left of either", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    await answerOf(sandbox, "true");
    await expect.poll(() => startersOf(place).length, { timeout: LIMIT_MS }).toBeGreaterThan(0);
    for (const pid of startersOf(place)) signalGroup(pid, "SIGKILL");
    // One that waited is gone with it, of which this process may hear a little later.
    await expect.poll(() => answerOf(sandbox, "echo again"), { timeout: LIMIT_MS }).toContain(
      "again",
    );
    for (const word of ["one", "two", "three"]) {
      expect(await answerOf(sandbox, `echo ${word}`)).toBe(`exit status 0\n--- stdout\n${word}`);
    }
    await sandbox[Symbol.asyncDispose]();
    await expect.poll(() => startersOf(place), { timeout: LIMIT_MS }).toEqual([]);
    expect(readdirSync(join(place.home, "sandbox"))).toEqual([]);
  });
});
