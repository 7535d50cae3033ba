/**
 * The journal: a call that had an effect, or may have had one, is not made again in the run that
 * made it; in a later run a person is asked first, whatever the level. A call that is known to have
 * done nothing may be made again.
 */
import type { CallState } from "../state.ts";
import { latestEnd } from "../state.ts";
import type { PolicyStep } from "./_step.ts";

/** Characters of the first outcome that are told again. */
const TOLD_LENGTH = 1_000;

/** Goes by the session's own log, so it holds through `continue` too. */
export const journal: PolicyStep = {
  name: "journal",
  judge({ state, call, key }) {
    if (key === undefined) return undefined;
    const before = earlierCall(state.calls.values(), call, key);
    if (before?.started === undefined) return undefined;
    const end = latestEnd(before);
    const when = new Date(before.started.atMs).toISOString();
    const told = end === undefined || end.effect === "uncertain"
      ? "whether it took effect is not known"
      : `its outcome was: ${end.text.slice(0, TOLD_LENGTH)}`;
    if (before.run === call.run) {
      return {
        answer: "refuse",
        why: `not made again: this same call was made at ${when}, and ${told}`,
      };
    }
    return {
      answer: "ask",
      why: `the same call was made before, at ${when}, and ${told}`,
      standing: false,
    };
  },
};

/** The last other call with this key that did something or may have. */
function earlierCall(
  calls: Iterable<CallState>,
  call: CallState,
  key: string,
): CallState | undefined {
  let found: CallState | undefined;
  for (const other of calls) {
    if (other.id === call.id || other.started?.key !== key) continue;
    if (latestEnd(other)?.effect !== "none") found = other;
  }
  return found;
}
