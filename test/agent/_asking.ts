/** Runs of an agent with a vendor's model that is the stand-in, for tests. */
import * as z from "zod";
import { continueSession, defineAgentTool, runAgent } from "#internal/agent/mod.ts";
import type { AgentMachine, Listener, RunEnd, RunOptions } from "#internal/agent/mod.ts";
import { AGENT, hearing, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";
import type { StandIn } from "./_stand_in.ts";
import { standInOf } from "./_stand_in.ts";
import type { Plan } from "./_stand_in_plan.ts";

/** The key of the tests, which no output may hold. */
export const KEY = "sk-test-0123456789abcdef";

/** Characters that one answer may have. */
export const MAX_ANSWER = 8 << 20;

/** A tool that reads nothing and says what it was given. */
export const echo = defineAgentTool({
  name: "echo",
  description: "Says what it is given.",
  input: z.strictObject({ words: z.string() }),
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: false,
  run: (_context, { words }) => Promise.resolve({ ok: true, text: words }),
});

/** A run and what came of it. */
export interface Asked extends ReturnType<typeof hearing> {
  readonly end: RunEnd;
  readonly machine: TestMachine;
  readonly server: StandIn;
  /** The waits before requests that were made again, ms. */
  readonly waits: number[];
}

/** What a run is asked with. */
export interface AskOptions extends Partial<Omit<RunOptions, "models">> {
  readonly models: readonly string[];
  readonly signal?: AbortSignal;
  readonly onEvent?: Listener;
  readonly machine?: Partial<AgentMachine>;
}

/** A machine whose providers of models are all the stand-in. */
export function askingMachine(
  server: StandIn,
  waits: number[],
  replace: Partial<AgentMachine> = {},
): TestMachine {
  return testMachine({
    tools: [echo],
    env: {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
    },
    pause: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    ...replace,
  });
}

/** Runs a task against a stand-in with these plans. */
export async function ask(plans: readonly Plan[], options: AskOptions): Promise<Asked> {
  const server = await standInOf(plans);
  const waits: number[] = [];
  const { machine: replace = {}, signal, onEvent, ...run } = options;
  const machine = askingMachine(server, waits, replace);
  const heard = hearing();
  const end = await runAgent(
    machine,
    { wallet: "coder", agent: AGENT, task: "Go.", who: "cli:root", ...run },
    (event) => {
      heard.listener(event);
      onEvent?.(event);
    },
    signal,
  );
  return { ...heard, end, machine, server, waits };
}

/** Says something more in the session of a run. */
export async function say(asked: Asked, words: string): Promise<Asked> {
  const heard = hearing();
  const end = await continueSession(
    asked.machine,
    { session: asked.end.session, who: "cli:root", say: words },
    heard.listener,
  );
  return { ...asked, ...heard, end };
}

/** A call of `echo`. */
export const echoes = (words: string) => ({ tool: "echo", json: JSON.stringify({ words }) });
