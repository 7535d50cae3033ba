/** What the commands of one sandbox share, what nobody else does, and that a kill ends all of it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BackgroundJobs, runCommand } from "#internal/sandbox/mod.ts";
import type { Sandbox, SandboxCommand } from "#internal/sandbox/mod.ts";
import { runtimeCommand, signalTo, start } from "../e2e/_child.ts";
import { needs } from "../parts.ts";
import { answerOf, testPlace, testSandbox } from "./_open.ts";

const LIMIT_MS = 120_000;
const PORT = 47_113;

/** Says that it listens, and serves the text to whoever connects. */
const SERVER = `perl -MIO::Socket::INET -e '
  $| = 1;
  $server = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1:${PORT}") or die $!;
  print "listening\\n";
  while ($client = $server->accept) { print $client "served\\n"; close $client }'`;
const ASK = [
  "/usr/bin/perl",
  "-MIO::Socket::INET",
  "-e",
  `$s = IO::Socket::INET->new("127.0.0.1:${PORT}") or print("$!") && exit; print <$s>`,
];

/** What somebody in a sandbox hears from the port. */
async function heard(
  sandbox: Sandbox,
  command: Omit<SandboxCommand, "argv"> = {},
): Promise<string> {
  const { stdout, stderr } = await runCommand(sandbox, { ...command, argv: ASK });
  return new TextDecoder().decode(stdout.head) + new TextDecoder().decode(stderr.head);
}

/** What the machine itself hears from it. */
function heardHere(): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(PORT, "127.0.0.1", () => resolve("connected"));
    socket.once("error", (error) => resolve((error as { code?: string }).code ?? "error"));
  });
}

describe.skipIf(!needs("bubblewrap", "commands and jobs together"))("a sandbox's commands", {
  timeout: LIMIT_MS,
}, () => {
  test("reach the server that a job runs, and nobody else does [A-102]", async () => {
    const sandbox = await testSandbox();
    const jobs = new BackgroundJobs(sandbox);
    const job = await jobs.start(`echo $$ > /tmp/server.txt; ${SERVER}`) ?? 0;
    while ((await jobs.read(job))?.output.totalBytes === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(await heard(sandbox)).toBe("served\n");
    expect(await answerOf(sandbox, "wc -l < /tmp/server.txt")).toBe(
      "exit status 0\n--- stdout\n1",
    );
    const refused = "Connection refused";
    expect(await heard(sandbox, { hosts: [] })).toBe(refused);
    expect(await heard(await testSandbox())).toBe(refused);
    expect(await heard(sandbox, { bare: true })).toMatch(/not supported/);
    expect(await heardHere()).toBe("ECONNREFUSED");
    expect((await jobs.stop(job))?.stopped).toBe(true);
    expect(await heard(sandbox)).toBe(refused);
  });

  test("share a /tmp of one size, which a script of a skill's and a program of a model's do not see", async () => {
    const sandbox = await testSandbox();
    expect(await answerOf(sandbox, "head -c 200M /dev/zero > /tmp/large && echo made")).toContain(
      "made",
    );
    expect(await answerOf(sandbox, "head -c 100M /dev/zero > /tmp/more")).toContain(
      "No space left",
    );
    const look = ["/bin/ls", "/tmp"];
    for (const apart of [{ hosts: [] }, { bare: true }] as const) {
      const { stdout } = await runCommand(sandbox, { ...apart, argv: look });
      expect(stdout.totalBytes).toBe(0);
    }
  });

  test("do not share a /tmp that folders of the machine's are shown in", async () => {
    const place = testPlace();
    const folder = mkdtempSync("/tmp/sion-shown-");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sandbox = await testSandbox({ read: [folder] }, place);
    expect(await answerOf(sandbox, "echo x > /tmp/x; ls -d /tmp/sion-shown-*")).toContain(folder);
    expect(await answerOf(sandbox, "ls /tmp")).not.toContain("x\n");
  });

  test("are gone with a runtime that is killed, the ones that wait too, and no mount is left", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sion-killed-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const runtime = start(runtimeCommand("_sandbox_child.ts", folder, "held"));
    await runtime.until(() => runtime.stdout().includes("held"));
    // The command, the job, and the one that waits for the next command.
    await expect.poll(() => processesNaming(folder).length).toBeGreaterThanOrEqual(3);
    signalTo(runtime, "SIGKILL");
    await runtime.ended;
    while (processesNaming(folder).length > 0 || processesNaming("sleep 86399").length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(folder);
  });
});

/** The machine's processes with a text among their arguments. */
function processesNaming(text: string): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(text);
    } catch {
      return false;
    }
  });
}
