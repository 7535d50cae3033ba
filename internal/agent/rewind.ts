/** Going back in a conversation, with the files that its own tools changed since. */
import type { ActiveSession } from "./active.ts";
import { AgentError } from "./errors.ts";
import { filesRestored, messageForgotten } from "./events/mod.ts";
import { changesOf, putBack } from "./file_history.ts";
import type { PutBack } from "./file_history.ts";
import { lastingCalls } from "./forget.ts";
import type { SessionState } from "./state.ts";

/** What going back came to. */
export interface Rewound extends PutBack {
  /** Tools whose calls did something that stays, as `shell` or `ledger_pay`, each once. */
  readonly stays: readonly string[];
}

/**
 * Goes back. Files first, all in one set; then what is forgotten, in one step. Cut off in between, the
 * same again finds the files as they were and goes on.
 * @throws {AgentError} `nothing-said` when there are not so many messages to forget
 */
export async function rewind(
  { recorder, workspace, beforeFolder }: ActiveSession,
  count: number,
  who: string,
): Promise<Rewound> {
  const { state } = recorder;
  const { at, behind } = placeBack(state, count);
  const stays = staying(state, at);
  const back = workspace === undefined ? { restored: [], left: [] } : await putBack(state, {
    workspace,
    folder: beforeFolder,
    behind,
    id: `rewind-${state.session}-${state.lastSeq}`,
  });
  recorder.append([
    filesRestored.draft({ who, behind, ...back }),
    ...Array.from({ length: count }, () => messageForgotten.draft({ who })),
  ]);
  return { ...back, stays };
}

/** Where the message stands that is so many back: among the entries, and in the log. */
function placeBack(
  { entries, said }: SessionState,
  count: number,
): { readonly at: number; readonly behind: number } {
  let left = count;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined || !("said" in entry) || said[entry.said]?.check === true) continue;
    if (entry.cut === true) break;
    left--;
    if (left === 0) return { at, behind: (said[entry.said]?.seq ?? 0) - 1 };
  }
  const there = count - left;
  throw new AgentError(
    "nothing-said",
    there === 0
      ? "there is no message to go back to: what came before stands in a summary"
      : `only ${there} ${
        there === 1 ? "message" : "messages"
      } can be taken back: give a number up ` +
        `to ${there}`,
  );
}

/** What was done behind a place and is not undone: all but changes that files tell of. */
function staying(state: SessionState, at: number): readonly string[] {
  const ofFiles = new Set(changesOf(state).map(({ call }) => call));
  const tools = lastingCalls(state, at).filter(({ id }) => !ofFiles.has(id));
  return [...new Set(tools.map(({ tool }) => tool))];
}
