/** What a call came to, as the model is told it. */
import * as z from "zod";
import type { CallEffect } from "../state.ts";
import { callOf } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** The end of a call. `recovered`: found out after the process that made the call had gone. */
export interface CallEnded {
  readonly call: string;
  readonly ok: boolean;
  readonly effect: CallEffect;
  readonly text: string;
  readonly code?: string;
  /** What strangers' content it brought in, if any. */
  readonly outside?: string;
  readonly recovered?: boolean;
}

/** The effect decides whether the journal lets the same call be made again. */
export const callEnded = defineEvent<CallEnded>({
  kind: "call-ended",
  v: 1,
  body: z.object({
    call: z.string(),
    ok: z.boolean(),
    effect: z.enum(["done", "none", "uncertain"]),
    text: z.string(),
    code: z.string().exactOptional(),
    outside: z.string().exactOptional(),
    recovered: z.boolean().exactOptional(),
  }),
  apply(state, { body, atMs }) {
    const { ok, effect, text, code, outside } = body;
    const ended = { atMs, ok, effect, text, ...(code === undefined ? {} : { code }) };
    callOf(state, body.call).ended = ended;
    if (outside !== undefined && !state.outside.includes(outside)) state.outside.push(outside);
  },
  stream({ body }, state) {
    const { id, tool, input = null, decided } = callOf(state, body.call);
    const shown = { type: "tool", call: id, tool, input } as const;
    const by = decided?.approve === true ? { by: decided.who } : {};
    const ended = { ...shown, state: body.ok ? "ok" : "failed", text: body.text } as const;
    return body.recovered === true ? [{ ...shown, state: "calling", ...by }, ended] : [ended];
  },
  trace({ body }) {
    const how = body.ok ? "ok" : body.effect === "uncertain" ? "uncertain" : "failed";
    return [`call ${body.call} ${how}: ${body.text}`];
  },
});
