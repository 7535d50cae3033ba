/** What the policy made of a call, before anything of it ran. */
import * as z from "zod";
import { shortCallText } from "../print.ts";
import type { DerivedValue, Verdict } from "../state.ts";
import { callOf } from "../state.ts";
import { waitingEvent } from "../waiting.ts";
import { defineEvent } from "./_event.ts";

/** The verdict, the step that gave it, and the request's id when a person is asked. */
export interface CallJudged {
  readonly call: string;
  readonly verdict: Verdict;
  readonly why: string;
  readonly step: string;
  readonly effect: string;
  readonly request?: string;
  /** What the person is shown besides the call. */
  readonly says?: string;
  readonly diff?: string;
  /** The rule that a person is offered with the question. */
  readonly rule?: string;
  /** The person's words that it takes up: each names one payment. */
  readonly grants?: readonly string[];
  /** Which of its values come from outside. */
  readonly derived?: readonly DerivedValue[];
}

const derivedValue = z.object({
  argument: z.string(),
  from: z.string(),
  call: z.string().exactOptional(),
  value: z.string(),
  whole: z.boolean(),
});

/** A call that asks parks the run. */
export const callJudged = defineEvent<CallJudged>({
  kind: "call-judged",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      verdict: z.enum(["run", "ask", "refuse"]),
      why: z.string(),
      step: z.string(),
      effect: z.string(),
      request: z.string().exactOptional(),
      says: z.string().exactOptional(),
      diff: z.string().exactOptional(),
      rule: z.string().exactOptional(),
      grants: z.array(z.string()).exactOptional(),
      derived: z.array(derivedValue).exactOptional(),
    }),
  apply(state, { body, atMs }) {
    const { call, ...judged } = body;
    const judgedCall = callOf(state, call);
    judgedCall.judged = { ...judged, atMs };
    // A question that is put anew has no answer yet.
    if (body.request !== undefined) delete judgedCall.decided;
  },
  listed: ({ request }) => request === undefined ? {} : { standing: "waiting" },
  stream({ body }, state) {
    const { id, tool, input = null, by } = callOf(state, body.call);
    if (by !== undefined) return [];
    const shown = { type: "tool", call: id, tool, input } as const;
    const calling = { ...shown, state: "calling" } as const;
    if (body.verdict !== "ask" || body.request === undefined) return [calling];
    const waiting = waitingEvent(state);
    return [
      calling,
      { ...shown, state: "waiting" },
      ...(waiting === undefined ? [] : [waiting]),
    ];
  },
  trace({ body }, { calls }) {
    const verdict = { run: "runs", ask: "asks a person", refuse: "is refused" }[body.verdict];
    const request = body.request === undefined ? "" : `; request ${body.request}`;
    const why = body.why === "" ? "" : `: ${body.why}`;
    const made = calls.get(body.call);
    // What a program called is told where its call is kept.
    const what = made === undefined || made.by !== undefined
      ? ""
      : ` ${shortCallText(made.tool, made.input ?? null)}`;
    return [
      `call ${body.call}${what} (${body.effect}) ${verdict} by ${body.step}${why}${request}`,
      ...(body.derived ?? []).map(({ argument, from, value, whole }) => {
        const part = whole ? "is" : "holds";
        return `call ${body.call}: ${argument} ${part} "${value}" of ${from}`;
      }),
    ];
  },
});
