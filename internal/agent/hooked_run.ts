/** A run with the operator's hooks before and after it. */
import { messageOf } from "#internal/core/mod.ts";
import type { ActiveSession } from "./active.ts";
import type { RunEnd } from "./conversation.ts";
import { runBegun } from "./events/mod.ts";
import { drive } from "./loop.ts";

/**
 * Goes on with a session as `drive` does. What hooks say at the beginning of a run is kept before the
 * model is asked, once a run, whatever process it goes on in.
 */
export async function driveWithHooks(session: ActiveSession): Promise<RunEnd> {
  const { recorder, hooks } = session;
  const said = recorder.state.said.at(-1);
  if (hooks.runStart !== undefined && said?.begun === undefined) {
    const added = await hooks.runStart(said?.text ?? "").catch((error: unknown) => {
      recorder.tell({ type: "notice", text: `a hook failed: ${messageOf(error)}` });
      return undefined;
    });
    recorder.append([runBegun.draft(added === undefined ? {} : { added })]);
  }
  const end = await drive(session);
  // A run that waits for a person has not ended.
  if (end.how !== "waiting") await hooks.runEnd?.(end);
  return end;
}
