/**
 * A session's trace: what happened, step by step, and for each payment what led to it: the message,
 * the turn, the verdict, the approval, the transaction. A fold over the log.
 */
import { escapeControls } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import type { SessionEvent } from "#internal/store/mod.ts";
import type { Folder } from "./fold.ts";
import { shortCallText } from "./print.ts";
import type { CallState, SessionState } from "./state.ts";
import { latestEnd } from "./state.ts";

/** One line of a trace. */
export interface TraceStep {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly text: string;
}

/** How a payment came about. */
export interface TracedPayment {
  readonly call: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** What the person said that the run answers, and who it was. */
  readonly message: string;
  readonly said_by: string;
  readonly turn: number;
  readonly model: string;
  /** The policy's verdict, the step that gave it and why. */
  readonly verdict: string;
  readonly step: string;
  readonly why: string;
  /** Who approved it; null when nobody was asked. */
  readonly approved_by: string | null;
  /** The transaction's digest; null when nothing was signed. */
  readonly transaction: string | null;
  readonly outcome: string;
}

/** A session's trace; with `--json` this value. */
export interface Trace {
  readonly session: string;
  readonly agent: string;
  readonly steps: readonly TraceStep[];
  readonly payments: readonly TracedPayment[];
  /** What brought content from outside into the session. */
  readonly outside: readonly string[];
  /** Events of kinds that this version does not know. */
  readonly passed_over: number;
}

/** The trace of a log. */
export function traceOf(session: string, events: readonly SessionEvent[], folder: Folder): Trace {
  const state = folder.fold(session, events);
  const steps = events.flatMap((event) =>
    folder.trace(event, state).map((text) => ({
      seq: event.seq,
      at_ms: event.atMs,
      kind: event.kind,
      text,
    }))
  );
  return {
    session,
    agent: state.settings?.agent ?? "",
    steps,
    payments: [...state.calls.values()].filter(isPayment).map((call) => payment(state, call)),
    outside: state.outside,
    passed_over: state.passedOver.length,
  };
}

/** A trace as lines: time and step, then the payments. */
export function traceLines(trace: Trace): string[] {
  const steps = trace.steps.map(({ at_ms, text }) => {
    return `${new Date(at_ms).toISOString()} ${indented(text)}`;
  });
  const payments = trace.payments.map((one) => {
    const approved = one.approved_by === null ? "" : `, approved by ${one.approved_by}`;
    const transaction = one.transaction === null ? "nothing signed" : `tx ${one.transaction}`;
    const why = one.why === "" ? "" : ` (${one.why})`;
    return indented(
      `payment ${one.call} ${
        shortCallText(one.tool, one.input)
      }: asked for by ${one.said_by} ("${one.message}"), turn ${one.turn} of ` +
        `${one.model}, ${one.verdict} by ${one.step}${why}${approved}, ${transaction}: ${one.outcome}`,
    );
  });
  return [`session ${trace.session} of agent ${trace.agent}`, ...steps, ...payments];
}

function indented(text: string): string {
  return escapeControls(text).replaceAll("\n", "\n  ");
}

/** A call that was to spend, or that signed a transaction. */
function isPayment(call: CallState): boolean {
  return call.judged?.effect === "spend" || transactionOf(call) !== null;
}

function transactionOf(call: CallState): string | null {
  const found = call.notes.findLast((note) => typeof note["transaction"] === "string");
  return (found?.["transaction"] as string | undefined) ?? null;
}

function payment(state: SessionState, call: CallState): TracedPayment {
  const said = state.said[call.run - 1];
  return {
    call: call.id,
    tool: call.tool,
    input: call.input ?? null,
    message: said?.text ?? "",
    said_by: said?.who ?? "",
    turn: call.turn,
    model: state.turns[call.turn - 1]?.model ?? "",
    verdict: call.judged?.verdict ?? "none",
    step: call.judged?.step ?? "none",
    why: call.judged?.why ?? "",
    approved_by: call.decided?.approve === true ? call.decided.who : null,
    transaction: transactionOf(call),
    outcome: latestEnd(call)?.text ?? "not ended",
  };
}
