/**
 * Asking the models of a session for the next turn: in order of preference, again where that can
 * help, within the run's time, and heard out in pieces.
 */
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import { modelFailed, modelSaid } from "./events/mod.ts";
import { nextRequest } from "./asked_request.ts";
import { charge } from "./costs.ts";
import { AgentError } from "./errors.ts";
import type { Model, ModelQuestion } from "./models/mod.ts";
import { ModelError } from "./models/mod.ts";
import { DEFAULT_LIMITS } from "./state.ts";
import { streamWords } from "./streamed_words.ts";
import { TurnBuilder } from "./turn_builder.ts";

/** Why no model answered. `model-context` can be helped by making the conversation shorter. */
export interface AskFailure {
  readonly code: string;
  readonly message: string;
}

/** What a run stops for when its time is over. @param wallMs the time it had */
export function timeIsOver(wallMs: number): AskFailure {
  const seconds = Math.max(1, Math.round(wallMs / 1_000));
  const had = seconds < 60
    ? `${seconds} s`
    : seconds === 60
    ? "minute"
    : `${Number((seconds / 60).toFixed(1))} minutes`;
  return { code: "time", message: `the run has had its ${had}` };
}

/** Requests for one turn, where no other model is left and where one is. */
const LAST_TRIES = 4;
const TRIES = 2;
/** The wait before the second request, ms; it doubles, and a random half of it is left out. */
const FIRST_WAIT_MS = 1_000;
/** A provider that wants a longer wait than this is not waited for, ms. */
const LONGEST_WAIT_MS = 60_000;
/** Where neither the session nor its model says how long it may be silent, ms. */
const SILENCE_LIMIT_MS = 120_000;
/** Timers take no more, ms. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/**
 * Asks until a model answers; the turn is kept then. A turn that a stop cuts off is kept with the
 * words it has and without its calls. Models that failed since the run began are asked last.
 * @param beganMs when the run began, on the session's clock: it has no more time than its limits say
 * @returns why none answered, if none did and nobody stopped it
 */
export async function askModels(
  session: ActiveSession,
  beganMs: number,
): Promise<AskFailure | undefined> {
  const { recorder, signal, clock } = session;
  const { wallMs } = recorder.state.settings?.limits ?? DEFAULT_LIMITS;
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error("The run's time is over")),
    Math.min(Math.max(0, beganMs + wallMs - clock.nowMs()), LONGEST_TIMER_MS),
  );
  const stop = AbortSignal.any([signal, over.signal]);
  let last: ModelError | undefined;
  try {
    const models = inOrder(session);
    noticeUnpriced(session);
    for (const [index, model] of models.entries()) {
      if (last !== undefined) {
        recorder.tell({ type: "notice", text: `${last.message}; asking ${model.name}` });
      }
      const failure = await askOne(session, model, stop, index === models.length - 1);
      if (over.signal.aborted && !signal.aborted) return timeIsOver(wallMs);
      if (failure === undefined) return undefined;
      // Another model may be cheaper; whether it is to be asked instead is for who set the budget.
      if (failure instanceof AgentError) return failure;
      last = failure;
      if (!othersMayHelp(last)) break;
    }
  } finally {
    clearTimeout(timer);
  }
  return last === undefined
    ? { code: "model", message: "the session has no model" }
    : { code: `model-${last.code}`, message: last.message };
}

/** A longer window may, but making the conversation shorter is cheaper. What one declines, all may. */
function othersMayHelp({ code }: ModelError): boolean {
  return code !== "context" && code !== "declined";
}

/** A limit in money says nothing of a model whose price is not known; who set it is told. */
function noticeUnpriced({ models, recorder }: ActiveSession): void {
  const { settings, turns, budget } = recorder.state;
  const { usdMicro = 0n } = settings?.limits ?? {};
  if (usdMicro === 0n || turns.length > budget.turns) return;
  for (const { name, cost } of models) {
    if (cost !== undefined) continue;
    const text = `the price of ${name} is not known: what it costs is not limited ` +
      "(name it as ?price=IN/OUT, USD a million tokens)";
    recorder.tell({ type: "notice", text });
  }
}

function inOrder({ models, recorder: { state } }: ActiveSession): readonly Model[] {
  const failed = new Set(state.failures.map(({ model }) => model));
  return [
    ...models.filter(({ name }) => !failed.has(name)),
    ...models.filter(({ name }) => failed.has(name)),
  ];
}

/**
 * Asks one model, again where that can help.
 * @returns why it did not answer or, an `AgentError`, was not asked; undefined when it did, or was stopped
 */
async function askOne(
  session: ActiveSession,
  model: Model,
  stop: AbortSignal,
  isLast: boolean,
): Promise<ModelError | AgentError | undefined> {
  const { recorder } = session;
  const most = isLast ? LAST_TRIES : TRIES;
  const request = nextRequest(session, model);
  for (let made = 1;; made++) {
    const turn = new TurnBuilder(model, request);
    let charged;
    try {
      charged = await charge(session, model.name, model.mostCost?.(request), stop);
    } catch (error) {
      if (stop.aborted) return undefined;
      if (error instanceof AgentError) return error;
      throw error;
    }
    const failure = await outcomeOf(listen(session, model, request, turn, stop), model, stop);
    charged.settle(turn.costMicro);
    if (failure === "stopped") {
      // What it wrote is kept, and what it took.
      if (turn.text !== "" || turn.usage.input > 0) {
        recorder.append([modelSaid.draft(turn.cut())], true);
      }
      return undefined;
    }
    if (failure === "answered") {
      recorder.append([modelSaid.draft(turn.whole())], true);
      return undefined;
    }
    const waitMs = waitFor(session, failure, made, most);
    const { code, message } = failure;
    recorder.append([
      modelFailed.draft({
        model: model.name,
        code: `model-${code}`,
        message,
        ...(waitMs === undefined ? {} : { again: true }),
        ...(turn.usage.input + turn.usage.output === 0 ? {} : { usage: turn.usage }),
      }),
    ]);
    if (waitMs === undefined) return failure;
    const wait = waitMs < 1_000 ? "" : ` in ${Math.round(waitMs / 1_000)} s`;
    recorder.tell({ type: "notice", text: `${message}; asking it again${wait}` });
    try {
      await session.pause(waitMs, stop);
    } catch {
      return undefined;
    }
  }
}

/** How long to wait before the same request is made again, ms; undefined when it is not. */
function waitFor(
  { random }: ActiveSession,
  { again }: ModelError,
  made: number,
  most: number,
): number | undefined {
  if (again === undefined || made >= Math.min(most, again.tries ?? most)) return undefined;
  const { afterMs = 0 } = again;
  if (afterMs > LONGEST_WAIT_MS) return undefined;
  const part = ((random(1)[0] ?? 0) + 256) / 512;
  return Math.max(afterMs, FIRST_WAIT_MS * 2 ** (made - 1) * part);
}

/** How hearing a model out ended. Bugs pass through. */
async function outcomeOf(
  listening: Promise<void>,
  model: Model,
  stop: AbortSignal,
): Promise<"answered" | "stopped" | ModelError> {
  try {
    await listening;
    return "answered";
  } catch (thrown) {
    if (stop.aborted) return "stopped";
    if (thrown instanceof ModelError) return thrown;
    if (!(thrown instanceof SionError)) throw thrown;
    const says = `${model.name} gave no answer: ${messageOf(thrown)}`;
    return new ModelError("unreachable", says, { cause: thrown });
  }
}

/** Hears a model out. @throws {ModelError} when it breaks off or is silent for too long. */
async function listen(
  session: ActiveSession,
  model: Model,
  request: ModelQuestion,
  turn: TurnBuilder,
  stop: AbortSignal,
): Promise<void> {
  const { recorder } = session;
  using silence = watchSilence(session, model);
  const either = AbortSignal.any([stop, silence.signal]);
  const parts = model.respond({
    ...request,
    signal: either,
    heard: silence.heard,
    picture: (digest) => recorder.picture(digest),
  })[Symbol.asyncIterator]();
  const aborting = aborted(either);
  aborting.catch(() => {});
  const words = streamWords(
    session.redactor,
    (text) => recorder.tell({ type: "delta", text }),
  );
  let whole = false;
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), aborting]);
      if (next.done === true) break;
      silence.heard();
      if (next.value.type === "text") words.add(next.value.text);
      if (next.value.type === "notice") recorder.tell(next.value);
      turn.add(next.value);
    }
    whole = true;
  } finally {
    words.end();
    if (either.aborted) turn.abandon();
    // A model that does not stop when it is told to is not waited for.
    if (!whole) void parts.return?.().catch(() => {});
  }
  if (!turn.ended) {
    throw new ModelError("unreachable", `${model.name} broke off in the middle of its answer`, {
      again: {},
    });
  }
}

/** Aborts its signal when nothing was heard for too long. */
function watchSilence(
  session: ActiveSession,
  model: Model,
): Disposable & { readonly signal: AbortSignal; readonly heard: () => void } {
  const limitMs = session.silenceLimitMs ?? model.silenceLimitMs ?? SILENCE_LIMIT_MS;
  const silence = new AbortController();
  const tooLong = new ModelError(
    "unreachable",
    `${model.name} was silent for ${Math.round(limitMs / 1_000)} s`,
    { again: { tries: 2 } },
  );
  const set = () => setTimeout(() => silence.abort(tooLong), limitMs);
  let timer = set();
  return {
    signal: silence.signal,
    heard() {
      clearTimeout(timer);
      timer = set();
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
}
