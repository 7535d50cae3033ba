/** The question that a session waits with, as front ends show it. */
import type { ConversationEvent } from "./conversation.ts";
import type { SessionState } from "./state.ts";
import { waitingCall } from "./state.ts";

/** What a person is asked, if a call waits for one. */
export function waitingEvent(
  state: SessionState,
): Extract<ConversationEvent, { type: "waiting" }> | undefined {
  const waiting = waitingCall(state);
  if (waiting === undefined) return undefined;
  const { request, tool, input = null, judged } = waiting;
  const { why = "", says, diff, rule } = judged ?? {};
  return {
    type: "waiting",
    session: state.session,
    request,
    tool,
    input,
    why,
    ...(says === undefined ? {} : { says }),
    ...(diff === undefined ? {} : { diff }),
    ...(rule === undefined ? {} : { rule }),
  };
}
