/** Carrying one call out: hooks, the tool within its time, and the event that says what came of it. */
import { Buffer } from "node:buffer";
import { messageOf } from "#internal/core/mod.ts";
import type { ToolFailure, ToolResult } from "#internal/mcp/mod.ts";
import type { EventDraft } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import { callEnded, callNoted, callStarted, filesChanging } from "./events/mod.ts";
import { keepingBefore } from "./file_history.ts";
import { repeatRemark, resultDigest } from "./loop_guard.ts";
import type { Question } from "./policy/mod.ts";
import type { KeptPicture } from "./conversation.ts";
import { keepOutput, readingOutputs } from "./kept_output.ts";
import { keptDigests, pictureOf } from "./pictures.ts";
import { programAccess } from "./program_calls.ts";
import type { ProgramCarryOut } from "./program_calls.ts";
import { charge } from "./costs.ts";
import { readerFor } from "./reader.ts";
import type { CallEffect, CallState } from "./state.ts";
import { startLimit, tooLate } from "./time_limit.ts";
import type { AgentTool, AgentToolContext } from "./tools/mod.ts";
import { shownText, trackedOf } from "./tracked.ts";

/** Characters that the log keeps of what a program was told of a call. */
const PROGRAM_TEXT_KEPT = 1_000;

/** The event that begins a call. @param again it was cut off before, and making it anew is harmless */
export function startOf(
  call: CallState,
  question: Question | undefined,
  again = false,
): EventDraft {
  const key = question?.key;
  return callStarted.draft({
    call: call.id,
    ...(key === undefined ? {} : { key }),
    ...(again ? { again } : {}),
  });
}

/** Runs a call that has started and gives the event that ends it. */
export async function carryOut(
  session: ActiveSession,
  call: CallState,
  question: Question,
): Promise<EventDraft> {
  return await endOf(session, call, question, await madeCall(session, call, question));
}

/** The event that ends a call which is not made, since it would fail for certain. */
export async function notMade(
  session: ActiveSession,
  call: CallState,
  question: Question,
  failure: ToolFailure,
): Promise<EventDraft> {
  const text = session.redactor.text(failure.message.toWellFormed());
  return await endOf(session, call, question, { result: failure, text });
}

async function endOf(
  session: ActiveSession,
  call: CallState,
  question: Question,
  { result, text, added }: MadeCall,
): Promise<EventDraft> {
  const { tool } = question;
  const said = boundedText(text, tool.outputLimitBytes);
  const effect = effectOf(question, result);
  const digest = resultDigest(text);
  const { state } = session.recorder;
  const repeated = repeatRemark(state, call, tool, digest);
  const tracked = trackedOf(state, question, result);
  const shown = shownText(state, { call: call.id, tool: tool.name, text: said }, tracked);
  const kept = shown.held === undefined ? await keptWhole(session, call, tool, text) : undefined;
  const texts = [kept ?? shown.text, ...remarks(effect)];
  if (repeated !== undefined) texts.push(repeated);
  if (added !== undefined) texts.push(`(hook: ${added})`);
  // What is held from the model is held with its pictures.
  const pictures = shown.held === undefined ? picturesIn(result) : [];
  const ended = callEnded.draft({
    call: call.id,
    ok: result.ok,
    effect,
    text: texts.join("\n"),
    digest,
    ...(result.ok ? {} : { code: result.code }),
    ...tracked,
    ...(shown.held === undefined ? {} : { held: shown.held }),
    ...(result.ok && result.sends !== undefined ? { sends: result.sends } : {}),
    ...(pictures.length === 0 ? {} : { pictures: pictures.map(({ picture }) => picture) }),
  });
  if (pictures.length === 0) return ended;
  const placed = pictures.map(({ picture }) => ({ ...picture, call: call.id }));
  const keep = keptDigests(session.recorder.state, placed);
  return { ...ended, pictures: { add: pictures.map(({ bytes }) => bytes), keep } };
}

/** The pictures that a result holds, in order. */
function picturesIn(
  result: ToolResult,
): { readonly picture: KeptPicture; readonly bytes: Uint8Array }[] {
  if (!result.ok) return [];
  return (result.content ?? []).flatMap((piece) => {
    if (piece.type !== "image") return [];
    const bytes = new Uint8Array(Buffer.from(piece.data, "base64"));
    const picture = pictureOf(bytes);
    return picture === undefined ? [] : [{ picture, bytes }];
  });
}

/** What came of a call, and what a hook added for the model; secrets are cut out of the text. */
interface MadeCall {
  readonly result: ToolResult;
  readonly text: string;
  readonly added?: string;
}

/** Makes a call, with the hooks before and after it. @param end ends it besides its own limit */
async function madeCall(
  session: ActiveSession,
  call: CallState,
  question: Question,
  end?: AbortSignal,
): Promise<MadeCall> {
  const blocked = await hookBefore(session, question);
  const result: ToolResult = blocked === undefined
    ? await runTool(session, call, question, end)
    : { ok: false, code: "hook", message: blocked, noEffect: true };
  // Before it is shortened, so that no part of a secret is left at a cut.
  const text = session.redactor.text(textOf(call, result).toWellFormed());
  // What did not run has nothing after it.
  const added = blocked === undefined ? await hookAfter(session, question, result) : undefined;
  return { result, text, ...(added === undefined ? {} : { added }) };
}

/** A program is given the value where it is a text: what is put around it is for a model to read. */
function textOf({ by }: CallState, result: ToolResult): string {
  if (!result.ok) return result.message;
  return by !== undefined && typeof result.value === "string" ? result.value : result.text;
}

/** Carries out a call that a program made: what it is told, and the event that ends the call. */
const carryOutForProgram: ProgramCarryOut = async (session, call, question, end) => {
  const { tool } = question;
  const { result, text, added } = await madeCall(session, call, question, end);
  const { state } = session.recorder;
  const tracked = trackedOf(state, question, result);
  const shown = shownText(state, { call: call.id, tool: tool.name, text }, tracked);
  // Words of strangers are kept whole: what comes from them is known by them.
  const kept = tracked.outside === undefined ? shortText(shown.text) : shown.text;
  return {
    ended: callEnded.draft({
      call: call.id,
      ok: result.ok,
      effect: effectOf(question, result),
      text: kept,
      digest: resultDigest(text),
      ...(result.ok ? {} : { code: result.code }),
      ...tracked,
      ...(shown.held === undefined ? {} : { held: shown.held }),
    }),
    answer: { ok: result.ok, text: shown.text },
    ...(added === undefined ? {} : { added }),
  };
};

async function hookBefore(
  { hooks }: ActiveSession,
  question: Question,
): Promise<string | undefined> {
  try {
    return await hooks.beforeTool?.(question);
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
    return await hooks.afterTool?.(question, result);
  } catch (error) {
    return `it failed: ${messageOf(error)}`;
  }
}

/** What a call came to that a person stopped on its way. */
const STOPPED: ToolResult = {
  ok: false,
  code: "cancelled",
  message: "it was stopped on its way",
  noEffect: false,
};

async function runTool(
  session: ActiveSession,
  call: CallState,
  { tool, input }: Question,
  end?: AbortSignal,
): Promise<ToolResult> {
  const limitMs = tool.limitMs?.(session.services) ?? session.callLimitMs;
  const limit = startLimit(limitMs);
  const ends = end === undefined ? [limit.signal] : [limit.signal, end];
  const context = {
    ...contextOf(session, call, AbortSignal.any([...ends, session.signal])),
    deadline: AbortSignal.any(ends),
  };
  try {
    return await Promise.race([
      tool.run(context, input),
      limit.ignored.then(() => tooLate(limitMs)),
    ]);
  } catch (error) {
    if (limit.signal.aborted) return tooLate(limitMs);
    if (session.signal.aborted) return STOPPED;
    // A bug in a tool ends its call, not the session.
    const message = `${tool.name} failed inside: ${messageOf(error)}`;
    return { ok: false, code: "internal", message, noEffect: false };
  } finally {
    limit.clear();
  }
}

/** What a tool is handed for one call. */
export function contextOf(
  session: ActiveSession,
  call: CallState,
  signal: AbortSignal,
): AgentToolContext {
  const { recorder, ledger, services } = session;
  const workspace = session.workspace === undefined ? undefined : readingOutputs(
    keepingBefore(
      session.workspace,
      session.beforeFolder,
      (files) => recorder.append([filesChanging.draft({ call: call.id, files })]),
    ),
    session.outputsFolder,
  );
  return {
    signal,
    session: recorder.state.session,
    call: call.id,
    outside: recorder.state.outside,
    ledger,
    ...(workspace === undefined ? {} : { workspace }),
    services,
    ...(call.by === undefined ? {} : { fromProgram: true as const }),
    programs: programAccess(session, call.id, carryOutForProgram),
    charge: (what, mostMicro) => charge(session, { what, mostMicro, advice: "" }, signal),
    ...(services.quarantine === undefined ? {} : { reader: readerFor(session, call.id) }),
    note: (note) => recorder.append([callNoted.draft({ call: call.id, note })]),
    progress({ message }) {
      // What a program's calls do is told of the program's end.
      if (call.by !== undefined) return;
      const { id, tool, input = null } = call;
      const text = message === undefined ? {} : { text: session.redactor.text(message) };
      recorder.tell({ type: "tool", call: id, tool, input, state: "running", ...text });
    },
  };
}

function effectOf({ effect }: Question, result: ToolResult): CallEffect {
  if (result.ok) return "done";
  return result.noEffect || effect === "read" ? "none" : "uncertain";
}

/** What the model is told besides the result. */
function remarks(effect: CallEffect): string[] {
  return effect === "uncertain"
    ? ["(whether it took effect is not known: do not make this call again)"]
    : [];
}

/** What the log keeps of a program's reading: the program is run anew where it is needed again. */
function shortText(text: string): string {
  if (text.length <= PROGRAM_TEXT_KEPT) return text;
  const left = text.length - PROGRAM_TEXT_KEPT;
  return `${text.slice(0, PROGRAM_TEXT_KEPT)}… (${left} more characters)`.toWellFormed();
}

/** Characters of a result that a model is told, where its tool does not say. */
const OUTPUT_LIMIT = 65_536;

/** A result that is too long, kept whole, as the model is told it; nothing when it fits or is not kept. */
async function keptWhole(
  { workspace, outputsFolder }: ActiveSession,
  { id, by }: CallState,
  { outputLimitBytes = OUTPUT_LIMIT }: AgentTool,
  text: string,
): Promise<string | undefined> {
  // Only who has `read_file` can read on; what a program is told is for the program.
  if (text.length <= outputLimitBytes || workspace === undefined || by !== undefined) {
    return undefined;
  }
  try {
    return boundedText(text, outputLimitBytes, await keepOutput(outputsFolder, id, text));
  } catch {
    return undefined;
  }
}

/** Head and tail of a text that is too long, with how much is left out and where it is kept. */
function boundedText(text: string, limit = OUTPUT_LIMIT, kept?: string): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const left = text.length - 2 * half;
  const where = kept === undefined ? "" : `; read_file ${kept} has all of it`;
  return `${text.slice(0, half)}\n… (${left} characters left out${where}) …\n${text.slice(-half)}`
    .toWellFormed();
}
