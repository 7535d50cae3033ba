/**
 * The loop: make the calls that are open, ask the model, and again, until it answers without calls.
 * It goes by the session's state alone, so it can be ended anywhere and begun again there.
 */
import { messageOf, OUTSIDE_DEPTH, parseJson, SionError } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import { makeCalls } from "./calls.ts";
import type { RunEnd } from "./conversation.ts";
import { modelFailed, modelSaid, runEnded } from "./events/mod.ts";
import type { ModelSaid, ProposedCall } from "./events/model_said.ts";
import { loopStop } from "./loop_guard.ts";
import { modelView } from "./model_view.ts";
import type { Model, ModelPart, ModelRequest } from "./models/mod.ts";
import { ModelError } from "./models/mod.ts";
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
      recorder.append([runEnded.draft({ how: "done" })]);
      return { how: "done", session: state.session, said: saidInRun(state) };
    }
    const stop = stopReason(session, beganMs);
    if (stop !== undefined) return stopped(session, stop.code, stop.message);
    if (openCalls(state).length > 0) continue;
    const failure = await askModels(session);
    if (failure !== undefined) return stopped(session, failure.code, failure.message);
  }
}

/** True when the model's last words were its answer: a whole turn that wants no calls. */
function isAnswered({ recorder: { state } }: ActiveSession): boolean {
  const entry = state.entries.at(-1);
  const turn = entry !== undefined && "turn" in entry ? state.turns[entry.turn] : undefined;
  return turn !== undefined && turn.calls.length === 0 && turn.stop !== "cut";
}

function stopped({ recorder }: ActiveSession, code: string, message: string): RunEnd {
  recorder.append([runEnded.draft({ how: "stopped", code, message })]);
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
    return { code: "steps", message: `the run has had its ${limits.steps} turns` };
  }
  if (limits.tokens > 0 && state.budget.tokens >= limits.tokens) {
    return { code: "tokens", message: `the run has used its ${limits.tokens} tokens` };
  }
  if (clock.nowMs() - beganMs >= limits.wallMs) {
    const minutes = Math.round(limits.wallMs / 60_000);
    return { code: "time", message: `the run has had its ${minutes} minutes` };
  }
  return undefined;
}

/** Asks the models in order until one answers. Says why, when none does. */
async function askModels(
  session: ActiveSession,
): Promise<{ code: string; message: string } | undefined> {
  const { recorder, models, signal } = session;
  let last = { code: "model", message: "the session has no model" };
  for (const [index, model] of models.entries()) {
    if (index > 0) {
      recorder.tell({ type: "notice", text: `${last.message}; asking ${model.name}` });
    }
    const turn = new TurnBuilder(model.name);
    try {
      await listen(session, model, turn);
      recorder.append([modelSaid.draft(turn.whole())], true);
      return undefined;
    } catch (error) {
      if (signal.aborted) {
        // What it wrote is kept; the loop stops next.
        if (turn.text !== "") recorder.append([modelSaid.draft(turn.cut())], true);
        return undefined;
      }
      if (!(error instanceof SionError)) throw error;
      last = { code: `model-${error.code}`, message: messageOf(error) };
      recorder.append([modelFailed.draft({ model: model.name, ...last })]);
    }
  }
  return last;
}

/** Hears a model out. @throws {ModelError} when it breaks off or is silent for too long. */
async function listen(session: ActiveSession, model: Model, turn: TurnBuilder): Promise<void> {
  const { recorder, signal, silenceLimitMs, instructions } = session;
  const silence = new AbortController();
  const tooLong = new ModelError(
    "unreachable",
    `${model.name} was silent for ${Math.round(silenceLimitMs / 1_000)} s`,
  );
  let timer = setTimeout(() => silence.abort(tooLong), silenceLimitMs);
  const both = AbortSignal.any([signal, silence.signal]);
  const request: ModelRequest = {
    instructions,
    messages: modelView(recorder.state),
    tools: [...session.tools.values()].map(({ name, description }) => ({
      name,
      description,
      inputSchema: session.schemas.get(name) ?? {},
    })),
    turn: recorder.state.turns.length + 1,
    signal: both,
  };
  const parts = model.respond(request)[Symbol.asyncIterator]();
  const stop = aborted(both);
  stop.catch(() => {});
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), stop]);
      if (next.done === true) break;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(tooLong), silenceLimitMs);
      if (next.value.type === "text") recorder.tell({ type: "delta", text: next.value.text });
      turn.add(next.value);
    }
  } finally {
    clearTimeout(timer);
    // A model that does not stop when it is told to is not waited for.
    if (both.aborted) void parts.return?.().catch(() => {});
  }
  if (!turn.ended) {
    throw new ModelError("unreachable", `${model.name} broke off in the middle of its answer`);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}

/** Puts a model's parts together to a turn. */
class TurnBuilder {
  readonly #model: string;
  readonly #calls: ProposedCall[] = [];
  #usage = { input: 0, output: 0, estimated: false };
  #stop: "end" | "length" = "end";
  #opaque: JsonValue | undefined;
  text = "";
  ended = false;

  constructor(model: string) {
    this.#model = model;
  }

  add(part: ModelPart): void {
    switch (part.type) {
      case "text":
        this.text += part.text;
        break;
      case "call":
        this.#calls.push({
          tool: part.tool,
          ...readInput(part.input),
          ...(part.providerId === undefined ? {} : { providerId: part.providerId }),
        });
        break;
      case "usage": {
        const { input, output, estimated = false } = part;
        this.#usage = { input, output, estimated };
        break;
      }
      case "opaque":
        this.#opaque = part.value;
        break;
      case "end":
        this.#stop = part.stop;
        this.ended = true;
    }
  }

  /** The whole turn. */
  whole(): ModelSaid {
    return {
      model: this.#model,
      text: this.text,
      calls: this.#calls,
      stop: this.#stop,
      usage: this.#usage,
      ...(this.#opaque === undefined ? {} : { opaque: this.#opaque }),
    };
  }

  /** What there is of a turn that was broken off: its words, none of its calls. */
  cut(): ModelSaid {
    return {
      model: this.#model,
      text: this.text,
      calls: [],
      stop: "cut",
      usage: this.#usage,
    };
  }
}

/** A call's input, or what is wrong with its text. Never mended: it may be half of what was meant. */
function readInput(text: string): { input: JsonValue } | { unreadable: string } {
  let value: JsonValue;
  try {
    value = parseJson(text === "" ? "{}" : text, { maxDepth: OUTSIDE_DEPTH });
  } catch (error) {
    return { unreadable: messageOf(error) };
  }
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? { input: value } : { unreadable: "it is another kind of value" };
}
