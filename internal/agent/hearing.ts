/**
 * Hearing a model out: until its answer is whole, it breaks off, is silent for too long or is told to
 * stop; and asking it again where that can help. Turns, summaries and the reader are heard alike.
 */
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { Charge } from "./charge.ts";
import { charge } from "./costs.ts";
import { AgentError } from "./errors.ts";
import { modelFailed } from "./events/mod.ts";
import type { Model, ModelPart, ModelQuestion } from "./models/mod.ts";
import { ModelError } from "./models/mod.ts";
import { TurnBuilder } from "./turn_builder.ts";

/** How asking a model ended. An `AgentError`: a budget did not let it be asked. */
export type Heard = "answered" | "stopped" | ModelError | AgentError;

/** A model's answer, or what there is of it. */
export interface HeardTurn {
  readonly heard: Heard;
  readonly turn: TurnBuilder;
}

/** Hears one answer as it comes. */
export interface PartListener {
  part(part: ModelPart): void;
  /** The answer is whole, or broke off. */
  end(): void;
}

/** What a model is asked, and how. */
export interface Asking {
  readonly model: Model;
  readonly request: ModelQuestion;
  /** Aborted to stop it. */
  readonly stop: AbortSignal;
  /** Whether no other is asked when this one fails: it is asked more often then. */
  readonly isLast: boolean;
  /** Begins to listen, once a request. @default nobody listens before the answer is whole */
  readonly listen?: () => PartListener;
}

/** Requests for one answer, where no other model is left and where one is. */
const LAST_TRIES = 4;
const TRIES = 2;
/** The wait before the second request, ms; it doubles, and a random half of it is left out. */
const FIRST_WAIT_MS = 1_000;
/** A provider that wants a longer wait than this is not waited for, ms. */
const LONGEST_WAIT_MS = 60_000;
/** Where neither the session nor its model says how long it may be silent, ms. */
const SILENCE_LIMIT_MS = 120_000;

/** The session's models in order of preference; those that failed since the run began are asked last. */
export function modelsInOrder({ models, recorder: { state } }: ActiveSession): readonly Model[] {
  const failed = new Set(state.failures.map(({ model }) => model));
  return [
    ...models.filter(({ name }) => !failed.has(name)),
    ...models.filter(({ name }) => failed.has(name)),
  ];
}

/** Asks one model, again where that can help. What failed is in the log, and told. */
export async function askOne(session: ActiveSession, asking: Asking): Promise<HeardTurn> {
  const { recorder } = session;
  const { model, stop, isLast } = asking;
  const most = isLast ? LAST_TRIES : TRIES;
  for (let made = 1;; made++) {
    let { request } = asking;
    const turn = new TurnBuilder(model, request);
    const costing = {
      what: model.name,
      mostMicro: model.mostCost?.(request),
      shorten(leftMicro: bigint) {
        const mostOutput = model.answerFor?.(request, leftMicro);
        if (mostOutput === undefined) return undefined;
        request = { ...request, mostOutput };
        return model.mostCost?.(request);
      },
    };
    let charged: Charge;
    try {
      charged = await charge(session, costing, stop);
    } catch (error) {
      if (stop.aborted) return { heard: "stopped", turn };
      if (error instanceof AgentError) return { heard: error, turn };
      throw error;
    }
    tellShorter(session, request);
    const heard = await outcomeOf(hearOut(session, { ...asking, request }, turn), model, stop);
    charged.settle(turn.costMicro);
    if (heard === "answered" || heard === "stopped") return { heard, turn };
    const waitMs = waitFor(session, heard, made, most);
    const { code, message } = heard;
    recorder.append([
      modelFailed.draft({
        model: model.name,
        code: `model-${code}`,
        message,
        ...(waitMs === undefined ? {} : { again: true }),
        ...(turn.usage.input + turn.usage.output === 0 ? {} : { usage: turn.usage }),
      }),
    ]);
    if (waitMs === undefined) return { heard, turn };
    const wait = waitMs < 1_000 ? "" : ` in ${Math.round(waitMs / 1_000)} s`;
    recorder.tell({ type: "notice", text: `${message}; asking it again${wait}` });
    try {
      await session.pause(waitMs, stop);
    } catch {
      return { heard: "stopped", turn: new TurnBuilder(model) };
    }
  }
}

/** An answer that is cut off later was asked for so. */
function tellShorter({ recorder }: ActiveSession, { mostOutput }: ModelQuestion): void {
  if (mostOutput === undefined) return;
  const text = `what is left of its USD bounds the next answer to ${mostOutput} tokens`;
  recorder.tell({ type: "notice", text });
}

/** Hears one answer out. @throws {ModelError} when it breaks off or is silent for too long */
async function hearOut(
  session: ActiveSession,
  { model, request, stop, listen }: Asking,
  turn: TurnBuilder,
): Promise<void> {
  using silence = watchSilence(session, model);
  const either = AbortSignal.any([stop, silence.signal]);
  const parts = model.respond({
    ...request,
    signal: either,
    heard: silence.heard,
    picture: (digest) => session.recorder.picture(digest),
  })[Symbol.asyncIterator]();
  const aborting = aborted(either);
  aborting.catch(() => {});
  const listener = listen?.();
  let whole = false;
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), aborting]);
      if (next.done === true) break;
      silence.heard();
      listener?.part(next.value);
      turn.add(next.value);
    }
    whole = true;
  } finally {
    listener?.end();
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
