/** What a call came to, as the model is told it. */
import * as z from "zod";
import { plainAddress } from "../addresses.ts";
import { bringIn } from "../outside.ts";
import type { KeptPicture } from "../conversation.ts";
import type { CallEffect } from "../state.ts";
import { callOf } from "../state.ts";
import { count, defineEvent } from "./_event.ts";

/** The end of a call. `recovered`: found out after the process that made the call had gone. */
export interface CallEnded {
  readonly call: string;
  readonly ok: boolean;
  readonly effect: CallEffect;
  readonly text: string;
  readonly code?: string;
  /** What the result is known again by, before anything was added or left out: 16 hex digits. */
  readonly digest?: string;
  /** Where the strangers' content in it is from, if it holds any. */
  readonly outside?: string;
  /** The content itself, when `text` is its placeholder. */
  readonly held?: string;
  /** Files into which it wrote content out of quarantine; `**` is any. */
  readonly wrote?: readonly string[];
  /** What it showed that is confidential. */
  readonly confidential?: readonly string[];
  /** Addresses that it offered to be read: a search's results, a page's links. */
  readonly offers?: readonly string[];
  /** Files of the workspace that go to the person after the answer. */
  readonly sends?: readonly string[];
  /** Pictures in the result, whose bytes are kept apart from the log. */
  readonly pictures?: readonly KeptPicture[];
  readonly recovered?: boolean;
}

/** The effect decides whether the journal lets the same call be made again. */
export const callEnded = defineEvent<CallEnded>({
  kind: "call-ended",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      ok: z.boolean(),
      effect: z.enum(["done", "none", "uncertain"]),
      text: z.string(),
      code: z.string().exactOptional(),
      digest: z.string().exactOptional(),
      outside: z.string().exactOptional(),
      held: z.string().exactOptional(),
      wrote: z.array(z.string()).exactOptional(),
      confidential: z.array(z.string()).exactOptional(),
      offers: z.array(z.string()).exactOptional(),
      sends: z.array(z.string()).exactOptional(),
      pictures: z.array(z.object({ digest: z.string(), mediaType: z.string(), size: count }))
        .exactOptional(),
      recovered: z.boolean().exactOptional(),
    }),
  apply(state, { body, seq, atMs }) {
    const { call, ok, effect, text, code, digest } = body;
    const { outside, held, wrote = [], confidential = [], offers = [], sends } = body;
    callOf(state, call).ended = {
      atMs,
      ok,
      effect,
      text,
      ...(code === undefined ? {} : { code }),
      ...(digest === undefined ? {} : { digest }),
      ...(sends === undefined ? {} : { sends }),
    };
    if (outside !== undefined) {
      bringIn(state, { from: outside, atMs, seq, call, text: held ?? text });
      if (held !== undefined) state.held.set(call, { id: call, from: outside, text: held });
    }
    state.pictures.push(...(body.pictures ?? []).map((picture) => ({ ...picture, call })));
    for (const path of wrote) state.outsideFiles.add(path);
    state.confidential.push(...confidential.map((what) => ({ what, atMs, call })));
    for (const address of offers) state.offers.add(plainAddress(address));
  },
  stream({ body }, state) {
    const { id, tool, input = null, decided, by: program } = callOf(state, body.call);
    if (program !== undefined) return [];
    const shown = { type: "tool", call: id, tool, input } as const;
    const by = decided?.approve === true ? { by: decided.who } : {};
    const ended = { ...shown, state: body.ok ? "ok" : "failed", text: body.text } as const;
    return body.recovered === true ? [{ ...shown, state: "calling", ...by }, ended] : [ended];
  },
  trace({ body }) {
    const how = body.ok ? "ok" : body.effect === "uncertain" ? "uncertain" : "failed";
    const lines = [`call ${body.call} ${how}: ${body.text}`];
    if (body.outside !== undefined) lines.push(`tainted by ${body.outside} (call ${body.call})`);
    for (const what of body.confidential ?? []) {
      lines.push(`confidential from here on: ${what} (call ${body.call})`);
    }
    return lines;
  },
});
