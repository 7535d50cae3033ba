/** What a person's decision on the call that waits adds to the log, or why there is nothing to decide. */
import type { EventDraft } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { Decision } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { callEnded, personDecided, standingGiven } from "./events/mod.ts";
import { ruleToGive } from "./policy/mod.ts";
import { prepare } from "./prepare.ts";
import { ruleText } from "./standing.ts";
import type { CallState, SessionState } from "./state.ts";
import { waitingCall } from "./state.ts";

/** The call that a decision is about. @throws {AgentError} `not-waiting` */
export function decidedCall(
  state: SessionState,
  { request }: Pick<Decision, "request">,
): CallState & { readonly request: string } {
  const waiting = waitingCall(state);
  if (waiting === undefined || (request !== undefined && request !== waiting.request)) {
    throw notWaiting(state, request);
  }
  return waiting;
}

/** The events of a decision on the call that waits. */
export function decisionDrafts(
  waiting: CallState & { readonly request: string },
  { approve, why, who }: Decision,
): EventDraft[] {
  const reason = why === undefined ? {} : { why };
  const drafts = [
    personDecided.draft({
      call: waiting.id,
      request: waiting.request,
      approve,
      who,
      ...reason,
    }),
  ];
  if (!approve) {
    const text = why === undefined || why === ""
      ? `declined by ${who}`
      : `declined by ${who}: ${why}`;
    drafts.push(
      callEnded.draft({ call: waiting.id, ok: false, effect: "none", code: "declined", text }),
    );
  }
  return drafts;
}

/**
 * The event that has an approval hold for the rest of the session.
 * @throws {AgentError} `rule`, saying why the call is approved on its own
 */
export function standingDraft(
  active: ActiveSession,
  waiting: CallState,
  { always, who }: Decision,
): EventDraft {
  const { question, judgement } = prepare(active, waiting);
  if (question === undefined) throw new AgentError("rule", judgement.why);
  const written = always === true ? undefined : always;
  const rule = ruleText(ruleToGive(question, written, active.steps));
  return standingGiven.draft({ rule, who });
}

/** Why there is nothing to decide: who decided the request, and when, if somebody did. */
function notWaiting(state: SessionState, request: string | undefined): AgentError {
  if (request !== undefined) {
    const call = [...state.calls.values()].find((one) => one.judged?.request === request);
    const decided = call?.decided;
    const by = decided === undefined
      ? ""
      : `, ${decided.who} ${decided.approve ? "approved" : "declined"} it at ` +
        new Date(decided.atMs).toISOString().slice(11, 16);
    return new AgentError(
      "not-waiting",
      `request ${request} no longer waits${by}: nothing was done`,
    );
  }
  return new AgentError(
    "not-waiting",
    `session ${state.session} waits for nothing: nothing was done`,
  );
}
