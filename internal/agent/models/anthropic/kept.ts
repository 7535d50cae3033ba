/**
 * What a turn's signed thinking is kept as, beside its words and calls, to be handed back: the order of
 * its blocks, with the thinking whole. Only the model that thought it gets it back.
 */
import * as z from "zod";
import type { JsonValue } from "#internal/core/mod.ts";

/** A block of a turn; words and calls stand elsewhere. */
export type KeptBlock =
  | { readonly type: "text"; readonly length: number }
  | { readonly type: "call" }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

const kept = z.object({
  by: z.literal("anthropic"),
  model: z.string(),
  blocks: z.array(z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), length: z.number().int().min(0) }),
    z.object({ type: z.literal("call") }),
    z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
    z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  ])),
});

/** The blocks, if they are of that model. */
export function readKept(model: string, opaque: JsonValue | undefined): KeptBlock[] | undefined {
  const read = kept.safeParse(opaque);
  return read.success && read.data.model === model ? read.data.blocks : undefined;
}

/** What is kept; nothing when there was no thinking. */
export function keep(model: string, blocks: readonly KeptBlock[]): JsonValue | undefined {
  const thought = blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking");
  return thought ? { by: "anthropic", model, blocks } : undefined;
}
