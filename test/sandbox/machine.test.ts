/** What the machine gives a sandbox, and what is said where it gives nothing. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { processId } from "#internal/runtime/mod.ts";
import { explainFailure } from "../../internal/sandbox/backends/_bubblewrap_failures.ts";
import { groupFolders, makeGroup, removeStaleGroups } from "../../internal/sandbox/cgroup.ts";
import { findProgram } from "../../internal/sandbox/programs.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "sion-machine-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("explainFailure()", () => {
  const none = (): undefined => undefined;

  test("names the switch that forbids namespaces [A-146]", () => {
    const said =
      "bwrap: No permissions to create new namespace, likely because the kernel does not";
    const read = (file: string): string | undefined =>
      file.includes("apparmor") ? "1\n" : undefined;
    expect(explainFailure(said, read)).toBe(
      "the sandbox does not work: this system gives ordinary programs no user namespaces " +
        `(${said}): run \`sysctl kernel.apparmor_restrict_unprivileged_userns=0\` as root, ` +
        "or give --shell docker:<image>@sha256:<digest>",
    );
  });

  test("tells a container from another machine, and quotes what it does not know", () => {
    expect(
      explainFailure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", none),
    )
      .toContain("/proc cannot be mounted here, as in a container");
    expect(explainFailure("a\nbwrap: \u001b[2Jodd\n", none)).toBe(
      "the sandbox does not work (bwrap: \\u001b[2Jodd): mend that, " +
        "or give --shell docker:<image>@sha256:<digest>",
    );
  });
});

describe("control groups", () => {
  test("groupFolders() gives siblings of the second version's group, then the first version's", () => {
    const mount = folder();
    writeFileSync(join(mount, "cgroup.controllers"), "pids memory\n");
    expect(groupFolders(mount, "0::/user.slice/user-0.slice/session-1.scope\n")).toEqual([
      join(mount, "user.slice/user-0.slice"),
      join(mount, "user.slice/user-0.slice/session-1.scope"),
    ]);
    const older = folder();
    expect(groupFolders(older, "8:pids:/a\n4:memory:/a\n0::/\n")).toEqual([
      join(older, "pids/a"),
      join(older, "pids"),
      join(older, "unified/"),
    ]);
    expect(groupFolders(mount, "0::/../outside\n")).toEqual([]);
  });

  test("makeGroup() takes the first folder that allows it, or none", () => {
    const parent = folder();
    const limits = { name: "x-1", processes: 512, memoryBytes: 1_000 };
    expect(makeGroup([join(parent, "nowhere")], limits)).toBeUndefined();
    const group = makeGroup([join(parent, "nowhere"), parent], limits);
    expect(group?.boundsMemory).toBe(false);
    expect(readFileSync(join(parent, `sion-${processId()}-x-1`, "pids.max"), "utf8")).toBe("512");
  });

  test("removeStaleGroups() removes those of processes that are gone, and no other", () => {
    const parent = folder();
    for (const name of ["sion-4194300-a-1", `sion-${processId()}-a-1`, "other"]) {
      mkdirSync(join(parent, name));
    }
    removeStaleGroups([parent, join(parent, "nowhere")]);
    expect(readdirSync(parent).sort()).toEqual(["other", `sion-${processId()}-a-1`].sort());
  });
});

describe("findProgram()", () => {
  test("takes nothing from where commands can write, nor from relative folders", () => {
    const work = folder();
    mkdirSync(join(work, "bin"));
    writeFileSync(join(work, "bin", "odd-tool"), "", { mode: 0o755 });
    const env = { PATH: `bin:${join(work, "bin")}` };
    expect(findProgram("odd-tool", env)).toBe(join(work, "bin", "odd-tool"));
    expect(findProgram("odd-tool", env, work)).toBeUndefined();
    expect(findProgram("sh", {})).toMatch(/^\/(?:usr\/)?bin\/sh$/);
  });
});
