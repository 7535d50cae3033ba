/**
 * Making the calls of a turn: what only reads side by side, the rest one after another; each judged
 * and recorded before it runs, and its outcome recorded before anything follows from it.
 */
import { messageOf, SionError, stringifyJson } from "#internal/core/mod.ts";
import type { EventDraft } from "#internal/store/mod.ts";
import type { ToolResult } from "#internal/mcp/mod.ts";
import type { ActiveSession } from "./active.ts";
import { callEnded, callJudged, callLearned, callNoted, callStarted } from "./events/mod.ts";
import type { Question } from "./policy/mod.ts";
import { prepare, readCall, requestId } from "./prepare.ts";
import type { PreparedCall } from "./prepare.ts";
import { INTERRUPTED } from "./model_view.ts";
import type { CallEffect, CallState } from "./state.ts";
import { latestEnd, openCalls, waitingCall } from "./state.ts";
import type { AgentTool, AgentToolContext, Recovery } from "./tools/mod.ts";

/** How long a tool may take to stop once its time is up, ms. */
const GRACE_MS = 5_000;
/** From the how-manieth time on the model is told that a call fails again and again. */
const TOLD_FROM = 3;

/** Makes the open calls in order, until all have ended, one waits for a person, or all is stopped. */
export async function makeCalls(session: ActiveSession): Promise<void> {
  const { recorder, signal } = session;
  while (!signal.aborted && waitingCall(recorder.state) === undefined) {
    const [first, ...others] = openCalls(recorder.state);
    if (first === undefined) return;
    await learnOfEarlier(session, first);
    const group = [prepare(session, first)];
    if (group.every(runsBesideOthers)) {
      for (const other of others) {
        const next = prepare(session, other);
        if (!runsBesideOthers(next)) break;
        group.push(next);
      }
    }
    await makeGroup(session, group);
  }
}

function runsBesideOthers({ judgement, question }: PreparedCall): boolean {
  return judgement.verdict === "run" && question?.effect === "read";
}

async function makeGroup(session: ActiveSession, group: readonly PreparedCall[]): Promise<void> {
  const { recorder } = session;
  recorder.append(group.flatMap((prepared) => judgedDrafts(session, prepared)));
  const running = group.filter(({ judgement }) => judgement.verdict === "run");
  const ends = await Promise.all(
    running.map(({ call, question }) => {
      if (question === undefined) throw new TypeError("Cannot run a call that was not judged");
      return carryOut(session, call, question);
    }),
  );
  if (ends.length > 0) recorder.append(ends);
}

/** The verdict, unless a person answered it already, with the start or the end that follows. */
function judgedDrafts(session: ActiveSession, prepared: PreparedCall): EventDraft[] {
  const { call, judgement: { verdict, step, why }, question } = prepared;
  const drafts: EventDraft[] = [];
  const effect = question?.effect ?? "none";
  const judged = { call: call.id, verdict, why, step, effect };
  if (verdict === "ask") {
    const request = requestId(session.recorder.state, call);
    return [callJudged.draft({ ...judged, request })];
  }
  if (call.decided === undefined) drafts.push(callJudged.draft(judged));
  if (verdict === "refuse") {
    drafts.push(callEnded.draft({
      call: call.id,
      ok: false,
      effect: "none",
      code: step === "input" ? "input" : "refused",
      text: why,
    }));
  } else {
    drafts.push(startOf(call, question));
  }
  return drafts;
}

function startOf(call: CallState, question: Question | undefined, again = false): EventDraft {
  const key = question?.key;
  return callStarted.draft({
    call: call.id,
    ...(key === undefined ? {} : { key }),
    ...(again ? { again } : {}),
  });
}

/** Runs a call that has started and gives the event that ends it. */
async function carryOut(
  session: ActiveSession,
  call: CallState,
  question: Question,
): Promise<EventDraft> {
  const blocked = await hookBefore(session, question);
  const result: ToolResult = blocked === undefined
    ? await runTool(session, call, question)
    : { ok: false, code: "hook", message: blocked, noEffect: true };
  const { tool, input } = question;
  const said = boundedText(result.ok ? result.text : result.message, tool.outputLimitBytes);
  const effect = effectOf(question, result);
  const added = await hookAfter(session, question, result);
  const outside = tool.outside?.(result, input);
  const texts = [said, ...remarks(session, call, result, effect)];
  if (added !== undefined) texts.push(`(hook: ${added})`);
  return callEnded.draft({
    call: call.id,
    ok: result.ok,
    effect,
    text: texts.join("\n"),
    ...(result.ok ? {} : { code: result.code }),
    ...(outside === undefined ? {} : { outside }),
  });
}

async function hookBefore(
  { hooks }: ActiveSession,
  question: Question,
): Promise<string | undefined> {
  try {
    return await hooks?.before?.(question);
  } catch (error) {
    return `a hook failed, so the call was not made: ${messageOf(error)}`;
  }
}

async function hookAfter(
  { hooks }: ActiveSession,
  question: Question,
  result: ToolResult,
): Promise<string | undefined> {
  try {
    return await hooks?.after?.(question, result);
  } catch (error) {
    return `it failed: ${messageOf(error)}`;
  }
}

async function runTool(
  session: ActiveSession,
  call: CallState,
  { tool, input }: Question,
): Promise<ToolResult> {
  const limit = startLimit(session.callLimitMs);
  try {
    return await Promise.race([
      tool.run(contextOf(session, call, limit.signal), input),
      limit.ignored.then(() => tooLate(session.callLimitMs)),
    ]);
  } catch (error) {
    // A bug in a tool ends its call, not the session.
    const message = `${tool.name} failed inside: ${messageOf(error)}`;
    return { ok: false, code: "internal", message, noEffect: false };
  } finally {
    limit.clear();
  }
}

/** A time limit: first the signal, then, for who ignores it, a promise. */
interface Limit {
  readonly signal: AbortSignal;
  readonly ignored: Promise<void>;
  /** Ends the limit, so that nothing of it keeps the process. */
  clear(): void;
}

function startLimit(limitMs: number): Limit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout>;
  const ignored = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new SionError("timeout", `no answer within ${seconds(limitMs)} s`));
      timer = setTimeout(resolve, GRACE_MS);
    }, limitMs);
  });
  return { signal: controller.signal, ignored, clear: () => clearTimeout(timer) };
}

function tooLate(limitMs: number): ToolResult {
  const message = `no answer within ${seconds(limitMs)} s`;
  return { ok: false, code: "timeout", message, noEffect: false };
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}

function contextOf(session: ActiveSession, call: CallState, signal: AbortSignal): AgentToolContext {
  const { recorder, ledger, workspace } = session;
  return {
    signal,
    session: recorder.state.session,
    call: call.id,
    ledger,
    ...(workspace === undefined ? {} : { workspace }),
    note: (note) => recorder.append([callNoted.draft({ call: call.id, note })]),
  };
}

function effectOf({ effect }: Question, result: ToolResult): CallEffect {
  if (result.ok) return "done";
  return result.noEffect || effect === "read" ? "none" : "uncertain";
}

/** What the model is told besides the result. */
function remarks(
  { recorder: { state } }: ActiveSession,
  call: CallState,
  result: ToolResult,
  effect: CallEffect,
): string[] {
  if (effect === "uncertain") {
    return ["(whether it took effect is not known: do not make this call again)"];
  }
  if (result.ok) return [];
  const input = stringifyJson(call.input);
  const same =
    [...state.calls.values()].filter((other) =>
      other.run === call.run && other.tool === call.tool && other.ended?.ok === false &&
      stringifyJson(other.input) === input
    ).length + 1;
  if (same < TOLD_FROM) return [];
  return [`(this same call has failed ${same} times in this run: do something else)`];
}

/** Head and tail of a text that is too long, with how much is left out. */
function boundedText(text: string, limit = 65_536): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n… (${left} characters left out) …\n${text.slice(-half)}`
    .toWellFormed();
}

/**
 * Before a call is judged: if the same call is uncertain, its tool may be able to tell by now what
 * became of it, and the journal goes by that.
 */
async function learnOfEarlier(session: ActiveSession, call: CallState): Promise<void> {
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
    recorder.append([
      callLearned.draft(
        found === "not-made"
          ? { call: other.id, ok: false, effect: "none", text: "it was never made" }
          : { call: other.id, ok: found.ok, effect: lateEffect(found), text: textOf(found) },
      ),
    ]);
  }
}

/**
 * Ends the calls that a process which is gone had begun: with their real outcome where the tool can
 * find it, by making them again where that is harmless, else as uncertain.
 */
export async function recoverCalls(session: ActiveSession): Promise<void> {
  const { recorder } = session;
  for (const call of openCalls(recorder.state)) {
    if (call.started === undefined) continue;
    const read = readCall(session, call);
    const found = typeof read === "string" ? "unknown" : await recovered(session, call, read);
    if (found === "not-made" && typeof read !== "string") {
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
      recorder.append([lateEnd(call, found)]);
    }
  }
}

function lateEnd(call: CallState, result: ToolResult): EventDraft {
  return callEnded.draft({
    call: call.id,
    ok: result.ok,
    effect: lateEffect(result),
    text: textOf(result),
    ...(result.ok ? {} : { code: result.code }),
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
