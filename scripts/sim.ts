/**
 * `scripts/sim [--seeds N] [--from S]`: runs simulated networks of four validators under faults, one
 * for each seed, until one breaks a promise or all are done. `--seed S` replays one, `--trace` prints
 * all that happens in it, `--plans NAME` takes those of one kind, `--rules NAME` plants a broken rule, `--no-shrink` leaves a failing
 * schedule as it is. Exit code 1 when a promise was broken, 2 for bad usage.
 */
import process from "node:process";
import { parseArgs } from "node:util";
import { BROKEN_RULES } from "../test/sim/broken_rules.ts";
import type { Plan } from "../test/sim/plan.ts";
import { PLANS } from "../test/sim/plan_of.ts";
import type { Rules } from "../test/sim/rules.ts";
import { PRODUCT } from "../test/sim/rules.ts";
import { shrink } from "../test/sim/shrink.ts";
import type { Outcome } from "../test/sim/outcome.ts";
import { run } from "../test/sim/simulation.ts";
import { wholeNumber } from "./_whole_number.ts";

/** How often the rate is printed. */
const REPORT_MS = 10_000;
const DEFAULT_SEEDS = 1000;

const HELP = `scripts/sim [--seeds N] [--from S] | --seed S [--trace]
Simulated networks under faults, one a seed; or one seed again.
  --seeds N     how many seeds (default ${DEFAULT_SEEDS})
  --from S      the first seed (default 1)
  --seed S      this one alone
  --trace       print what happens
  --plans NAME  what they are about: ${Object.keys(PLANS).join(", ")} (default all)
  --rules NAME  with a rule broken: ${BROKEN_RULES.map(({ name }) => name).join(", ")}
  --no-shrink   report a failure as it is
  --help        this text`;

/** Sums over all runs. */
type Totals = Record<
  | "rounds"
  | "pulses"
  | "executed"
  | "finals"
  | "voids"
  | "expired"
  | "crashes"
  | "refuted"
  | "paid"
  | "refunded",
  number
>;

function rulesNamed(name: string | undefined): Rules {
  if (name === undefined) return PRODUCT;
  const found = BROKEN_RULES.find((rules) => rules.name === name);
  if (found !== undefined) return found;
  throw new RangeError(
    `no rules are named ${name}: there are ${BROKEN_RULES.map(({ name }) => name).join(", ")}`,
  );
}

/** What is run: plans of one kind, under rules. */
interface Setting {
  readonly plans: string;
  readonly rules: Rules;
  readonly shrinks: boolean;
}

function plansNamed(name: string): (seed: number) => Plan {
  const found = PLANS[name];
  if (found !== undefined) return found;
  throw new RangeError(`no plans are ${name}: there are ${Object.keys(PLANS).join(", ")}`);
}

function replayCommand(seed: number, { plans, rules }: Setting): string {
  return `scripts/sim --seed ${seed} --trace` + (plans === "all" ? "" : ` --plans ${plans}`) +
    (rules === PRODUCT ? "" : ` --rules ${rules.name}`);
}

/** Says what broke, how to see it again, and the shortest schedule that breaks it. */
function report(plan: Plan, setting: Setting, outcome: Outcome): void {
  const { rules, shrinks } = setting;
  console.log(`seed ${plan.seed} broke a promise: ${outcome.violation?.message}`);
  if (outcome.violation?.cause instanceof Error) console.log(outcome.violation.cause.stack);
  console.log(`replay: ${replayCommand(plan.seed, setting)}`);
  if (!shrinks) return;
  const shrunk = shrink(plan, rules);
  const { events, ...rest } = shrunk.plan;
  console.log(
    `shrunk from ${plan.events.length} events to ${events.length} in ${shrunk.runs} runs: ` +
      shrunk.violation.message,
  );
  console.log(JSON.stringify(rest));
  for (const event of events) console.log(`  ${JSON.stringify(event)}`);
}

function sum(totals: Totals, outcome: Outcome): void {
  for (const name of Object.keys(totals) as (keyof Totals)[]) totals[name] += outcome[name];
}

function runMany(from: number, count: number, setting: Setting): number {
  const planOf = plansNamed(setting.plans);
  const { rules } = setting;
  const totals: Totals = {
    rounds: 0,
    pulses: 0,
    executed: 0,
    finals: 0,
    voids: 0,
    expired: 0,
    crashes: 0,
    refuted: 0,
    paid: 0,
    refunded: 0,
  };
  const startMs = performance.now();
  let reportedMs = startMs;
  const rate = (done: number): string =>
    `${done} seeds, ${(1000 * done / (performance.now() - startMs)).toFixed(1)} a second`;
  for (let done = 0; done < count; done++) {
    const plan = planOf(from + done);
    const outcome = run(plan, { rules });
    sum(totals, outcome);
    if (outcome.violation !== undefined) {
      console.log(rate(done + 1));
      report(plan, setting, outcome);
      return 1;
    }
    if (performance.now() - reportedMs < REPORT_MS) continue;
    reportedMs = performance.now();
    console.error(rate(done + 1));
  }
  console.log(`${rate(count)}: no promise broken`);
  console.log(Object.entries(totals).map(([name, value]) => `${value} ${name}`).join(", "));
  return 0;
}

function main(): number {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      plans: { type: "string", default: "all" },
      rules: { type: "string" },
      trace: { type: "boolean", default: false },
      "no-shrink": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const rules = rulesNamed(values.rules);
  const setting = { plans: values.plans, rules, shrinks: !values["no-shrink"] };
  if (values.seed === undefined) {
    const count = wholeNumber("seeds", values.seeds, DEFAULT_SEEDS);
    return runMany(wholeNumber("from", values.from, 1), count, setting);
  }
  const plan = plansNamed(setting.plans)(wholeNumber("seed", values.seed, 0));
  const outcome = run(plan, {
    rules,
    ...(values.trace ? { trace: (line: string) => console.log(line) } : {}),
  });
  if (outcome.violation !== undefined) report(plan, setting, outcome);
  else console.log(JSON.stringify(outcome));
  return outcome.violation === undefined ? 0 : 1;
}

try {
  process.exitCode = main();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
