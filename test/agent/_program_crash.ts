/** A session whose process is killed while a program of its model's calls tools. */
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import * as z from "zod";
import { openSessions } from "#internal/store/mod.ts";
import { agentTools, continueSession, defineAgentTool, runAgent } from "#internal/agent/mod.ts";
import type { AgentMachine } from "#internal/agent/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { eventKinds } from "../../internal/agent/events/mod.ts";
import type { SessionState } from "../../internal/agent/state.ts";
import { fakeLedger } from "./_machine.ts";

const AGENT = "a".repeat(64);

/** Begins the session; the process is killed in the third call of the program. */
export async function beginProgram(folder: string): Promise<void> {
  const code = "for n in range(4): print(tools.step(n=n))";
  const turns = [{ calls: [{ tool: "run_code", input: { code } }] }, { say: "Done." }];
  mkdirSync(join(folder, "work"));
  writeFileSync(join(folder, "script.json"), JSON.stringify(turns));
  const machine = machineIn(folder, () => process.kill(process.pid, "SIGKILL"));
  await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "count",
    models: ["script:script.json"],
    workspace: "work",
    autonomy: "L1",
    given: { shell: "bwrap" },
    who: "cli:test",
  }, () => {});
}

/** The one session of a folder as its log tells it. */
export function programState(folder: string): SessionState {
  const { sessions } = machineIn(folder, () => {});
  try {
    const session = sessions.list()[0]?.session ?? "";
    return createFolder(eventKinds).fold(session, sessions.read(session));
  } finally {
    sessions.close();
  }
}

/** Goes on with it. */
export async function continueProgram(folder: string): Promise<void> {
  const machine = machineIn(folder, () => {});
  try {
    const session = machine.sessions.list()[0]?.session ?? "";
    await continueSession(machine, { session, who: "cli:test" }, () => {});
  } finally {
    machine.sessions.close();
  }
}

function machineIn(folder: string, atThird: () => void): AgentMachine {
  const clock = { nowMs: () => Date.now() };
  const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
  const home = join(folder, "home");
  const step = defineAgentTool({
    name: "step",
    description: "Counts.",
    input: z.strictObject({ n: z.number() }),
    highestEffect: "read",
    repeatHarmless: true,
    openWorld: false,
    fromPrograms: true,
    async run(_context, { n }) {
      if (n === 2) atThird();
      await Promise.resolve();
      return { ok: true, text: `step ${n}` };
    },
  });
  return {
    sessions: openSessions(home, { clock, random }),
    clock,
    random,
    env: { HOME: folder, PATH: process.env["PATH"] },
    home,
    cwd: folder,
    readText: (path) => readFile(path, "utf8"),
    findAgent: () => Promise.resolve({ agent: AGENT, ledger: fakeLedger() }),
    tools: [...agentTools, step],
  };
}
