/** Which processes still run. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { isProcessAlive, processId, processSpace, processStart } from "#internal/runtime/mod.ts";

describe("isProcessAlive()", () => {
  test("tells this process from one that was never there", () => {
    expect(isProcessAlive(processId())).toBe(true);
    expect(isProcessAlive(2 ** 30)).toBe(false);
    expect(processStart(2 ** 30)).toBe("");
  });

  test.skipIf(process.platform !== "linux")("has ids in the space that its children share", () => {
    const seen = execFileSync("readlink", ["/proc/self/ns/pid"], { encoding: "utf8" });
    expect(seen).toBe(`pid:[${processSpace()}]\n`);
  });

  test.skipIf(process.platform !== "linux")(
    "is false for a process that was killed and that its parent never asked after",
    async () => {
      // The shell becomes a program that waits for nobody, and tells its child's id before that.
      const shell = spawn("sh", ["-c", "sleep 100 & echo $!; exec sleep 100"]);
      try {
        const [line] = await once(shell.stdout.setEncoding("utf8"), "data") as [string];
        const child = Number(line);
        // Until then the shell would ask after it.
        const program = () => readFileSync(`/proc/${shell.pid}/comm`, "utf8").trim();
        await expect.poll(program).toBe("sleep");
        expect(isProcessAlive(child)).toBe(true);
        expect(processStart(child)).toMatch(/^\d+$/);
        process.kill(child, "SIGKILL");
        await expect.poll(() => isProcessAlive(child)).toBe(false);
        expect(() => process.kill(child, 0)).not.toThrow();
        expect(processStart(child)).toBe("");
      } finally {
        shell.kill("SIGKILL");
      }
    },
  );
});
