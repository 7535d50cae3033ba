/** The start of what the model is shown was put in a summary's place. */
import * as z from "zod";
import type { KeptUsage } from "../state.ts";
import { count, defineEvent } from "./_event.ts";
import { countUsage, usageSchema } from "./_usage.ts";

/** Why: a person asked, the window is nearly full, or a model said that it is. */
export type CompactedWhy = "asked" | "window" | "context";

/** What stands in the place of what, and what that took. */
export interface Compacted {
  readonly why: CompactedWhy;
  readonly summary: string;
  /** The model that wrote it; missing when none could and it is a list of what was said and done. */
  readonly model?: string;
  readonly usage?: KeptUsage;
  /** How many of the last entries stand as they were. */
  readonly kept: number;
  /** Tokens of the next request before and after, about. */
  readonly before: number;
  readonly after: number;
}

/** The log keeps everything; the model sees the summary and the entries behind it. */
export const compacted = defineEvent<Compacted>({
  kind: "compacted",
  v: 1,
  body: () =>
    z.object({
      why: z.enum(["asked", "window", "context"]),
      summary: z.string(),
      model: z.string().exactOptional(),
      usage: usageSchema.exactOptional(),
      kept: count,
      before: count,
      after: count,
    }),
  apply(state, { body }) {
    const { summary, usage, kept } = body;
    const from = state.entries.length - kept;
    if (from < 0) throw new RangeError(`there are no ${kept} entries to keep`);
    const rest = state.entries.slice(from);
    // A message whose answer goes on stands whole, though part of its answer does not.
    const cut = rest.some((entry) => "said" in entry)
      ? undefined
      : state.entries.slice(0, from).findLast((entry) => "said" in entry);
    const message = cut === undefined ? [] : [{ ...cut, cut: true as const }];
    state.summaries.push(summary);
    state.entries.splice(
      0,
      Infinity,
      { summary: state.summaries.length - 1 },
      ...message,
      ...rest,
    );
    if (usage !== undefined) countUsage(state, usage);
  },
  stream({ body: { why, before, after } }) {
    // Whoever asked for it is answered.
    if (why === "asked") return [];
    const tokens = [before, after].map((n) => n.toLocaleString("en-US"));
    return [{
      type: "notice",
      text: `the conversation was shortened: about ${tokens[0]} tokens became ${tokens[1]}`,
    }];
  },
  trace({ body: { why, summary, model, kept, before, after } }) {
    const by = model === undefined ? "without a model" : `by ${model}`;
    return [
      `shortened (${why}) ${by}, from about ${before} to ${after} tokens, the last ${kept} entries ` +
      `kept; the summary: ${summary}`,
    ];
  },
});
