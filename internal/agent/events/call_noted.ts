/** A fact that a running call keeps before it acts: what it is about to send, under which name. */
import * as z from "zod";
import { stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { callOf } from "../state.ts";
import { anyJson, defineEvent } from "./_event.ts";

/** For a payment `transaction` is the digest and `intent` the sentence that was signed. */
export interface CallNoted {
  readonly call: string;
  readonly note: { readonly [name: string]: JsonValue };
}

/** Durable before the tool goes on, so that a continued session can ask what became of it. */
export const callNoted = defineEvent<CallNoted>({
  kind: "call-noted",
  v: 1,
  body: () => z.object({ call: z.string(), note: z.record(z.string(), anyJson) }),
  apply(state, { body }) {
    callOf(state, body.call).notes.push(body.note);
  },
  trace({ body }) {
    const { transaction, intent } = body.note;
    const text = typeof transaction === "string" && typeof intent === "string"
      ? `signed transaction ${transaction}: ${intent}`
      : `noted ${stringifyJson(body.note)}`;
    return [`call ${body.call} ${text}`];
  },
});
