/**
 * The loop guard: an agent that makes the same call with the same result in a row gets nowhere. It is
 * told at the third, and its run is stopped at the fifth. Reading a job and waiting do not count.
 */
import { stringifyJson, toHex, utf8 } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { CallState, SessionState } from "./state.ts";
import type { AgentTool } from "./tools/mod.ts";

/** From the how-manieth time in a row on the model is told. */
const TOLD_AT = 3;
/** The run is stopped at the how-manieth. */
const STOPPED_AT = 5;
/** Calls that are looked back over, so that a step costs the same however long the session is. */
const LOOKED_BACK = 200;

/** What a result is known again by: 16 hex digits over its text. */
export function resultDigest(text: string): string {
  return toHex(sha256(utf8(text.toWellFormed()))).slice(0, 16);
}

/** What the model is told besides a result that it had before, if anything. */
export function repeatRemark(
  state: SessionState,
  call: CallState,
  tool: AgentTool,
  digest: string,
): string | undefined {
  if (tool.polls === true) return undefined;
  const times = sameInARow(state, call, digest) + 1;
  if (times < TOLD_AT) return undefined;
  return `(this same call has given this same result ${times} times in a row: do something else` +
    (times === STOPPED_AT - 1 ? "; at the next time the run is stopped)" : ")");
}

/** Why the run may not go on, if the agent goes round in circles since it was last begun. */
export function loopStop(
  state: SessionState,
  tools: ReadonlyMap<string, AgentTool>,
): { readonly code: "loop"; readonly message: string } | undefined {
  const last = latestEnded(state, 1).at(0);
  const digest = last?.ended?.digest;
  if (last === undefined || digest === undefined || tools.get(last.tool)?.polls === true) {
    return undefined;
  }
  if (sameInARow(state, last, digest) < STOPPED_AT) return undefined;
  return {
    code: "loop",
    message: `the agent made the same call of ${last.tool} with the same result ${STOPPED_AT} ` +
      "times in a row",
  };
}

/** How many of the latest calls since the run was last begun are this one, with this result. */
function sameInARow(state: SessionState, call: CallState, digest: string): number {
  const input = stringifyJson(call.input ?? null);
  let count = 0;
  for (const other of latestEnded(state, LOOKED_BACK)) {
    const same = other.tool === call.tool && other.ended?.digest === digest &&
      stringifyJson(other.input ?? null) === input;
    if (!same) break;
    count++;
  }
  return count;
}

/** The latest ended calls of the run since it was last begun, newest first. */
function latestEnded(state: SessionState, most: number): CallState[] {
  const found: CallState[] = [];
  for (let at = state.turns.length - 1; at >= state.budget.turns && found.length < most; at--) {
    for (const id of (state.turns[at]?.calls ?? []).toReversed()) {
      const call = state.calls.get(id);
      if (call?.ended !== undefined) found.push(call);
    }
  }
  return found;
}
