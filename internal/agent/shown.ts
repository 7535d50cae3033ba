/**
 * What a person is shown of a call before they decide it: a sentence of what it does, and for files
 * the change itself against what is there. What was shown is kept with the question, so that what
 * runs is what was shown.
 */
import { messageOf } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { Question } from "./policy/mod.ts";
import type { CallState } from "./state.ts";
import type { FileChange } from "./tools/mod.ts";

/** What is shown besides the call itself. */
export interface Shown {
  /** What it does, one sentence; of a payment, what it is weighed by on a line below. */
  readonly says?: string;
  /** The change of the workspace's files, as a unified diff with true line numbers. */
  readonly diff?: string;
}

/** How long a question waits for what is left of the budget, ms. */
const BUDGET_MS = 3_000;
/** Lines around each change. */
const CONTEXT_LINES = 3;
/** Characters of a diff that are shown; a longer one is not, and says so. */
const MAX_DIFF = 1_000_000;

/** What is shown of a call as things stand now. Changes nothing. */
export async function shownOf(session: ActiveSession, question: Question): Promise<Shown> {
  const says = question.tool.says?.(question.input);
  const weighed = says === undefined ? "" : await weighedBy(session, question);
  const diff = await diffNow(session, question);
  return {
    ...(says === undefined ? {} : { says: weighed === "" ? says : `${says}\n${weighed}` }),
    ...(diff === undefined || diff === "" ? {} : { diff }),
  };
}

/** How a call would change files as they are. */
async function diffNow(
  { workspace, signal }: Pick<ActiveSession, "workspace" | "signal">,
  { tool, input }: Question,
): Promise<string | undefined> {
  return workspace === undefined || tool.preview === undefined
    ? undefined
    : await tool.preview({ workspace, signal }, input).then(diffOf, whyNot);
}

/** What a payment is weighed by, one line: whether it was named, the charter, the money; else nothing. */
async function weighedBy(
  { ledger, signal }: Pick<ActiveSession, "ledger" | "signal">,
  { effect, targets: [target], grants }: Question,
): Promise<string> {
  if (effect !== "spend" || target?.amount === undefined) return "";
  const { to, amount } = target;
  const named = grants === undefined
    ? `nobody named ${to} and ${amount} USD here`
    : `${to} and ${amount} USD were named here`;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(BUDGET_MS)]);
    const { budget_remaining_usd: left, payees } = await ledger.budget(limit);
    const allows = payees === null
      ? ["the charter allows anyone"]
      : payees.includes(to)
      ? [`the charter allows ${to}`]
      : [];
    return [named, ...allows, `${left} USD left`].join("; ");
  } catch {
    // A node that does not answer is heard of when the call is made.
    return named;
  }
}

/** Whether a call is about to run that changes other things than its approver was shown. */
export async function differsFromShown(
  session: ActiveSession,
  call: CallState,
  question: Question,
): Promise<boolean> {
  if (call.decided?.approve !== true || call.judged?.diff === undefined) return false;
  const diff = await diffNow(session, question);
  return (diff === "" ? undefined : diff) !== call.judged.diff;
}

async function diffOf(changes: readonly FileChange[]): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const parts = changes.filter(isChange).map(({ path, movedTo, before, after }) =>
    createTwoFilesPatch(
      before === undefined ? "/dev/null" : path,
      after === undefined ? "/dev/null" : movedTo ?? path,
      before ?? "",
      after ?? "",
      "",
      "",
      { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY },
    )
  );
  const diff = parts.join("");
  return diff.length <= MAX_DIFF
    ? diff
    : `(the change has ${diff.length} characters, too many to show)\n`;
}

function isChange({ path, movedTo = path, before, after }: FileChange): boolean {
  return before !== after || movedTo !== path;
}

/** A call that cannot be foreseen fails when it runs, or does what its input says. */
function whyNot(error: unknown): string {
  return `(the change cannot be shown: ${messageOf(error)})\n`;
}
