/**
 * What some servers' models want back with a turn, besides its words and calls: the reasoning of
 * DeepSeek's and Kimi's, the sealed reasoning that OpenRouter passes on, the signatures under Gemini's
 * calls. Kept as it came; only the model that wrote it gets it back.
 */
import * as z from "zod";
import type { JsonValue } from "#internal/core/mod.ts";

const kept = z.object({
  by: z.literal("openai-chat"),
  model: z.string(),
  reasoning_content: z.string().exactOptional(),
  reasoning_details: z.array(z.unknown()).exactOptional(),
  /** By the place of the call in its turn. */
  extra_content: z.record(z.string(), z.unknown()).exactOptional(),
});

/** What was kept of a turn. */
export type KeptChat = Omit<z.infer<typeof kept>, "by" | "model">;

/** What was kept, if it is of that model. */
export function readKept(model: string, opaque: JsonValue | undefined): KeptChat | undefined {
  const read = kept.safeParse(opaque);
  if (!read.success || read.data.model !== model) return undefined;
  const { by: _by, model: _model, ...rest } = read.data;
  return rest;
}

/** What is kept; nothing when there is nothing. */
export function keep(model: string, what: KeptChat): JsonValue | undefined {
  return Object.keys(what).length === 0
    ? undefined
    : { by: "openai-chat", model, ...what } as JsonValue;
}
