/** An agent over the real client and the real ledger, executed in this process. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openClient } from "#internal/client/mod.ts";
import type { Client, CreatedAgent, NewAgent } from "#internal/client/mod.ts";
import { openAgentMachine, runAgent } from "#internal/agent/mod.ts";
import type { OpenMachine, RunOptions } from "#internal/agent/mod.ts";
import { FakeChain } from "../client/fake_chain.ts";
import { hearing, testFolder } from "./_machine.ts";
import type { Turn } from "./_machine.ts";

/** Micro-USD. */
export const USD = 1_000_000n;

/** An agent on a chain of its own, and machines for it. */
export interface Bench {
  readonly chain: FakeChain;
  readonly folder: string;
  readonly created: CreatedAgent;
  /** Of everybody else. */
  readonly client: Client;
  machine(): OpenMachine;
  /** What an account has got. */
  balance(name: string): Promise<bigint>;
}

/** What an agent is given unless a test says otherwise. */
export const LIMITS = { budget: 10n * USD, payees: ["bob", "carol"] };

/** Makes one. @param on an existing one */
export async function bench(limits: Partial<NewAgent> = LIMITS, on?: FakeChain): Promise<Bench> {
  const chain = on ?? await FakeChain.start();
  const folder = testFolder();
  const home = join(folder, "home");
  mkdirSync(join(folder, "work"));
  const options = { env: { HOME: folder }, home, transport: chain.transport };
  const client = openClient(options);
  const created = await client.createAgent({
    principal: "alice",
    wallet: "coder",
    ...limits,
  });
  onTestFinished(() => client[Symbol.dispose]());
  return {
    chain,
    folder,
    created,
    client,
    machine() {
      const machine = openAgentMachine({ ...options, cwd: folder });
      onTestFinished(() => machine[Symbol.dispose]());
      return machine;
    },
    balance: async (name) => chain.balance(await chain.accountOf(name)),
  };
}

/** Writes a script. */
export function script(folder: string, turns: readonly Turn[]): string {
  writeFileSync(join(folder, "s.json"), JSON.stringify(turns));
  return "script:s.json";
}

/** Runs the agent on a script. */
export async function run(here: Bench, turns: readonly Turn[], options: Partial<RunOptions> = {}) {
  const heard = hearing();
  const end = await runAgent(here.machine(), {
    wallet: "coder",
    agent: here.created.agent,
    task: "Pay.",
    models: [script(here.folder, turns)],
    autonomy: "L6",
    who: "cli:root",
    ...options,
  }, heard.listener);
  return { ...heard, end };
}
