import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { continueProgram, programState } from "../agent/_program_crash.ts";
import { continueScenario, EXPECTED, prepareFolder, remainsOf } from "../agent/_crash.ts";
import { needs } from "../parts.ts";
import { runtimeCommand, runWith } from "./_child.ts";
import { shareOf } from "../share.ts";

/** The processes that are run side by side. */
const LANES = 2;

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sion-crash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("kill -9 of an agent's process", () => {
  test("at any write or stage of a payment: continue pays once [A-066 A-068 A-635]", async () => {
    const whole = freshFolder();
    prepareFolder(whole);
    const ended = await runWith("", runtimeCommand("_agent_child.ts", "run", whole, "0"));
    expect(ended.stderr).toBe("");
    expect(remainsOf(whole)).toEqual({ paid: EXPECTED, file: "bob 1\n" });
    const points = Array.from({ length: Number(ended.stdout) }, (_, index) => index + 1);
    expect(points.length).toBeGreaterThan(15);
    const waiting = [...shareOf(points)];
    await Promise.all(Array.from({ length: LANES }, async () => {
      for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
        const folder = freshFolder();
        prepareFolder(folder);
        const command = runtimeCommand("_agent_child.ts", "run", folder, String(point));
        const killed = await runWith("", command);
        expect(killed, `point ${point}`).toMatchObject({ signal: "SIGKILL", stdout: "" });
        const end = await continueScenario(folder, () => {});
        expect(end?.how, `point ${point}`).toBe("done");
        expect(remainsOf(folder), `point ${point}`).toEqual({ paid: EXPECTED, file: "bob 1\n" });
      }
    }));
  });

  test.skipIf(!needs("bubblewrap", "programs that are cut off") || !needs("python", "the same"))(
    "in the middle of a program: it is run anew, and what it had begun is over [A-068 A-069]",
    { timeout: 120_000 },
    async () => {
      const folder = freshFolder();
      const killed = await runWith("", runtimeCommand("_program_child.ts", folder));
      expect(killed).toMatchObject({ signal: "SIGKILL", stderr: "" });
      const left = programState(folder);
      expect(left.calls.get("1.1.2")?.ended).toMatchObject({ ok: true, text: "step 1" });
      expect(left.calls.get("1.1.3")?.started).toBeDefined();
      expect(left.calls.get("1.1.3")?.ended).toBeUndefined();
      await continueProgram(folder);
      const { calls, ended } = programState(folder);
      expect(ended?.how).toBe("done");
      expect(calls.get("1.1")?.ended?.text).toBe("step 0\nstep 1\nstep 2\nstep 3");
      expect(calls.get("1.1.3")?.ended).toMatchObject({ ok: false, code: "interrupted" });
      expect(calls.get("1.1")?.programCalls).toHaveLength(3 + 4);
      expect([...calls.values()].filter((call) => call.ended === undefined)).toEqual([]);
    },
  );
});
