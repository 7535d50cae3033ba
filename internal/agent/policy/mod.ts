/**
 * The policy: every call is judged before anything of it runs. The steps stand in a fixed order; a
 * new one is a file and a line here.
 */
import type { Verdict } from "../state.ts";
import type { Asked, PolicyStep, Question } from "./_step.ts";
import { approval } from "./approval.ts";
import { confidential } from "./confidential.ts";
import { journal } from "./journal.ts";
import { level } from "./level.ts";
import { taint } from "./taint.ts";

export type { Asked, PolicyStep, Question, StepAnswer } from "./_step.ts";

/** The steps in order; between equally strict answers, the first decides. */
export const policySteps: readonly PolicyStep[] = [level, taint, confidential, journal, approval];

/** What the policy says of a call: the strictest answer, the step that gave it, and why. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly step: string;
  /** Why a person is asked, all reasons; or why it is refused. Empty when it runs. */
  readonly why: string;
}

/** Judges a call. Refusing is stricter than asking, asking than running. */
export function judge(question: Question, steps: readonly PolicyStep[] = policySteps): Judgement {
  const asked: Asked[] = [];
  for (const step of steps) {
    const answer = step.judge?.(question);
    if (answer?.answer === "refuse") {
      return { verdict: "refuse", step: step.name, why: answer.why };
    }
    if (answer?.answer === "ask") asked.push({ ...answer, step: step.name });
  }
  const [first] = asked;
  if (first === undefined) return { verdict: "run", step: "level", why: "" };
  const allowing = steps.find((step) => step.allow?.(question, asked) === true);
  if (allowing !== undefined) return { verdict: "run", step: allowing.name, why: "" };
  return { verdict: "ask", step: first.step, why: asked.map(({ why }) => why).join("; ") };
}
