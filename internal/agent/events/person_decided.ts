/** A person approved or declined the call that waited. */
import * as z from "zod";
import { callOf } from "../state.ts";
import { defineEvent } from "./_event.ts";

/** Who decided what, on which request. */
export interface PersonDecided {
  readonly call: string;
  readonly request: string;
  readonly approve: boolean;
  readonly who: string;
  readonly why?: string;
}

/** Shows the call again, with who approved it. */
export const personDecided = defineEvent<PersonDecided>({
  kind: "person-decided",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      request: z.string(),
      approve: z.boolean(),
      who: z.string(),
      why: z.string().exactOptional(),
    }),
  apply(state, { body, atMs }) {
    const { approve, who, why } = body;
    callOf(state, body.call).decided = {
      atMs,
      approve,
      who,
      ...(why === undefined ? {} : { why }),
    };
    delete state.ended;
  },
  listed: () => ({ standing: "open" }),
  stream({ body }, state) {
    const { id, tool, input = null } = callOf(state, body.call);
    const by = body.approve ? { by: body.who } : {};
    return [{ type: "tool", call: id, tool, input, state: "calling", ...by }];
  },
  trace({ body }) {
    const verb = body.approve ? "approved" : "declined";
    const why = body.why === undefined ? "" : `: ${body.why}`;
    return [`${body.who} ${verb} request ${body.request} (call ${body.call})${why}`];
  },
});
