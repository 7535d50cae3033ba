/** Forgetting the last message: what the model is no longer shown of a session, and what stays done. */
import type { CallState, SessionState } from "./state.ts";
import { callOf, openCalls } from "./state.ts";

/**
 * Where the last message stands that the model is shown; nothing when there is none, or the start of
 * its answer stands in a summary, which cannot be taken apart.
 */
export function lastMessage(state: SessionState): { readonly at: number } | undefined {
  const at = state.entries.findLastIndex((entry) =>
    "said" in entry && state.said[entry.said]?.check !== true
  );
  const entry = state.entries[at];
  if (entry === undefined || !("said" in entry) || entry.cut === true) return undefined;
  return { at };
}

/** What calls behind a place did, or may have done, that stays done whatever is forgotten. */
export function lastingCalls(state: SessionState, at: number): CallState[] {
  return state.entries.slice(at).flatMap((entry) =>
    "turn" in entry ? (state.turns[entry.turn]?.calls ?? []).map((id) => callOf(state, id)) : []
  ).filter((call) =>
    call.started !== undefined && call.judged?.effect !== "read" && call.ended?.effect !== "none"
  );
}

/** Forgets what the model is shown from a place on. Calls that never began are over with it. */
export function forgetFrom(state: SessionState, at: number, atMs: number): void {
  for (const call of openCalls(state)) {
    const effect = call.started === undefined ? "none" : "uncertain";
    call.ended = { atMs, ok: false, effect, code: "forgotten", text: "forgotten before it ended" };
  }
  for (const entry of state.entries.splice(at)) {
    const said = "said" in entry ? state.said[entry.said] : undefined;
    if (said !== undefined && "said" in entry) {
      state.said[entry.said] = { ...said, forgotten: true };
    }
  }
}
