/** Whether an answer with nothing in it can be meant. */
import type { ModelRequest } from "./_model.ts";

/** After results a model may have nothing to add; to a person's words, nothing is no answer. */
export function isEmptyAnswer({ messages }: ModelRequest): boolean {
  return messages.at(-1)?.role !== "results";
}
