/** A session with a long log: how long it takes to open, and what a step in it costs. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openSession, reopenSession } from "#internal/agent/mod.ts";
import type { AgentMachine, Model, ModelPart } from "#internal/agent/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import type { Sessions } from "#internal/store/mod.ts";
import { spread, tenth } from "./_bench.ts";

/** Events of the long session, and of one that only shows that measuring works. */
const EVENTS = 10_000;
const QUICK_EVENTS = 300;
/** Steps of each message: a call that reads a small file, and the model's next turn. */
const STEPS = 20;
const ROUNDS = 7;
const AGENT = "d85ed254".padEnd(64, "0");

/** What it came to. */
export interface LongSession {
  readonly open_10k_events_ms: number;
  /** Of a step in the long session, and in a new one beside it. */
  readonly step_in_long_ms: number;
  readonly step_in_new_ms: number;
}

/** Makes a session of ten thousand events in a folder and measures. @param quick a few hundred */
export async function measureLongSession(folder: string, quick: boolean): Promise<LongSession> {
  const home = join(folder, "home");
  mkdirSync(join(folder, "work"), { recursive: true });
  writeFileSync(join(folder, "work", "a.txt"), "one\ntwo\nthree\n");
  const clock = { nowMs: () => Date.now() };
  const random = (n: number) => crypto.getRandomValues(new Uint8Array(n));
  const sessions = openSessions(home, { clock, random });
  const machine = machineOver(sessions, { folder, home, clock, random });
  try {
    const long = await lengthened(machine, quick ? QUICK_EVENTS : EVENTS);
    const fresh = await lengthened(machine, 0);
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const beganMs = performance.now();
      const conversation = reopenSession(machine, long, () => {});
      opened.push(performance.now() - beganMs);
      await conversation[Symbol.asyncDispose]();
    }
    const [inLong, inFresh] = [await steps(machine, long), await steps(machine, fresh)];
    return {
      open_10k_events_ms: spread(opened).median,
      step_in_long_ms: tenth(inLong),
      step_in_new_ms: tenth(inFresh),
    };
  } finally {
    sessions.close();
  }
}

/** Says things in a new session until it has so many events. */
async function lengthened(machine: AgentMachine, events: number): Promise<string> {
  const options = {
    wallet: "coder",
    agent: AGENT,
    models: [`steps:${STEPS}`],
    workspace: "work",
    autonomy: "L3",
  };
  const person = { who: "cli:bench", mayDecide: true };
  await using conversation = await openSession(machine, options, () => {});
  while (conversation.state.lastSeq < events) {
    await conversation.say({ text: "Look at it again, please, and tell me.", ...person });
  }
  return conversation.session;
}

/** The time of one step, over a run of several. */
async function steps(machine: AgentMachine, session: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using conversation = reopenSession(machine, session, () => {});
    const person = { who: "cli:bench", mayDecide: true };
    const before = conversation.state.turns.length;
    const beganMs = performance.now();
    await conversation.say({ text: "And once more.", ...person });
    times.push((performance.now() - beganMs) / (conversation.state.turns.length - before));
  }
  return spread(times).min;
}

function machineOver(
  sessions: Sessions,
  { folder, ...rest }: Pick<AgentMachine, "clock" | "random" | "home"> & {
    readonly folder: string;
  },
): AgentMachine {
  const nothing = () => Promise.reject(new Error("the benchmark pays nothing"));
  return {
    ...rest,
    sessions,
    env: { HOME: folder },
    cwd: folder,
    readText: nothing,
    findAgent: () =>
      Promise.resolve({
        agent: AGENT,
        ledger: { budget: nothing, pay: nothing, outcome: nothing } as never,
      }),
    providers: [{
      scheme: "steps",
      usage: "<n>",
      open: (n) => Promise.resolve(steppingModel(Number(n))),
    }],
  };
}

/** A model that reads a file so many times for each message, and answers at once. */
function steppingModel(steps: number): Model {
  return {
    name: `steps:${steps}`,
    async *respond({ messages, tools }): AsyncGenerator<ModelPart> {
      const from = messages.findLastIndex(({ role }) => role === "person");
      const made = messages.slice(from).filter(({ role }) => role === "results").length;
      yield await Promise.resolve({ type: "text", text: `I have looked ${made} times so far.` });
      if (made < steps && tools.length > 0) {
        yield { type: "call", tool: "read_file", input: '{"path":"a.txt"}' };
      }
      // Counted as providers do, so that the runtime needs not.
      yield { type: "usage", input: 3_000 + 60 * messages.length, output: 20 };
      yield { type: "end", stop: "end" };
    },
  };
}
