/**
 * The policy: every call is judged before anything of it runs. The steps stand in a fixed order; a
 * new one is a file and a line here.
 */
import { AgentError } from "../errors.ts";
import { offeredRule, parseRule, ruleMatches, ruleOf, ruleProblem, ruleText } from "../standing.ts";
import type { CallRule, Verdict } from "../state.ts";
import { whyNoRule } from "./_allowing.ts";
import type { Asked, PolicyStep, Question } from "./_step.ts";
import { approval } from "./approval.ts";
import { confidential } from "./confidential.ts";
import { journal } from "./journal.ts";
import { level } from "./level.ts";
import { preApproved } from "./pre_approved.ts";
import { quarantine } from "./quarantine.ts";
import { standing } from "./standing.ts";
import { taint } from "./taint.ts";

export type { Asked, PolicyStep, Question, StepAnswer } from "./_step.ts";

/** The steps in order; between equally strict answers, the first decides. */
export const policySteps: readonly PolicyStep[] = [
  level,
  taint,
  confidential,
  quarantine,
  journal,
  preApproved,
  standing,
  approval,
];

/** What the policy says of a call: the strictest answer, the step that gave it, and why. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly step: string;
  /** Why a person is asked, all reasons; or why it is refused. Empty when it runs. */
  readonly why: string;
}

/** Judges a call. Refusing is stricter than asking, asking than running. */
export function judge(question: Question, steps: readonly PolicyStep[] = policySteps): Judgement {
  const { asked, refusal } = answersOf(question, steps);
  if (refusal !== undefined) return refusal;
  const [first] = asked;
  if (first === undefined) return { verdict: "run", step: "level", why: "" };
  const allowing = steps.find((step) => step.allow?.(question, asked) === true);
  if (allowing !== undefined) return { verdict: "run", step: allowing.name, why: "" };
  return { verdict: "ask", step: first.step, why: asked.map(({ why }) => why).join("; ") };
}

/**
 * The rule by which a person's approval of a call holds for the rest of the session: the one they
 * wrote, or that of this very call.
 * @throws {AgentError} `rule`, saying why the call is approved on its own
 */
export function ruleToGive(
  question: Question,
  written?: string,
  steps: readonly PolicyStep[] = policySteps,
): CallRule {
  const rule = ruleOrWhyNot(question, written, steps);
  if ("none" in rule) throw notAlways(rule.none);
  return rule;
}

/** A rule that is longer is of one call that does not come again, characters. */
const MAX_OFFERED_LENGTH = 200;

/** The rule that a person is offered with a call's question. What reaches outside is asked each time. */
export function ruleOffered(
  question: Question,
  steps: readonly PolicyStep[] = policySteps,
): CallRule | undefined {
  const { effect, tool, call: { input = {} } } = question;
  if (effect === "external") return undefined;
  const offered = offeredRule(tool, input);
  if (offered === undefined || ruleText(offered).length > MAX_OFFERED_LENGTH) return undefined;
  const rule = ruleOrWhyNot(question, ruleText(offered), steps);
  return "none" in rule ? undefined : rule;
}

function ruleOrWhyNot(
  question: Question,
  written: string | undefined,
  steps: readonly PolicyStep[],
): CallRule | { readonly none: string } {
  const { tool, call: { input = {} } } = question;
  const { asked, refusal } = answersOf(question, steps);
  const why = refusal?.why ?? whyNoRule(question, asked);
  if (why !== undefined) return { none: why };
  const rule = written === undefined ? ruleOf(tool, input) : parseRule(written);
  if ("none" in rule) return rule;
  if (rule.tool !== tool.name) return { none: `the rule is about ${rule.tool}, not ${tool.name}` };
  const problem = ruleProblem(tool, rule);
  if (problem !== undefined) return { none: problem };
  return ruleMatches(rule, tool, input)
    ? rule
    : { none: `${ruleText(rule)} does not match the call` };
}

function notAlways(why: string): AgentError {
  return new AgentError("rule", `nothing was allowed for the session: ${why}`);
}

/** What the steps ask, or the first refusal. */
function answersOf(
  question: Question,
  steps: readonly PolicyStep[],
): { readonly asked: readonly Asked[]; readonly refusal?: Judgement } {
  const asked: Asked[] = [];
  for (const step of steps) {
    const answer = step.judge?.(question);
    if (answer?.answer === "refuse") {
      return { asked, refusal: { verdict: "refuse", step: step.name, why: answer.why } };
    }
    if (answer?.answer === "ask") asked.push({ ...answer, step: step.name });
  }
  return { asked };
}
