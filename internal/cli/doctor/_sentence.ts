/** An error as a finding says it. */
import { messageOf } from "#internal/core/mod.ts";

/** The sentence of an error, `what is wrong: what to do`, in its two parts. */
export function shownSentence(error: unknown): { readonly what: string; readonly fix: string } {
  const text = messageOf(error);
  const at = text.lastIndexOf(": ");
  return at < 0
    ? { what: text, fix: "see what it says" }
    : { what: text.slice(0, at), fix: text.slice(at + 2) };
}
