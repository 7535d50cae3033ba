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
  /** What it does, one sentence. */
  readonly says?: string;
  /** The change of the workspace's files, as a unified diff with true line numbers. */
  readonly diff?: string;
}

/** Lines around each change. */
const CONTEXT_LINES = 3;
/** Characters of a diff that are shown; a longer one is not, and says so. */
const MAX_DIFF = 1_000_000;

/** What is shown of a call as things stand now. Changes nothing. */
export async function shownOf(
  { workspace, signal }: Pick<ActiveSession, "workspace" | "signal">,
  { tool, input }: Question,
): Promise<Shown> {
  const says = tool.says?.(input);
  const diff = workspace === undefined || tool.preview === undefined
    ? undefined
    : await tool.preview({ workspace, signal }, input).then(diffOf, whyNot);
  return {
    ...(says === undefined ? {} : { says }),
    ...(diff === undefined || diff === "" ? {} : { diff }),
  };
}

/** Whether a call is about to run that changes other things than its approver was shown. */
export async function differsFromShown(
  session: ActiveSession,
  call: CallState,
  question: Question,
): Promise<boolean> {
  if (call.decided?.approve !== true || call.judged?.diff === undefined) return false;
  return (await shownOf(session, question)).diff !== call.judged.diff;
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
