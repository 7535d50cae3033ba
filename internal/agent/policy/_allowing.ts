/** When a rule may answer in a person's place, whoever gave it. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { CallRule } from "../state.ts";
import { ruleMatches } from "../standing.ts";
import type { Asked, Question } from "./_step.ts";

/** Why no rule can stand for a person in this call, or nothing. Refusals come before all of it. */
export function whyNoRule(
  { effect, state, held }: Question,
  asked: readonly Asked[],
): string | undefined {
  if (effect === "spend") return "a payment is approved on its own";
  if (held.length > 0) return "a value of the call comes from content held in quarantine";
  if (state.brought.length > 0) {
    return `the session has read content from outside (${state.outside.at(-1) ?? ""})`;
  }
  const other = asked.find(({ standing }) => !standing);
  return other === undefined ? undefined : `it asks because of this: ${other.why}`;
}

/** Whether one of the rules answers all that is asked about a call. */
export function rulesAllow(
  question: Question,
  asked: readonly Asked[],
  rules: readonly CallRule[],
): boolean {
  if (whyNoRule(question, asked) !== undefined) return false;
  const input = question.call.input ?? {};
  return rules.some((rule) => ruleMatches(rule, question.tool, input as JsonValue));
}
