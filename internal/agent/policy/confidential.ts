/**
 * Confidential: once the model was shown a file that the operator keeps confidential, or what a tool
 * holds for the person alone, whatever could carry it out asks. A page is still read, and a search
 * made, when the person wrote every word of the call.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import { isNamed, isOwnText } from "../own_words.ts";
import { textsOf } from "../outside.ts";
import { confidentialGlobs } from "../tracked.ts";
import { EFFECT_WORDS } from "./_step.ts";
import type { PolicyStep, Question } from "./_step.ts";

/** A number that carries nothing to speak of: a count, a page. */
const SMALL = /^\d{1,3}$/;

/** Never answered by a standing approval: what it would let out was not known when that was given. */
export const confidential: PolicyStep = {
  name: "confidential",
  judge(question) {
    const { effect } = question;
    const because = reasonOf(question);
    if (because === undefined || effect === "write" || (effect === "read" && !leaves(question))) {
      return undefined;
    }
    const word = effect === "read" ? "reading from outside" : EFFECT_WORDS[effect];
    return { answer: "ask", why: `${word} ${because}`, standing: false };
  },
};

function reasonOf({ state, tool, effect }: Question): string | undefined {
  const last = state.confidential.at(-1);
  if (last !== undefined) {
    const more = state.confidential.length - 1;
    const others = more === 0 ? "" : ` and ${more} more`;
    return `after reading ${last.what}${others}, which is confidential`;
  }
  // A command could read and send in one.
  const globs = tool.readsWorkspace === true && effect !== "read"
    ? confidentialGlobs(state.settings)
    : [];
  return globs.length === 0 ? undefined : `while it could read ${globs.join(", ")}`;
}

/** Whether a call that only reads could tell somebody outside something by what it asks for. */
function leaves({ state, tool, targets, input }: Question): boolean {
  if (!tool.openWorld) return false;
  return [...textsOf(input as JsonValue)].some(({ text }) =>
    !SMALL.test(text) && !isOwnText(state, text) &&
    !targets.some((target) => target.to === text && isNamed(state, target))
  );
}
