/** What a policy step is. One file a step; `mod.ts` has them in order. */
import type { Effect, PathUse, Target } from "#internal/mcp/mod.ts";
import type { HeldValue } from "../quarantine.ts";
import type { AgentTool, ToolSituation } from "../tools/_tool.ts";
import type { CallState, SessionState } from "../state.ts";

/** One call that is about to be made, as steps see it. */
export interface Question {
  readonly state: SessionState;
  readonly session: ToolSituation;
  readonly call: CallState;
  readonly tool: AgentTool;
  /** The input after its schema. */
  readonly input: unknown;
  /** What this very call can do; what nothing takes back counts as reaching outside. */
  readonly effect: Effect;
  readonly targets: readonly Target[];
  readonly paths: readonly PathUse[];
  /** The call's place in the journal; missing when it may be repeated. */
  readonly key: string | undefined;
  /** The values of the call that come from content held in quarantine. */
  readonly held: readonly HeldValue[];
  /** Of a payment: what of the person's words it takes up; missing when they name it not. */
  readonly grants?: readonly string[];
}

/** What a step says of a call. `undefined`: nothing against it. */
export type StepAnswer =
  | {
    readonly answer: "ask";
    readonly why: string;
    /** Whether a standing approval may answer in the person's place. Never for money. */
    readonly standing: boolean;
  }
  | { readonly answer: "refuse"; readonly why: string }
  | undefined;

/** A question that steps put to a person. */
export interface Asked {
  readonly step: string;
  readonly why: string;
  readonly standing: boolean;
}

/** A step of the policy: it judges calls, or it allows what others ask about. */
export interface PolicyStep {
  readonly name: string;
  /** What it has against a call. The strictest answer of all steps wins. */
  judge?(question: Question): StepAnswer;
  /**
   * True when the person's word for it is there already, so that nobody needs to be asked. Never
   * consulted for what a step refuses.
   */
  allow?(question: Question, asked: readonly Asked[]): boolean;
}

/** What calls of an effect do, in the words of questions and refusals. */
export const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  read: "reading",
  write: "writing",
  external: "reaching outside",
  spend: "spending",
};
