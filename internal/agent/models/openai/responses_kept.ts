/**
 * What a turn's reasoning is kept as, beside its words and calls, to be handed back: the order of its
 * items, with the reasoning as it came, encrypted. Only the model that made it gets it back.
 */
import * as z from "zod";
import type { JsonValue } from "#internal/core/mod.ts";

const item = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text"),
    length: z.number().int().min(0),
    phase: z.enum(["commentary", "final_answer"]).exactOptional(),
  }),
  z.object({ type: z.literal("call") }),
  z.object({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string(),
  }),
]);
const kept = z.object({
  by: z.literal("openai-responses"),
  model: z.string(),
  items: z.array(item),
});

/** An item of a turn; words and calls stand elsewhere. */
export type KeptItem = z.infer<typeof item>;

/** The items, if they are of that model. */
export function readKept(model: string, opaque: JsonValue | undefined): KeptItem[] | undefined {
  const read = kept.safeParse(opaque);
  return read.success && read.data.model === model ? read.data.items : undefined;
}

/** What is kept; nothing when words and calls say all. */
export function keep(model: string, items: readonly KeptItem[]): JsonValue | undefined {
  const says = items.some((one) =>
    one.type === "reasoning" || (one.type === "text" && one.phase !== undefined)
  );
  return says ? { by: "openai-responses", model, items } : undefined;
}
