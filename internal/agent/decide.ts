/** What a person's decision on the call that waits adds to the log, or why there is nothing to decide. */
import type { EventDraft } from "#internal/store/mod.ts";
import type { Decision } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { callEnded, personDecided } from "./events/mod.ts";
import type { SessionState } from "./state.ts";
import { waitingCall } from "./state.ts";

/** The events of a decision. @throws {AgentError} `not-waiting` */
export function decisionDrafts(
  state: SessionState,
  { approve, why, who, request }: Decision,
): EventDraft[] {
  const waiting = waitingCall(state);
  if (waiting === undefined || (request !== undefined && request !== waiting.request)) {
    throw notWaiting(state, request);
  }
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
