/**
 * What a session's requests to models cost, against the budgets it draws on. Each request is counted at
 * the most it can cost before it is made, and at its cost after: so runs that go on at once, in whatever
 * processes, never spend more together than a budget has.
 */
import { formatUsd } from "#internal/core/mod.ts";
import type { BudgetStanding } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { Charge } from "./charge.ts";
import { AgentError } from "./errors.ts";
import { zoneMinuteText } from "./minutes.ts";

/** How often it is looked whether requests of other runs left enough, ms. */
const LOOK_AGAIN_MS = 250;

/** A request that is to be counted. */
export interface Costing {
  /** The model, as `--model` has it. */
  readonly what: string;
  /** The most it can cost, micro-USD; undefined where its price is not known. */
  readonly mostMicro: bigint | undefined;
  /** Makes it cost at most so much; gives the most it can cost then, or nothing when it cannot. @default it cannot */
  readonly shorten?: (leftMicro: bigint) => bigint | undefined;
  /** What else a person can do where too little is left. @default shorter answers */
  readonly advice?: string;
}

/**
 * Counts a request before it is made, made shorter where else too little is left. Waits while it is only
 * requests under way that leave too little.
 * @throws {AgentError} `budget`, or `cost` for the run's own bound, when it may not be made
 * @throws the signal's reason, when it is stopped while it waits
 */
export async function charge(
  { budgets, recorder, pause }: ActiveSession,
  costing: Costing,
  stop: AbortSignal,
): Promise<Charge> {
  const { session, settings, budget } = recorder.state;
  if (budgets === undefined) return { settle: () => {} };
  const { usdMicro: limitMicro = 0n } = settings?.limits ?? {};
  const asked = {
    names: settings?.budgets ?? [],
    session,
    ...(limitMicro === 0n ? {} : { bound: { run: budget.from, limitMicro } }),
  };
  let { mostMicro } = costing;
  for (let looks = 0;; looks++) {
    const reserved = budgets.reserve({
      ...asked,
      ...(mostMicro === undefined ? {} : { mostMicro }),
    });
    switch (reserved.how) {
      case "reserved": {
        const { id } = reserved;
        return {
          settle: (costMicro) => id === undefined ? undefined : budgets.settle(id, costMicro),
        };
      }
      case "unpriced":
        throw unpriced(reserved.budget, costing.what);
      case "exceeded": {
        const { limitMicro: all, spentMicro } = reserved.budget;
        const less = costing.shorten?.(all - spentMicro);
        if (less === undefined) throw exceeded(reserved.budget, costing, mostMicro ?? 0n);
        mostMicro = less;
        break;
      }
      case "busy":
        if (looks === 0) {
          const { ofRun, name } = reserved.budget;
          const text = `${ofRun === true ? "the run's USD" : `budget ${name}`}: waiting until ` +
            "requests under way are counted at what they cost";
          recorder.tell({ type: "notice", text });
        }
        await pause(LOOK_AGAIN_MS, stop);
        stop.throwIfAborted();
    }
  }
}

/** Where the budgets stand that a session draws on, a line each; what an ended run tells. */
export function budgetLines(
  { budgets, recorder: { state } }: Pick<ActiveSession, "budgets" | "recorder">,
): readonly string[] {
  return (budgets?.list(state.settings?.budgets ?? []) ?? []).map(budgetText);
}

/** `budget lead: 0.42 of 5 USD a day used, until 2026-12-02 00:00Z`. */
export function budgetText(budget: BudgetStanding): string {
  const { name, spentMicro, openMicro, unknownMicro } = budget;
  const held = openMicro > 0n ? `, ${formatUsd(openMicro)} of it held for requests under way` : "";
  const unknown = unknownMicro > 0n
    ? `, ${formatUsd(unknownMicro)} of it the most of requests whose process ended`
    : "";
  return `budget ${name}: ${formatUsd(spentMicro)} of ${limitText(budget)} used${held}${unknown}` +
    untilText(budget);
}

function limitText({ limitMicro, per }: BudgetStanding): string {
  return `${formatUsd(limitMicro)} USD${per === "total" ? "" : ` a ${per}`}`;
}

function untilText({ untilMs, zone }: BudgetStanding): string {
  return untilMs === undefined ? "" : `, until ${zoneMinuteText(untilMs, zone)}`;
}

function exceeded(
  budget: BudgetStanding,
  { what, advice = ", or bound its answers with ?max-output=<tokens>" }: Costing,
  mostMicro: bigint,
): AgentError {
  const { name, limitMicro, spentMicro, ofRun } = budget;
  if (ofRun === true) {
    const all = `${formatUsd(limitMicro)} USD`;
    if (spentMicro >= limitMicro) return new AgentError("cost", `the run has cost its ${all}`);
    const used = spentMicro === 0n
      ? ""
      : `the run has cost ${formatUsd(spentMicro)} of its ${all}, and `;
    return new AgentError(
      "cost",
      `${used}a request to ${what} can cost ${formatUsd(mostMicro)} USD` +
        `${used === "" ? `, more than the run's ${all}` : ""}: give a larger --max-usd${advice}`,
    );
  }
  const raise = `raise it with \`sion agent budget set ${name} <usd>\``;
  if (spentMicro >= limitMicro) {
    const used = `budget ${name} of ${limitText(budget)} is used up${untilText(budget)}`;
    return new AgentError("budget", `${used}: ${raise}`);
  }
  return new AgentError(
    "budget",
    `budget ${name} has ${formatUsd(limitMicro - spentMicro)} of ${limitText(budget)} left` +
      `${untilText(budget)}, and a request to ${what} can cost ${formatUsd(mostMicro)} USD: ` +
      `${raise}${advice}`,
  );
}

function unpriced({ name }: BudgetStanding, what: string): AgentError {
  return new AgentError(
    "budget",
    `the price of ${what} is not known, and budget ${name} holds here: name it with ` +
      "?price=<in>/<out>, USD a million tokens (0/0 if it costs nothing), one of pictures with " +
      "?price=<usd> a picture",
  );
}
