/** A call begins: from here on it may have an effect. */
import * as z from "zod";
import { callOf } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** `key` is the call's place in the journal; a call without one may be made any number of times. */
export interface CallStarted {
  readonly call: string;
  readonly key?: string;
  /** It was cut off before and is made once more, which is harmless. */
  readonly again?: boolean;
}

/** Written before the tool runs. */
export const callStarted = defineEvent<CallStarted>({
  kind: "call-started",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      key: z.string().exactOptional(),
      again: z.boolean().exactOptional(),
    }),
  apply(state, { body, atMs }) {
    const { key } = body;
    const call = callOf(state, body.call);
    call.started = { atMs, ...(key === undefined ? {} : { key }) };
    // What an attempt that was cut off had noted says nothing of this one.
    call.notes.length = 0;
  },
  stream({ body }, state) {
    const call = callOf(state, body.call);
    const { id, tool, input = null, by } = call;
    if (by !== undefined) return [];
    const shown = { type: "tool", call: id, tool, input } as const;
    const running = { ...shown, state: "running" } as const;
    return body.again === true ? [{ ...shown, state: "calling" }, running] : [running];
  },
  trace: ({ body }) => [`call ${body.call} started${body.again === true ? " again" : ""}`],
});
