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

/** What begins the name of what a command had before it. */
const COULD_READ = "files that ";
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
  const read = [...new Set(state.confidential.map(({ what }) => what))];
  if (read.length > 0) {
    // A file says more than that a command could have read some.
    const last = read.findLast((what) => !what.startsWith(COULD_READ)) ?? read.at(-1) ?? "";
    const rest = read.length === 1 ? ", which is" : ` and ${read.length - 1} more, which are`;
    return `after reading ${last}${rest} confidential`;
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
