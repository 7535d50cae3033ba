/** What one run of a session may use: turns, tokens, time, money for models, also together with others. A run is a message and its answer. */
import * as z from "zod";
import { formatUsd, messageOf, parseUsd } from "#internal/core/mod.ts";
import { MOST_BUDGET_MICRO } from "#internal/store/mod.ts";
import { AgentError } from "../errors.ts";
import type { RunLimits } from "../state.ts";
import { DEFAULT_LIMITS } from "../state.ts";
import { defineCapability, givenValue } from "./_capability.ts";
import type { GivenOptions } from "./_capability.ts";

/** The most that each may be: what stands there is a slip otherwise. */
const MOST_STEPS = 10_000;
const MOST_TOKENS = 1_000_000_000_000;
/** A week. */
const MOST_MINUTES = 10_080;
const MINUTE_MS = 60_000;

const settings = z.strictObject({
  steps: z.number().int().min(1).max(MOST_STEPS).exactOptional(),
  tokens: z.number().int().min(1).max(MOST_TOKENS).exactOptional(),
  wallMs: z.number().int().min(1).max(MOST_MINUTES * MINUTE_MS).exactOptional(),
  /** Decimal. */
  usd: z.string().exactOptional(),
  /** Names of budgets that it shares with other runs. */
  shared: z.array(z.string()).exactOptional(),
});

/** `--max-steps`, `--max-tokens`, `--max-minutes`, `--max-usd`, `--budget`. A run that they end goes on when it is continued. */
export const budget = defineCapability({
  name: "budget",
  options: [
    {
      name: "maxSteps",
      kind: "value",
      placeholder: "N",
      about: "turns of the model in one run, from 1 to 10000",
      default: `${DEFAULT_LIMITS.steps}`,
    },
    {
      name: "maxTokens",
      kind: "value",
      placeholder: "N",
      about: "tokens in one run, in and out together",
      default: "no bound",
    },
    {
      name: "maxMinutes",
      kind: "value",
      placeholder: "MINUTES",
      about: "how long one run may take, up to a week; 0.5 is half a minute",
      default: `${DEFAULT_LIMITS.wallMs / MINUTE_MS}`,
    },
    {
      name: "maxUsd",
      kind: "value",
      placeholder: "USD",
      about: "what the models of one run may cost, where their prices are known",
      default: "no bound",
    },
    {
      name: "budget",
      kind: "list",
      placeholder: "NAME",
      about: "draw on this budget too, as `sion agent budget set` made it",
      default: "those of its profile and of all",
    },
  ],
  settings,
  read(given) {
    const steps = wholeNumber(given, "maxSteps", "--max-steps", MOST_STEPS);
    const tokens = wholeNumber(given, "maxTokens", "--max-tokens", MOST_TOKENS);
    const wallMs = minutes(given);
    const usd = givenValue(given, "maxUsd");
    const shared = given["budget"];
    const set = {
      ...(steps === undefined ? {} : { steps }),
      ...(tokens === undefined ? {} : { tokens }),
      ...(wallMs === undefined ? {} : { wallMs }),
      ...(usd === undefined ? {} : { usd: formatUsd(amount(usd)) }),
      ...(Array.isArray(shared) && shared.length > 0 ? { shared } : {}),
    };
    return Promise.resolve(Object.keys(set).length === 0 ? undefined : set);
  },
});

/** The limits that a session's capabilities set. */
export function budgetOf(
  capabilities: { readonly [name: string]: unknown },
): Partial<RunLimits> {
  const kept = capabilities[budget.name];
  if (kept === undefined) return {};
  const { usd, shared: _shared, ...limits } = settings.parse(kept);
  return { ...limits, ...(usd === undefined ? {} : { usdMicro: parseUsd(usd) }) };
}

/** The budgets that a session's options name. */
export function sharedBudgets(
  capabilities: { readonly [name: string]: unknown },
): readonly string[] {
  const kept = capabilities[budget.name];
  return kept === undefined ? [] : settings.parse(kept).shared ?? [];
}

function amount(text: string): bigint {
  try {
    return parseUsd(text, { most: MOST_BUDGET_MICRO });
  } catch (cause) {
    throw new AgentError("option", `--max-usd: ${messageOf(cause)}`, { cause });
  }
}

function wholeNumber(
  given: GivenOptions,
  option: string,
  written: string,
  most: number,
): number | undefined {
  const text = givenValue(given, option);
  if (text === undefined) return undefined;
  const value = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw new AgentError("option", `${written} ${text}: give a whole number from 1 to ${most}`);
}

function minutes(given: GivenOptions): number | undefined {
  const text = givenValue(given, "maxMinutes");
  if (text === undefined) return undefined;
  const value = /^\d{1,5}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  const ms = Math.round(value * MINUTE_MS);
  if (ms >= 1 && value <= MOST_MINUTES) return ms;
  throw new AgentError(
    "option",
    `--max-minutes ${text}: give minutes up to ${MOST_MINUTES}, like 10 or 0.5`,
  );
}
