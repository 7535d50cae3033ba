/** What a person is told when a conversation begins, or goes on. */
import { resolve } from "node:path";
import type { AgentMachine, Chat, SessionOptions } from "#internal/agent/mod.ts";
import { displayPath } from "#internal/runtime/mod.ts";
import type { Environment } from "#internal/runtime/mod.ts";

/** What an agent of these options may do with the files of its folder; nothing where it has none. */
export function folderNotice(
  { workspace, autonomy = "L2", given = {} }: SessionOptions,
  name: string,
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
): readonly string[] {
  const level = Number(/^L([0-6])$/i.exec(autonomy)?.[1]);
  if (workspace === undefined || Number.isNaN(level)) return [];
  const folder = displayPath(resolve(cwd, workspace), env);
  const shell = given["shell"] === undefined ? "" : " and runs commands";
  const asks = shell === "" ? "" : ", and before each command";
  const does = level === 0
    ? "does nothing with the files"
    : level === 1
    ? "reads files, and changes none"
    : level === 2
    ? `reads files, and asks you before it changes one${asks}`
    : `reads and changes files${shell} without asking`;
  return [`at L${level} ${name} ${does} in ${folder}`];
}

/** Where the session stands that a conversation goes on in. */
export async function standingNotice(
  chat: Pick<Chat, "session" | "state">,
  { sessions }: Pick<AgentMachine, "sessions">,
): Promise<readonly string[]> {
  const { waitingEvent } = await import("#internal/agent/mod.ts");
  const { session } = chat;
  if (session === undefined) return [];
  const goesOn = `session ${session} goes on; /new starts another`;
  if (sessions.summary(session).held) {
    return [goesOn, "another process is at work in it: what you say is refused until that is done"];
  }
  const state = chat.state();
  const isCut = state !== undefined && state.said.length > 0 && state.ended === undefined &&
    waitingEvent(state) === undefined;
  return isCut
    ? [goesOn, "its last answer was cut off: /retry answers again, or say what is next"]
    : [goesOn];
}
