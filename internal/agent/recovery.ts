/** Calls that were cut off: what became of them, and ending them so that the session can go on. */
import { SionError, stringifyJson } from "#internal/core/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import type { EventDraft } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import { carryOut, contextOf, startOf } from "./carry_out.ts";
import { callEnded, callLearned } from "./events/mod.ts";
import { INTERRUPTED } from "./model_view.ts";
import { prepare, readCall } from "./prepare.ts";
import { cutProgramCalls } from "./program_calls.ts";
import type { CallEffect, CallState } from "./state.ts";
import { latestEnd, openCalls, openProgramCalls } from "./state.ts";
import { startLimit } from "./time_limit.ts";
import type { AgentTool, Recovery } from "./tools/mod.ts";
import { shownText, trackedOf } from "./tracked.ts";
import type { Tracked } from "./tracked.ts";

/**
 * Before a call is judged: if the same call is uncertain, its tool may be able to tell by now what
 * became of it, and the journal goes by that.
 */
export async function learnOfEarlier(session: ActiveSession, call: CallState): Promise<void> {
  const { recorder } = session;
  const read = readCall(session, call);
  if (typeof read === "string" || read.tool.recover === undefined) return;
  const input = stringifyJson(call.input);
  for (const other of recorder.state.calls.values()) {
    if (other.id === call.id || other.tool !== call.tool || stringifyJson(other.input) !== input) {
      continue;
    }
    if (latestEnd(other)?.effect !== "uncertain") continue;
    const found = await recovered(session, other, read).catch(unlessKnownError);
    if (found === "unknown") continue;
    const told = (result: ToolResult): string =>
      shownText(
        recorder.state,
        { call: other.id, tool: other.tool, text: textOf(result) },
        trackedOf(recorder.state, read, result),
      ).text;
    recorder.append([
      callLearned.draft(
        found === "not-made"
          ? { call: other.id, ok: false, effect: "none", text: "it was never made" }
          : { call: other.id, ok: found.ok, effect: lateEffect(found), text: told(found) },
      ),
    ]);
  }
}

/**
 * Ends the calls that a process which is gone had begun: with their real outcome where the tool can
 * find it, by making them again where that is harmless, else as uncertain.
 * @param anew false where none is to be made again
 */
export async function recoverCalls(session: ActiveSession, anew = true): Promise<void> {
  const { recorder } = session;
  for (const call of openCalls(recorder.state)) {
    if (call.started === undefined) continue;
    const left = cutProgramCalls(openProgramCalls(recorder.state, call));
    if (left.length > 0) recorder.append(left);
    const read = readCall(session, call);
    const found = typeof read === "string" ? "unknown" : await recovered(session, call, read);
    if (found === "not-made" && !anew) {
      const text = "it was cut off, and not made";
      recorder.append([callEnded.draft({ ...CUT, call: call.id, effect: "none", text })]);
    } else if (found === "not-made" && typeof read !== "string") {
      // It was judged, and approved if need be, before it first started.
      const question = prepare(session, call).question;
      if (question !== undefined) {
        recorder.append([startOf(call, question, true)]);
        recorder.append([await carryOut(session, call, question)]);
      }
    } else if (typeof found === "string") {
      const when = new Date(call.started.atMs).toISOString();
      const text = `${INTERRUPTED}: it was begun at ${when} and cut off; do not make it again`;
      const cut: ToolResult = { ok: false, code: "interrupted", message: text, noEffect: false };
      recorder.append([lateEnd(call, cut)]);
    } else {
      const tracked = typeof read === "string" ? {} : trackedOf(recorder.state, read, found);
      recorder.append([lateEnd(call, found, {
        ...tracked,
        ...shownText(
          recorder.state,
          { call: call.id, tool: call.tool, text: textOf(found) },
          tracked,
        ),
      })]);
    }
  }
}

/** The end of a call that was cut off, as far as every one is the same. */
const CUT = { ok: false, code: "interrupted", recovered: true } as const;

function lateEnd(
  call: CallState,
  result: ToolResult,
  tracked: Tracked & { readonly text?: string; readonly held?: string } = {},
): EventDraft {
  return callEnded.draft({
    call: call.id,
    ok: result.ok,
    effect: lateEffect(result),
    text: textOf(result),
    ...(result.ok ? {} : { code: result.code }),
    ...tracked,
    recovered: true,
  });
}

async function recovered(
  session: ActiveSession,
  call: CallState,
  { tool, input }: { tool: AgentTool; input: unknown },
): Promise<Recovery> {
  if (tool.recover === undefined) {
    return tool.repeatHarmless || tool.highestEffect === "read" ? "not-made" : "unknown";
  }
  const limit = startLimit(session.callLimitMs);
  try {
    const signal = AbortSignal.any([session.signal, limit.signal]);
    return await tool.recover(contextOf(session, call, signal), input, call.notes);
  } finally {
    limit.clear();
  }
}

/** Whoever cannot be asked now cannot say: the call stays uncertain. */
function unlessKnownError(error: unknown): "unknown" {
  if (error instanceof SionError) return "unknown";
  throw error;
}

function lateEffect(result: ToolResult): CallEffect {
  return result.ok ? "done" : result.noEffect ? "none" : "uncertain";
}

function textOf(result: ToolResult): string {
  return result.ok ? result.text : result.message;
}
