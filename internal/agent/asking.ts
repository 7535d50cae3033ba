/**
 * Asking the models of a session for the next turn: in order of preference, again where that can
 * help, within the run's time, and heard as they write.
 */
import type { ActiveSession } from "./active.ts";
import { nextRequest } from "./asked_request.ts";
import { AgentError } from "./errors.ts";
import { modelSaid } from "./events/mod.ts";
import { askOne, modelsInOrder } from "./hearing.ts";
import type { PartListener } from "./hearing.ts";
import type { Model, ModelError } from "./models/mod.ts";
import { DEFAULT_LIMITS } from "./state.ts";
import { streamWords } from "./streamed_words.ts";

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
    const models = modelsInOrder(session);
    noticeUnpriced(session);
    for (const [index, model] of models.entries()) {
      if (last !== undefined) {
        recorder.tell({ type: "notice", text: `${last.message}; asking ${model.name}` });
      }
      const failure = await keepAnswer(session, model, stop, index === models.length - 1);
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

/**
 * Asks one model, again where that can help. What it said is kept.
 * @returns why it did not answer or, an `AgentError`, was not asked; undefined when it did, or was stopped
 */
async function keepAnswer(
  session: ActiveSession,
  model: Model,
  stop: AbortSignal,
  isLast: boolean,
): Promise<ModelError | AgentError | undefined> {
  const { recorder } = session;
  const request = nextRequest(session, model);
  const { heard, turn } = await askOne(session, {
    model,
    request,
    stop,
    isLast,
    listen: () => wordsListener(session),
  });
  if (heard === "answered") {
    // What follows from it is judged first, and kept with its verdict.
    recorder.append([modelSaid.draft(turn.whole())], { streamed: true, later: true });
  } else if (heard === "stopped") {
    // What it wrote is kept, and what it took.
    if (turn.text !== "" || turn.usage.input > 0) {
      recorder.append([modelSaid.draft(turn.cut())], { streamed: true });
    }
  } else return heard;
  return undefined;
}

/** Tells the words of an answer as they come. */
function wordsListener({ recorder, redactor }: ActiveSession): PartListener {
  const words = streamWords(redactor, (text) => recorder.tell({ type: "delta", text }));
  return {
    part(part) {
      if (part.type === "text") words.add(part.text);
      if (part.type === "notice") recorder.tell(part);
    },
    end: () => words.end(),
  };
}
