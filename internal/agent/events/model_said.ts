/** A turn of the model: its words and the calls it proposes. */
import * as z from "zod";
import type { JsonValue } from "#internal/core/mod.ts";
import type { ConversationEvent } from "../conversation.ts";
import type { CallState, KeptUsage, StopReason } from "../state.ts";
import { runNumber } from "../state.ts";
import { anyJson, defineEvent } from "./_event.ts";
import { countUsage, usageSchema } from "./_usage.ts";

/** A call as the model proposed it. */
export interface ProposedCall {
  readonly tool: string;
  readonly input?: JsonValue;
  readonly unreadable?: string;
  readonly providerId?: string;
}

/** What is kept of a turn. */
export interface ModelSaid {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly ProposedCall[];
  readonly stop: StopReason;
  readonly usage: KeptUsage;
  readonly opaque?: JsonValue;
}

/** Adds the turn and its calls, which get their ids here: turn and place, as in `3.1`. */
export const modelSaid = defineEvent<ModelSaid>({
  kind: "model-said",
  v: 1,
  body: () =>
    z.object({
      model: z.string(),
      text: z.string(),
      calls: z.array(z.object({
        tool: z.string(),
        input: anyJson.exactOptional(),
        unreadable: z.string().exactOptional(),
        providerId: z.string().exactOptional(),
      })),
      stop: z.enum(["end", "length", "cut"]),
      usage: usageSchema,
      opaque: anyJson.exactOptional(),
    }),
  apply(state, { body, seq, atMs }) {
    const number = state.turns.length + 1;
    const run = runNumber(state);
    const ids = body.calls.map((call, index) => {
      const id = `${number}.${index + 1}`;
      const fresh: CallState = { ...call, id, turn: number, run, notes: [] };
      state.calls.set(id, fresh);
      return id;
    });
    const { model, text, stop, opaque, usage } = body;
    state.turns.push({
      seq,
      atMs,
      number,
      run,
      model,
      text,
      calls: ids,
      stop,
      usage,
      ...(opaque === undefined ? {} : { opaque }),
    });
    state.entries.push({ turn: number - 1 });
    countUsage(state, usage);
  },
  words: ({ text }) => text,
  stream({ body }) {
    const heard: ConversationEvent[] = [];
    if (body.text !== "") heard.push({ type: "delta", text: body.text });
    if (body.stop === "length") {
      heard.push({ type: "notice", text: "the answer was cut off at the model's limit" });
    }
    return heard;
  },
  trace({ body, seq }, state) {
    const number = state.turns.findIndex((turn) => turn.seq === seq) + 1;
    const said = body.text === "" ? "" : `: ${body.text}`;
    const cut = body.stop === "end" ? "" : ` (${body.stop})`;
    return [`turn ${number} of ${body.model}${cut}${said}`];
  },
});
