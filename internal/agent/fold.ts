/** Folding a session's log into its state, into what is streamed of it, and into its trace. */
import { messageOf } from "#internal/core/mod.ts";
import type { SessionEvent } from "#internal/store/mod.ts";
import type { ConversationEvent } from "./conversation.ts";
import { AgentError } from "./errors.ts";
import type { AnyEventKind, Logged } from "./events/mod.ts";
import type { SessionState } from "./state.ts";
import { emptyState } from "./state.ts";

/** A fold over a log with a set of event kinds. */
export interface Folder {
  /** The state after `events`, which begin at the log's first. @throws {AgentError} `session-damaged` */
  fold(session: string, events: Iterable<SessionEvent>): SessionState;
  /** Brings a state forward by the events behind it, in place. @throws {AgentError} `session-damaged` */
  forward(state: SessionState, events: Iterable<SessionEvent>): void;
  /** Brings a state forward by one event, in place. @throws {AgentError} `session-damaged` */
  apply(state: SessionState, event: SessionEvent): void;
  /** What a front end hears of an event that was just applied. */
  stream(event: SessionEvent, state: SessionState): readonly ConversationEvent[];
  /** The lines of an event in the trace, told with the last state. */
  trace(event: SessionEvent, state: SessionState): readonly string[];
}

/**
 * A folder for the given kinds. Events of a kind or version it does not know are passed over and
 * listed in the state; an event it knows but cannot read is damage, since it may be a payment.
 */
export function createFolder(kinds: readonly AnyEventKind[]): Folder {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  if (byName.size !== kinds.length) {
    throw new TypeError("Cannot fold: two event kinds share a name");
  }

  function read(event: SessionEvent): { kind: AnyEventKind; logged: Logged<unknown> } | undefined {
    const kind = byName.get(event.kind);
    if (kind === undefined || event.v !== kind.v) return undefined;
    const body = kind.body.safeParse(event.body);
    if (body.success) return { kind, logged: { ...event, body: body.data } };
    throw damaged(event, body.error.issues[0]?.message ?? "its body is not as described");
  }

  function apply(state: SessionState, event: SessionEvent): void {
    state.lastSeq = event.seq;
    const known = read(event);
    if (known === undefined) {
      state.passedOver.push({ seq: event.seq, kind: event.kind, v: event.v });
      return;
    }
    try {
      known.kind.apply?.(state, known.logged);
    } catch (cause) {
      throw damaged(event, messageOf(cause), cause);
    }
  }

  return {
    apply,
    fold(session, events) {
      const state = emptyState(session);
      for (const event of events) apply(state, event);
      return state;
    },
    forward(state, events) {
      for (const event of events) apply(state, event);
    },
    stream(event, state) {
      const known = read(event);
      return known?.kind.stream?.(known.logged, state) ?? [];
    },
    trace(event, state) {
      const known = read(event);
      return known?.kind.trace?.(known.logged, state) ?? [];
    },
  };
}

function damaged(event: SessionEvent, why: string, cause?: unknown): AgentError {
  return new AgentError(
    "session-damaged",
    `event ${event.seq} (${event.kind}) of session ${event.session} cannot be read: ${why}`,
    { cause, data: { seq: event.seq } },
  );
}
