/**
 * The loop: make the calls that are open, ask the model, and again, until it answers without calls.
 * It goes by the session's state alone, so it can be ended anywhere and begun again there.
 */
import { formatUsd } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import { lastAnswer, MOST_REFUSALS, OUTPUT_SCHEMA, refusals } from "./answer_form.ts";
import { askModels, timeIsOver } from "./asking.ts";
import type { AskFailure } from "./asking.ts";
import { makeCalls } from "./calls.ts";
import { compact, compactIfFull, tooLong } from "./compact.ts";
import type { RunEnd } from "./conversation.ts";
import { budgetLines } from "./costs.ts";
import { answerRefused, runEnded } from "./events/mod.ts";
import { loopStop } from "./loop_guard.ts";
import { recoverCalls } from "./recovery.ts";
import { openCalls, saidInRun, waitingCall } from "./state.ts";

/** Goes on with a session until its run is done, waits for a person, or is stopped. */
export async function drive(session: ActiveSession): Promise<RunEnd> {
  const { recorder } = session;
  const { state } = recorder;
  const beganMs = session.clock.nowMs();
  await recoverCalls(session);
  for (;;) {
    if (openCalls(state).length > 0) {
      await makeCalls(session);
      const waiting = waitingCall(state);
      if (waiting !== undefined) {
        return { how: "waiting", session: state.session, request: waiting.request };
      }
    } else if (isAnswered(session)) {
      const misfit = session.services[OUTPUT_SCHEMA]?.misfit(lastAnswer(state));
      if (misfit === undefined) {
        tellBudgets(session);
        recorder.append([runEnded.draft({ how: "done" })]);
        endBound(session);
        return { how: "done", session: state.session, said: saidInRun(state) };
      }
      if (refusals(state) >= MOST_REFUSALS) {
        const message =
          `the answer does not fit the schema, asked ${MOST_REFUSALS} times: ${misfit}`;
        return stopped(session, OUTPUT_SCHEMA, message);
      }
      recorder.append([answerRefused.draft({ why: misfit })]);
    }
    const stop = stopReason(session, beganMs);
    if (stop !== undefined) return stopped(session, stop.code, stop.message);
    if (openCalls(state).length > 0) continue;
    const failure = await askInWindow(session, beganMs);
    if (failure !== undefined) return stopped(session, failure.code, failure.message);
  }
}

/** Asks for the next turn, the conversation shortened before when it is long, or when a model says so. */
async function askInWindow(
  session: ActiveSession,
  beganMs: number,
): Promise<AskFailure | undefined> {
  try {
    const full = await compactIfFull(session);
    if (full !== undefined) return full;
    const failure = await askModels(session, beganMs);
    if (failure?.code !== "model-context") return failure;
    if (await compact(session, "context") === undefined) return tooLong(session);
    const again = await askModels(session, beganMs);
    return again?.code === "model-context" ? tooLong(session) : again;
  } catch (error) {
    // Stopped while the conversation was shortened: the loop sees it next.
    if (session.signal.aborted) return undefined;
    throw error;
  }
}

/** True when the model's last words were its answer: a whole turn that wants no calls. */
function isAnswered({ recorder: { state } }: ActiveSession): boolean {
  const entry = state.entries.at(-1);
  const turn = entry !== undefined && "turn" in entry ? state.turns[entry.turn] : undefined;
  return turn !== undefined && turn.calls.length === 0 && turn.stop !== "cut";
}

/** Who set a budget sees at each end how much of it is used. */
function tellBudgets(session: ActiveSession): void {
  for (const text of budgetLines(session)) session.recorder.tell({ type: "notice", text });
}

/** The next run has its USD anew. */
function endBound({ budgets, recorder: { state } }: ActiveSession): void {
  if ((state.settings?.limits.usdMicro ?? 0n) > 0n) budgets?.endRun(state.session);
}

function stopped(session: ActiveSession, code: string, message: string): RunEnd {
  const { recorder } = session;
  // What stops for a budget says so itself.
  if (code !== "budget") tellBudgets(session);
  recorder.append([runEnded.draft({ how: "stopped", code, message })]);
  endBound(session);
  return { how: "stopped", session: recorder.state.session, code, message };
}

/** Why the run may not go on, if it may not. */
function stopReason(
  { recorder: { state }, signal, clock, tools }: ActiveSession,
  beganMs: number,
): { code: string; message: string } | undefined {
  if (signal.aborted) return { code: "cancelled", message: "it was stopped" };
  const circles = loopStop(state, tools);
  if (circles !== undefined) return circles;
  const limits = state.settings?.limits;
  if (limits === undefined) return undefined;
  if (state.turns.length - state.budget.turns >= limits.steps) {
    return {
      code: "steps",
      message: `the run has had its ${limits.steps} ${limits.steps === 1 ? "turn" : "turns"}`,
    };
  }
  if (limits.tokens > 0 && state.budget.tokens >= limits.tokens) {
    return { code: "tokens", message: `the run has used its ${limits.tokens} tokens` };
  }
  const { usdMicro = 0n } = limits;
  if (usdMicro > 0n && state.budget.costMicro >= usdMicro) {
    return { code: "cost", message: `the run has cost its ${formatUsd(usdMicro)} USD` };
  }
  if (clock.nowMs() - beganMs >= limits.wallMs) return timeIsOver(limits.wallMs);
  return undefined;
}
