/** What the commands `sion agent run`, `continue` and `trace` do. */
import type { Listener, RunEnd, SentFile } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import { eventKinds } from "./events/mod.ts";
import { createFolder } from "./fold.ts";
import type { AgentMachine } from "./machine.ts";
import type { SessionOptions } from "./open.ts";
import { openSession, reopenSession } from "./open.ts";
import type { Trace } from "./trace.ts";
import { traceOf } from "./trace.ts";

/** What `sion agent run` is given. */
export interface RunOptions extends SessionOptions {
  readonly task: string;
  /** Who says it, as `cli:root`. */
  readonly who: string;
  /** What they send along. @default nothing */
  readonly files?: readonly SentFile[];
}

/** What `sion agent continue` is given: at most one of the three. */
export interface ContinueOptions {
  readonly session: string;
  readonly who: string;
  readonly approve?: boolean;
  /** With `approve`: it holds for the session, for the same call, or for a rule's calls. */
  readonly always?: true | string;
  /** Why not. */
  readonly decline?: string;
  /** A new message. */
  readonly say?: string;
  /** What is sent along with it. @default nothing */
  readonly files?: readonly SentFile[];
  /** The request that was shown; another is not decided. */
  readonly request?: string;
}

/** Runs a task in a new session until it is done, waits or stops. */
export async function runAgent(
  machine: AgentMachine,
  { task, who, files = [], ...options }: RunOptions,
  listener: Listener,
  signal?: AbortSignal,
): Promise<RunEnd> {
  const message = { text: task, who, mayDecide: true, files };
  await using conversation = await openSession(machine, options, listener, message);
  return await conversation.resume(signal);
}

/** Goes on with a session: with a decision, a message, or from where it was left. */
export async function continueSession(
  machine: AgentMachine,
  { session, who, approve, always, decline, say, request, files = [] }: ContinueOptions,
  listener: Listener,
  signal?: AbortSignal,
): Promise<RunEnd> {
  const given = [approve === true, decline !== undefined, say !== undefined];
  if (given.filter(Boolean).length > 1) {
    throw new AgentError("waits", "only one of --approve, --decline and --say can be given");
  }
  await using conversation = reopenSession(machine, session, listener);
  const shown = request === undefined ? {} : { request };
  if (approve === true) {
    const held = always === undefined ? {} : { always };
    return await conversation.decide({ approve, who, ...shown, ...held }, signal);
  }
  if (decline !== undefined) {
    return await conversation.decide({ approve: false, why: decline, who, ...shown }, signal);
  }
  if (say !== undefined) {
    return await conversation.say({ text: say, who, mayDecide: true, files }, signal);
  }
  return await conversation.resume(signal);
}

/** The trace of a session, given by its id or a unique beginning of it. */
export function traceSession(machine: AgentMachine, session: string): Trace {
  const { sessions, kinds = eventKinds } = machine;
  const id = sessions.resolve(session);
  return traceOf(id, sessions.read(id), createFolder(kinds));
}
