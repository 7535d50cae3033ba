/**
 * Quarantine: a call with a value that comes from content held in quarantine asks, whatever it does
 * and whatever the level, and shows the person the content, which the model never saw.
 */
import type { PolicyStep } from "./_step.ts";

/** Characters of a held value that a question shows; the rest is counted. */
const SHOWN_LENGTH = 1_000;

/** Never answered by a standing approval. */
export const quarantine: PolicyStep = {
  name: "quarantine",
  judge({ held }) {
    if (held.length === 0) return undefined;
    const values = held.map(({ argument, id, from, text }) => {
      const more = text.length - SHOWN_LENGTH;
      const shown = more > 0
        ? `${text.slice(0, SHOWN_LENGTH).toWellFormed()}… (${more} more characters)`
        : text;
      return `${argument} comes from quarantine (outside ${id}, ${from}): ${JSON.stringify(shown)}`;
    });
    return { answer: "ask", why: values.join("; "), standing: false };
  },
};
