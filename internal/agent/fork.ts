/** A session that goes on from a copy of another one's conversation. */
import { createFolder } from "./fold.ts";
import { AgentError } from "./errors.ts";
import { eventKinds, sessionForked } from "./events/mod.ts";
import type { AnyEventKind } from "./events/mod.ts";
import { journalRoot } from "./file_history.ts";
import { refuseNewer } from "./held_conversation.ts";
import type { AgentMachine } from "./machine.ts";
import { keptDigests } from "./pictures.ts";
import { openCalls } from "./state.ts";
import type { SessionEvent } from "#internal/store/mod.ts";
import type { EventDraft } from "#internal/store/mod.ts";

/** What a fork came to. */
export interface Forked {
  readonly session: string;
  readonly from: string;
  /** How many of the person's messages are in it. */
  readonly messages: number;
}

/**
 * Copies a session up to the answer of a message into a new one. The first stays as it is; files,
 * payments and what else was done stay done, and the journal of the first holds in both.
 * @param at the number of the message, from 1. @default the last one
 * @throws {SionError} `session-unknown`, `session-busy`, `session-newer`
 * @throws {AgentError} `waits` when calls are not ended there; `nothing-said` without such a message
 */
export function forkSession(
  machine: AgentMachine,
  { session: named, at, who }: {
    readonly session: string;
    readonly at?: number;
    readonly who: string;
  },
): Forked {
  const { sessions, kinds = eventKinds } = machine;
  const from = sessions.resolve(named);
  const lease = sessions.acquire(from);
  try {
    const folder = createFolder(kinds);
    const log = lease.read();
    const whole = folder.fold(from, log);
    refuseNewer(whole, kinds);
    const messages = whole.said.filter(({ check }) => check !== true);
    const number = at ?? messages.length;
    if (messages[number - 1] === undefined) {
      throw new AgentError(
        "nothing-said",
        `session ${from} has ${messages.length} messages: give --at 1 to ${messages.length}`,
      );
    }
    const end = messages[number]?.seq ?? Infinity;
    const copied = log.filter(({ seq }) => seq < end);
    const state = folder.fold(from, copied);
    if (openCalls(state).length > 0) {
      throw new AgentError(
        "waits",
        `calls of session ${from} have not ended there: decide or continue it first, or give an ` +
          "earlier --at",
      );
    }
    const keep = keptDigests(state, []);
    const add = keep.flatMap((digest) => lease.picture(digest) ?? []);
    const forked = sessionForked.draft({ from, root: journalRoot.of(state), who });
    const made = sessions.create([
      ...copied.map((event) => draftOf(event, kinds)),
      add.length === 0 ? forked : { ...forked, pictures: { add, keep } },
    ]);
    made.release();
    return { session: made.session, from, messages: number };
  } finally {
    lease.release();
  }
}

/** An event as it was first appended; its bytes are not with it. */
function draftOf(
  { kind: name, v, body }: SessionEvent,
  kinds: readonly AnyEventKind[],
): EventDraft {
  const kind = kinds.find((known) => known.kind === name && known.v === v);
  const words = kind?.words?.(kind.body.parse(body));
  const listed = kind?.listed?.(kind.body.parse(body));
  return {
    kind: name,
    v,
    body,
    ...(words === undefined ? {} : { words }),
    ...(listed === undefined ? {} : { listed }),
  };
}
