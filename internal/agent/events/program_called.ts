/** A program that a call runs made a call itself. What comes of it is told as of any other. */
import * as z from "zod";
import { stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { callOf } from "../state.ts";
import { anyJson, defineEvent } from "./_event.ts";

/** The call as the program made it; `by` is the call that runs the program. */
export interface ProgramCalled {
  readonly call: string;
  readonly by: string;
  readonly tool: string;
  readonly input: JsonValue;
}

/** Adds the call to the session's, not to a turn's: the model is not shown it. */
export const programCalled = defineEvent<ProgramCalled>({
  kind: "program-called",
  v: 1,
  body: () => z.object({ call: z.string(), by: z.string(), tool: z.string(), input: anyJson }),
  apply(state, { body: { call: id, by, tool, input } }) {
    const parent = callOf(state, by);
    const { turn, run } = parent;
    state.calls.set(id, { id, by, turn, run, tool, input, notes: [] });
    (parent.programCalls ??= []).push(id);
  },
  trace: ({ body: { call, by, tool, input } }) => [
    `the program of call ${by} calls ${tool} ${stringifyJson(input)} (${call})`,
  ],
});
