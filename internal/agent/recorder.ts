/** A held session: its log, the state it folds to, and whoever listens to it. */
import type { JsonValue, Redactor } from "#internal/core/mod.ts";
import { createRedactor } from "#internal/core/mod.ts";
import type { EventDraft, SessionEvent, SessionLease } from "#internal/store/mod.ts";
import type { ConversationEvent, Listener } from "./conversation.ts";
import type { Folder } from "./fold.ts";
import { redacted, redactedDraft } from "./secrets.ts";
import type { SessionState } from "./state.ts";

/** How events are appended. */
export interface AppendOptions {
  /** True when the words in it were told already, as they came. @default false */
  readonly streamed?: boolean;
  /**
   * True when nothing outside follows from them before the next append that does not say so: then the
   * disk is waited for there, once. They outlive this process all the same. @default false
   */
  readonly later?: boolean;
}

/** Writes a session's log and keeps its state in step. */
export interface Recorder {
  /** The state after everything that was appended; changed in place by `append`. */
  readonly state: SessionState;
  /**
   * Appends events, all or none, brings the state forward, and tells the listener what a front end
   * hears of them. Durable when it returns, unless they may follow later.
   */
  append(drafts: readonly EventDraft[], how?: AppendOptions): void;
  /** The bytes of a picture of the session, by its digest, as long as they are kept. */
  picture(digest: string): Uint8Array | undefined;
  /** Tells the listener something that is not kept. */
  tell(event: ConversationEvent): void;
  /** Cuts secrets out of all that is appended and told from now on. */
  redactWith(redactor: Redactor): void;
  /** Brings the state forward by what others wrote, without telling. */
  see(events: readonly SessionEvent[]): void;
  /** Goes on under another lease of the session, from what others wrote meanwhile. */
  goOn(lease: SessionLease): void;
}

/** A recorder over a lease. */
export function createRecorder(
  first: SessionLease,
  folder: Folder,
  listener: Listener,
): Recorder {
  let lease = first;
  const state = folder.fold(lease.session, lease.read());
  let redactor = createRedactor([]);
  return {
    state,
    picture: (digest) => lease.picture(digest),
    redactWith: (other) => void (redactor = other),
    tell: (event) => listener(redacted(redactor, event as JsonValue) as ConversationEvent),
    append(drafts, { streamed = false, later = false } = {}) {
      const kept = drafts.map((draft) => redactedDraft(redactor, draft));
      for (const event of lease.append(kept, later)) {
        folder.apply(state, event);
        for (const heard of folder.stream(event, state)) {
          if (!streamed || heard.type !== "delta") listener(heard);
        }
      }
    },
    see(events) {
      folder.forward(state, events);
    },
    goOn(next) {
      folder.forward(state, next.read(state.lastSeq));
      lease = next;
    },
  };
}
