/** The shell of a session: what it answers, what it counts as, and how it is asked for. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentTools, openSession, runAgent } from "#internal/agent/mod.ts";
import type { AgentToolContext, RunEnd } from "#internal/agent/mod.ts";
import { openWorkspace } from "../../internal/agent/workspace.ts";
import { needs } from "../parts.ts";
import { AGENT, fakeLedger, hearing, scriptOf, testFolder, testMachine } from "./_machine.ts";
import type { TestMachine, Turn } from "./_machine.ts";
import { plainShell } from "./_plain_shell.ts";

const LIMIT_MS = 60_000;

function toolNamed(name: string) {
  const tool = agentTools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

async function contextIn(folder: string, online = false): Promise<AgentToolContext> {
  return {
    signal: new AbortController().signal,
    session: "5".repeat(16),
    call: "1.1",
    outside: [],
    ledger: fakeLedger(),
    workspace: await openWorkspace(folder),
    services: { shell: plainShell(folder, online) },
    note: () => {},
  };
}

/** Runs a script in a session with a shell. */
async function run(
  turns: readonly Turn[],
  capabilities: Readonly<Record<string, string | readonly string[]>> = { shell: "bwrap" },
  autonomy = "L3",
): Promise<{ lines: readonly string[]; end: RunEnd; machine: TestMachine }> {
  const machine = testMachine();
  mkdirSync(join(machine.folder, "work"));
  const { listener, lines } = hearing();
  const options = {
    wallet: "coder",
    agent: "d85ed254",
    task: "do it",
    who: "cli:test",
    models: [scriptOf(machine, turns)],
    workspace: "work",
    autonomy,
    given: capabilities,
  };
  const end = await runAgent(machine, options, listener);
  return { lines, end, machine };
}

describe("the tool shell", () => {
  const shell = toolNamed("shell");

  test("takes the command under its one name, and no other argument than whether to wait [A-072 A-073]", () => {
    expect(shell.input.safeParse({ command: "ls" }).success).toBe(true);
    for (const input of [{}, { command: "" }, { command: "ls", cwd: "/" }, { cmd: "ls" }]) {
      expect(shell.input.safeParse(input).success).toBe(false);
    }
    expect(shell.mainArgument).toBe("command");
  });

  test("is a write without network and external with one, whose output taints [A-039 A-041 A-043 A-125 A-127]", async () => {
    const situation = (online: boolean) => ({
      id: "5".repeat(16),
      outside: [],
      services: { shell: plainShell("/", online) },
    });
    const input = { command: "ls" };
    expect(shell.effect?.(input, situation(false))).toBe("write");
    expect(shell.effect?.(input, situation(true))).toBe("external");
    for (const online of [false, true]) {
      const result = await shell.run(await contextIn(testFolder(), online), input);
      expect(shell.outside?.(result, input)).toBe(online ? "a command with network" : undefined);
    }
  });

  test("answers a failure with its exit status, as an answer [A-080]", async () => {
    const folder = testFolder();
    const answer = await shell.run(await contextIn(folder), { command: "echo no >&2; exit 4" });
    expect(answer).toMatchObject({ ok: true, text: "exit status 4\n--- stderr\nno" });
  });

  test("refuses what no program could be given", async () => {
    const answer = await shell.run(await contextIn(testFolder()), { command: "a\0b" });
    expect(answer).toMatchObject({ ok: false, code: "argument", noEffect: true });
  });
});

describe("the tool shell_job", () => {
  const shell = toolNamed("shell");
  const job = toolNamed("shell_job");

  test("starts a command, reads what is new of it, waits for its end", async () => {
    const folder = testFolder();
    const context = await contextIn(folder);
    expect(await job.run(context, {})).toMatchObject({
      text: "no job was started in this conversation",
    });
    const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3";
    expect(await shell.run(context, { command, background: true })).toEqual({
      ok: true,
      text: "job 1 started: look at it with shell_job",
    });
    let first = await job.run(context, { job: 1 });
    while (first.ok && first.text.includes("nothing new")) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      first = await job.run(context, { job: 1 });
    }
    expect(first).toMatchObject({ text: "job 1 runs\n--- output\none" });
    expect(await job.run(context, {})).toMatchObject({ text: `job 1 runs: ${command}` });
    writeFileSync(join(folder, "go"), "");
    expect(await job.run(context, { job: 1, wait: 10 })).toMatchObject({
      text: "job 1 ended with exit status 3\n--- output\ntwo",
    });
    expect(await job.run(context, { job: 1 })).toMatchObject({
      text: "job 1 ended with exit status 3; it printed nothing new",
    });
  });

  test("ends a job, and bounds how many run", async () => {
    const context = await contextIn(testFolder());
    for (let number = 1; number <= 8; number++) {
      await shell.run(context, { command: "sleep 600", background: true });
    }
    expect(await shell.run(context, { command: "true", background: true })).toMatchObject({
      ok: false,
      code: "busy",
    });
    for (let number = 1; number <= 8; number++) {
      expect(await job.run(context, { job: number, stop: true })).toMatchObject({
        text: expect.stringContaining("(stopped by this session)") as string,
      });
    }
    expect(await job.run(context, { job: 9 })).toMatchObject({ ok: false, code: "argument" });
    expect(job.effect?.({ job: 1, stop: true }, { id: "", outside: [], services: {} })).toBe(
      "write",
    );
    expect(job.effect?.({ job: 1 }, { id: "", outside: [], services: {} })).toBe("read");
  });
});

describe("a session without what a shell needs", () => {
  test("says what to give, before there is a session", async () => {
    const say: readonly Turn[] = [{ say: "x" }];
    await expect(run(say, { sandboxTimeout: "9" })).rejects.toThrow(
      "--sandbox-timeout is for a shell: give --shell too",
    );
    await expect(run(say, { shell: "bwrap", sandboxNetwork: "sion-egress" })).rejects.toThrow(
      "with bubblewrap the network is none, declared or host, not sion-egress",
    );
    await expect(run(say, { shell: "bwrap", sandboxRead: ["home"] })).rejects.toThrow(
      /^--sandbox-read home would show ~\/home/,
    );
    const machine = testMachine();
    const options = {
      wallet: "coder",
      agent: "d85ed254",
      task: "x",
      who: "cli:test",
      models: [scriptOf(machine, say)],
      given: { shell: "bwrap" },
    };
    await expect(runAgent(machine, options, () => {})).rejects.toThrow(
      "--shell works in a workspace: give --workspace <folder> too",
    );
    expect(machine.sessions.list(1)).toEqual([]);
  });

  test("has no tool of that name [A-072]", async () => {
    const { lines } = await run([{ calls: [{ tool: "shell", input: { command: "ls" } }] }, {
      say: "x",
    }], {});
    expect(lines.join("\n")).toContain(
      "there is no tool named shell without shell: run the agent with --shell",
    );
  });
});

describe.skipIf(!needs("bubblewrap", "an agent's shell"))("a session with a shell", {
  timeout: LIMIT_MS,
}, () => {
  test("has, with its workspace, tools that change code and check it [A-003 A-148 A-175]", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const options = {
      wallet: "coder",
      agent: AGENT,
      models: [scriptOf(machine, [{ say: "x" }])],
      workspace: "work",
    };
    const files = "apply_patch edit_file find_files read_file search_files write_file".split(" ");
    const checks = "diagnostics run_tests".split(" ");
    {
      await using without = await openSession(machine, options, () => {});
      const names = await without.toolNames();
      expect(names).toEqual(expect.arrayContaining(files));
      expect(names).not.toContain("diagnostics");
    }
    const given = { shell: "bwrap" };
    await using session = await openSession(machine, { ...options, given }, () => {});
    expect(await session.toolNames()).toEqual(
      expect.arrayContaining([...files, ...checks, "shell", "shell_job"]),
    );
  });

  test("runs commands in its sandbox from L3 on, twice when asked twice [A-072 A-075 A-076]", async () => {
    const call = { tool: "shell", input: { command: "id -u; echo x >> log; wc -l < log" } };
    const { lines, end, machine } = await run([{ calls: [call] }, { calls: [call] }, {
      say: "done",
    }]);
    expect(end.how).toBe("done");
    expect(lines.slice(1).map((line) => line.trimStart())).toEqual([
      '→ shell {"command":"id -u; echo x >> log; wc -l < log"}',
      "← exit status 0\n--- stdout\n10001\n1",
      '→ shell {"command":"id -u; echo x >> log; wc -l < log"}',
      "← exit status 0\n--- stdout\n10001\n2",
      "agent: done",
      `session ${end.session}: done`,
    ]);
    expect(readFileSync(join(machine.folder, "work", "log"), "utf8")).toBe("x\nx\n");
  });

  test("says how far a command is that takes its time", async () => {
    const machine = testMachine();
    mkdirSync(join(machine.folder, "work"));
    const { listener, events } = hearing();
    const call = { tool: "shell", input: { command: "echo early; sleep 1.1; echo late" } };
    await runAgent(machine, {
      wallet: "coder",
      agent: "d85ed254",
      task: "do it",
      who: "cli:test",
      models: [scriptOf(machine, [{ calls: [call] }, { say: "done" }])],
      workspace: "work",
      autonomy: "L3",
      given: { shell: "bwrap" },
    }, listener);
    const told = events.flatMap((event) =>
      event.type === "tool" && event.state === "running" ? event.text ?? [] : []
    );
    expect(told).toEqual(["late"]);
  });

  test("waits for a person at L2, and with the host's network at L4 [A-039 A-041 A-125 A-126]", async () => {
    const turns = [{ calls: [{ tool: "shell", input: { command: "true" } }] }, { say: "x" }];
    expect((await run(turns, { shell: "bwrap" }, "L2")).end.how).toBe("waiting");
    const host = { shell: "bwrap", sandboxNetwork: "host" };
    expect((await run(turns, host, "L4")).end.how).toBe("waiting");
    expect((await run(turns, host, "L5")).end.how).toBe("done");
    expect((await run(turns, { shell: "bwrap", sandboxNetwork: "declared" }, "L3")).end.how).toBe(
      "done",
    );
  });

  test("is tainted by what a command with network printed [A-011 A-043 A-126]", async () => {
    const call = { tool: "shell", input: { command: "echo from outside" } };
    const host = { shell: "bwrap", sandboxNetwork: "host" };
    const { lines, end } = await run(
      [{ calls: [call] }, { calls: [call] }, { say: "x" }],
      host,
      "L6",
    );
    expect(end.how).toBe("waiting");
    expect(lines.join("\n")).toContain("after reading a command with network");
  });
});
