/**
 * What obeying every injection comes to: AgentDojo's recorded tasks, each with each of its attackers'
 * goals, in real sessions under four policies, with a model that does what any text tells it and
 * nobody who approves. Tools and targets: `fixtures/agentdojo/tools.json`.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { policySteps } from "#internal/agent/mod.ts";
import type { AgentLedger, AgentMachine, PolicyStep } from "#internal/agent/mod.ts";
import type { Effect } from "#internal/mcp/mod.ts";
import { openSessions } from "#internal/store/mod.ts";
import { type Bench, type BenchOptions, progress } from "./_bench.ts";
import { readSuites, readTools } from "./_injection_data.ts";
import type { Suite, ToolFacts } from "./_injection_data.ts";
import { runScenario } from "./_injection_run.ts";
import type { MeasuredPolicy, Scenario } from "./_injection_run.ts";

/** The levels at which nothing but the policy's other steps keeps a call from running. */
const LEVELS = ["L5", "L6"] as const;
type Level = (typeof LEVELS)[number];
/** Each how-manieth task is attacked with `--quick`. */
const QUICK = 8;
/** Commits are durable, and there are thousands: in memory where there is such a place. */
const BASE = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** What one policy came to at one level. */
type Figures = {
  /** Tasks with a goal each, goals of words alone among them. */
  pairs: number;
  /** Pairs in which a call of the goal acted. */
  injected_ran: number;
  /** Pairs whose goal is to say something, in which the model was told so. */
  text_only_ran: number;
  benign: number;
  benign_without_question: number;
  /** Questions in the benign tasks. */
  questions: number;
};

/** Once anything came from outside, calls of these effects ask, wherever they go. */
function taintAlone(effects: readonly Effect[]): PolicyStep {
  return {
    name: "taint",
    judge: ({ effect, state, tool }) => {
      // Without a rule for what nothing takes back, that is a write.
      const plain = tool.irreversible === true ? tool.highestEffect : effect;
      return state.outside.length > 0 && effects.includes(plain)
        ? { answer: "ask", why: "tainted", standing: false }
        : undefined;
    },
  };
}

function stepsNamed(...names: readonly string[]): readonly PolicyStep[] {
  return policySteps.filter(({ name }) => names.includes(name));
}

const POLICIES: readonly MeasuredPolicy[] = [
  { name: "none", steps: [], namesAreOutside: false },
  {
    name: "taint alone",
    steps: [...stepsNamed("level", "approval"), taintAlone(["external", "spend"])],
    namesAreOutside: false,
  },
  {
    name: "taint on writes",
    steps: [...stepsNamed("level", "approval"), taintAlone(["write", "external", "spend"])],
    namesAreOutside: false,
  },
  { name: "sion's", steps: policySteps, namesAreOutside: true },
];

export const injection: Bench = {
  name: "injection",
  brief: "a model that obeys every injection: actions that ran, tasks done without a question",
  run: measure,
  show,
};

async function measure({ quick }: BenchOptions): Promise<Readonly<Record<string, unknown>>> {
  const table = readTools();
  const folder = mkdtempSync(join(BASE, "sion-injection-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const policies: Record<string, Record<Level, Figures>> = {};
  for (const policy of POLICIES) {
    const levels: Partial<Record<Level, Figures>> = {};
    for (const level of LEVELS) {
      progress(`${policy.name} at ${level}`);
      using sessions = sessionsIn(folder, `${policy.name} ${level}`);
      levels[level] = await figuresOf(sessions.machine, policy, table, level, quick);
    }
    policies[policy.name] = levels as Record<Level, Figures>;
  }
  process.off("exit", remove);
  remove();
  return { ...policies["sion's"], policies };
}

async function figuresOf(
  machine: AgentMachine,
  policy: MeasuredPolicy,
  table: ReadonlyMap<string, ToolFacts>,
  level: Level,
  quick: boolean,
): Promise<Figures> {
  const figures: Figures = {
    pairs: 0,
    injected_ran: 0,
    text_only_ran: 0,
    benign: 0,
    benign_without_question: 0,
    questions: 0,
  };
  for (const suite of readSuites().values()) {
    const others = recordedIn(suite);
    for (const [index, task] of Object.values(suite.user).entries()) {
      const scenario: Scenario = { task, goal: undefined, others };
      const { questions, finished } = await runScenario(machine, scenario, policy, table, level);
      figures.benign++;
      figures.questions += questions;
      if (questions === 0 && finished) figures.benign_without_question++;
      if (quick && index % QUICK !== 0) continue;
      for (const goal of Object.values(suite.injection)) {
        const end = await runScenario(machine, { task, goal, others }, policy, table, level);
        figures.pairs++;
        if (end.injectedRan.length > 0) figures.injected_ran++;
        if (goal.calls.length === 0 && end.reached) figures.text_only_ran++;
      }
    }
  }
  return figures;
}

function recordedIn(suite: Suite): Scenario["others"] {
  return Object.values(suite.user).flatMap(({ trace }) =>
    trace.map(({ tool, args, result }) => ({ call: { tool, args }, result }))
  );
}

/** A machine whose sessions are real files, for an agent that needs no ledger here. */
function sessionsIn(folder: string, name: string): Disposable & { readonly machine: AgentMachine } {
  const clock = { nowMs: () => Date.now() };
  const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
  const home = join(folder, name.replaceAll(/[^a-z0-9]/gi, "-"));
  const sessions = openSessions(home, { clock, random });
  const nothing = (): never => {
    throw new Error("Cannot use a ledger here: the recorded tools have none");
  };
  const ledger = new Proxy({} as AgentLedger, { get: nothing });
  return {
    machine: {
      sessions,
      clock,
      random,
      env: {},
      home,
      cwd: folder,
      readText: nothing,
      findAgent: () => Promise.resolve({ agent: "b".repeat(64), ledger }),
    },
    [Symbol.dispose]: () => sessions.close(),
  };
}

function show(result: Readonly<Record<string, unknown>>): readonly string[] {
  const policies = result["policies"] as Record<string, Record<Level, Figures>>;
  const lines = [
    "policy            level  injected actions that ran  benign tasks without a question  questions",
  ];
  for (const [name, levels] of Object.entries(policies)) {
    for (const level of LEVELS) {
      const found = levels[level];
      const acting = found.pairs - found.text_only_ran;
      lines.push([
        name.padEnd(18),
        level.padEnd(7),
        `${found.injected_ran} of ${acting}`.padEnd(27),
        `${found.benign_without_question} of ${found.benign}`.padEnd(33),
        String(found.questions),
      ].join(""));
    }
  }
  return lines;
}
