import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { continueScenario, EXPECTED, prepareFolder, remainsOf } from "../agent/_crash.ts";
import { runtimeCommand, runWith } from "./_child.ts";

/** The processes that are run side by side. */
const LANES = 2;

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sion-crash-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  prepareFolder(folder);
  return folder;
}

describe("kill -9 of an agent's process", () => {
  test("at any write or stage of a payment: continue pays once [A-066 A-068 A-635]", async () => {
    const whole = freshFolder();
    const ended = await runWith("", runtimeCommand("_agent_child.ts", "run", whole, "0"));
    expect(ended.stderr).toBe("");
    expect(remainsOf(whole)).toEqual({ paid: EXPECTED, file: "bob 1\n" });
    const points = Array.from({ length: Number(ended.stdout) }, (_, index) => index + 1);
    expect(points.length).toBeGreaterThan(15);
    await Promise.all(Array.from({ length: LANES }, async () => {
      for (let point = points.shift(); point !== undefined; point = points.shift()) {
        const folder = freshFolder();
        const command = runtimeCommand("_agent_child.ts", "run", folder, String(point));
        const killed = await runWith("", command);
        expect(killed, `point ${point}`).toMatchObject({ signal: "SIGKILL", stdout: "" });
        const end = await continueScenario(folder, () => {});
        expect(end?.how, `point ${point}`).toBe("done");
        expect(remainsOf(folder), `point ${point}`).toEqual({ paid: EXPECTED, file: "bob 1\n" });
      }
    }));
  });
});
