/** Hooks of the operator's, as the specification's page keeps, lists and removes them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

describe("sion agent hooks", () => {
  const bench = useBench();
  const hooks = (...words: string[]) => bench.sion("agent", "hooks", ...words);

  it("are added, listed by their numbers, and removed [A-223 A-224 A-225 A-226 A-227 A-228 A-229 A-648]", async () => {
    const guard = ["--event", "before-tool", "--tool", "shell", "--", "/home/me/guard.sh"];
    const log = ["--event", "after-tool", "--tool", "github_*", "--", "/home/me/log-call.sh"];
    expect(await hooks("add", ...guard)).toMatchObject({ code: 0, stdout: "kept as hook 1\n" });
    expect(await hooks("add", ...log)).toMatchObject({ code: 0, stdout: "kept as hook 2\n" });
    expect(await hooks("list")).toMatchObject({
      code: 0,
      stdout: "1 before-tool shell (30 s): /home/me/guard.sh\n" +
        "2 after-tool github_* (30 s): /home/me/log-call.sh\n",
    });
    const kept = readFileSync(join(bench.home, "agents", "hooks.json"), "utf8");
    expect(kept).toContain("/home/me/log-call.sh");
    expect(await hooks("remove", "2")).toMatchObject({
      code: 0,
      stdout: "removed hook 2: after-tool /home/me/log-call.sh\n",
    });
    const left = await hooks("list", "--json");
    expect(left.json()).toEqual([
      {
        command: ["/home/me/guard.sh"],
        event: "before-tool",
        number: 1,
        timeout_s: 30,
        tool: "shell",
      },
    ]);
    expect(await hooks("remove", "2")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "error: there is no hook 2: `sion agent hooks list` numbers them from 1 to 1\n",
    });
    await hooks("remove", "1");
    expect(await hooks("list")).toMatchObject({
      stdout: "",
      stderr: "no hooks: `sion agent hooks add --help` says how\n",
    });
  });
});
