/**
 * What a person is shown of a call before they decide it: a sentence of what it does, and for files
 * the change itself against what is there. What was shown is kept with the question, so that what
 * runs is what was shown.
 */
import { formatUsd, messageOf } from "#internal/core/mod.ts";
import type { ToolFailure } from "#internal/mcp/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { Question } from "./policy/mod.ts";
import type { CallState } from "./state.ts";
import type { FileChange } from "./tools/mod.ts";
import { ForeseenFailure } from "./tools/mod.ts";

/** What is shown besides the call itself. */
export interface Shown {
  /** What it does, one sentence; of a payment, what it is weighed by on a line below. */
  readonly says?: string;
  /** The change of the workspace's files, as a unified diff with true line numbers. */
  readonly diff?: string;
}

/** How long a question waits for what the ledger says of it, ms. */
const LEDGER_MS = 3_000;
/** Lines around each change. */
const CONTEXT_LINES = 3;
/** Characters of a diff that are shown; a longer one is not, and says so. */
const MAX_DIFF = 1_000_000;

/**
 * What is shown of a call as things stand now. Changes nothing.
 * @param changes how it would change files, where that is known. @default looked up
 */
export async function shownOf(
  session: ActiveSession,
  question: Question,
  changes?: Preview,
): Promise<Shown> {
  const says = question.tool.says?.(question.input);
  const [fee, weighed, diff] = await Promise.all([
    feeOf(session, question),
    weighedBy(session, question),
    diffNow(session, question, changes),
  ]);
  return {
    ...(says === undefined ? {} : { says: says + fee + weighed }),
    ...(diff === undefined || diff === "" ? {} : { diff }),
  };
}

/** How a call would fail for certain as things stand now; nothing where it may succeed. */
export async function foreseenFailure(
  changes: Preview | undefined,
): Promise<ToolFailure | undefined> {
  try {
    await changes;
    return undefined;
  } catch (error) {
    return error instanceof ForeseenFailure ? error.failure : undefined;
  }
}

/** How a call would change files as they are; empty where it would not. */
export async function diffNow(
  session: ActiveSession,
  question: Question,
  changes: Preview | undefined = previewOf(session, question),
): Promise<string | undefined> {
  return await changes?.then(diffOf, whyNot);
}

/** How a call would change files, as it is looked up. */
export type Preview = Promise<readonly FileChange[]>;

/** Looks up how a call would change files as they are; nothing where its tool does not say. */
export function previewOf(
  { workspace, signal }: Pick<ActiveSession, "workspace" | "signal">,
  { tool, input }: Question,
): Preview | undefined {
  return workspace === undefined ? undefined : tool.preview?.({ workspace, signal }, input);
}

/** The fee of a payment, a sentence after what it does; nothing where it is not known. */
async function feeOf(
  { ledger, signal }: Pick<ActiveSession, "ledger" | "signal">,
  { tool, input, session, call }: Question,
): Promise<string> {
  if (tool.fee === undefined) return "";
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LEDGER_MS)]);
    const fee = await tool.fee({ ...session, ledger, call: call.id, signal: limit }, input);
    return ` Fee ${formatUsd(fee)} USD.`;
  } catch {
    // What keeps it from being paid is heard of when the call is made.
    return "";
  }
}

/** What a payment is weighed by, a line: whether it was named, the charter, the money; else nothing. */
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
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LEDGER_MS)]);
    const { budget_remaining_usd: left, payees } = await ledger.budget(limit);
    const allows = payees === null
      ? ["the charter allows anyone"]
      : payees.includes(to)
      ? [`the charter allows ${to}`]
      : [];
    return `\n${[named, ...allows, `${left} USD left`].join("; ")}`;
  } catch {
    // A node that does not answer is heard of when the call is made.
    return `\n${named}; what is left cannot be read now`;
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
  if (error instanceof ForeseenFailure) return "";
  return `(the change cannot be shown: ${messageOf(error)})\n`;
}
