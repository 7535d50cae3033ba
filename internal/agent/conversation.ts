/**
 * What goes into a conversation with an agent and what comes out of it. The loop knows nothing of
 * terminals and channels: a front end is a listener to these events.
 */
import type { JsonValue } from "#internal/core/mod.ts";

/** A file that a person sent along. */
export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  /** Text of the file, where it is text. */
  readonly text?: string;
  /** Its bytes, where they are at hand: a picture is shown to the model then. Never in the log. */
  readonly bytes?: Uint8Array;
  /** How many bytes it has, where that is known. */
  readonly size?: number;
  /** SHA-256 of a picture, 64 hex digits: its bytes are kept apart from the log by it. */
  readonly digest?: string;
  /** Where in the workspace it was put. */
  readonly path?: string;
  /** Why it is not there: too large to be taken, no longer given by a channel, not written. */
  readonly missing?: "too-large" | "gone" | "not-kept";
}

/** A picture as the log has it. */
export interface KeptPicture {
  /** SHA-256 of its bytes, 64 hex digits. */
  readonly digest: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

/** A picture with its place: in a message, by its number from 0, or in a call's result, by its id. */
export interface PlacedPicture extends KeptPicture {
  readonly said?: number;
  readonly call?: string;
}

/** Whose words a message holds when they are not the person's own. They never name a target. */
export interface WordsOrigin {
  /** For sentences: `agent 23e91a81`, `prompt triage of notes`, `task of session 3ffd3b1f`. */
  readonly what: string;
  /** Whether they are content from outside, which taints the session. */
  readonly outside: boolean;
}

/** What a person (or who speaks for one) says to the agent. */
export interface PersonMessage {
  readonly text: string;
  /**
   * The channel's own name of the message. One that the session has as its last is not said again but
   * gone on with: a channel hands in again what it had not answered when it stopped. @default none
   */
  readonly id?: string;
  /** @default none */
  readonly files?: readonly SentFile[];
  /** Who, as the channel names them: `cli:root`, `slack:U07`, `http:token 3046d92e`. */
  readonly who: string;
  /** Whether they may approve and decline calls. */
  readonly mayDecide: boolean;
  /** Whose words these are: another agent's, a server's prompt. @default the person's own */
  readonly origin?: WordsOrigin;
}

/** A person's answer to the call that waits. */
export interface Decision {
  readonly approve: boolean;
  /** Why not; told to the model. */
  readonly why?: string;
  readonly who: string;
  /** The request they were shown; when given, only that one is decided. */
  readonly request?: string;
  /**
   * With an approval: it holds for the rest of the session, for the same call again, or for the calls
   * that this rule matches (`write_file(notes:*)`). @default it holds once
   */
  readonly always?: true | string;
}

/** Where a call stands. `calling`: it is about to be judged or made; `ok` and `failed` end it. */
export type CallPhase = "calling" | "running" | "waiting" | "ok" | "failed";

/** What comes out, in order. */
export type ConversationEvent =
  /** A run begins. */
  | { readonly type: "session"; readonly session: string; readonly agent: string }
  /** Words the agent wrote since the last such event. */
  | { readonly type: "delta"; readonly text: string }
  /** Something about the session that a person should know. */
  | { readonly type: "notice"; readonly text: string }
  /** A call of a tool: `text` when it ended, `by` when a person approved it. */
  | {
    readonly type: "tool";
    readonly call: string;
    readonly tool: string;
    readonly input: JsonValue;
    readonly state: CallPhase;
    readonly text?: string;
    readonly by?: string;
  }
  /** How a call that runs without a question changes files; told where a front end wants it. */
  | { readonly type: "change"; readonly call: string; readonly diff: string }
  /** The run stands until a person decides a call. */
  | {
    readonly type: "waiting";
    readonly session: string;
    readonly request: string;
    readonly tool: string;
    readonly input: JsonValue;
    readonly why: string;
    /** What it does, a line or more. */
    readonly says?: string;
    /** How it would change files: a unified diff. */
    readonly diff?: string;
    /** The rule that may be given with an approval; missing where it is approved on its own. */
    readonly rule?: string;
  }
  /** The run is done; `said` is all the agent said in it, a paragraph an answer. */
  | {
    readonly type: "done";
    readonly session: string;
    readonly said: string;
    readonly files: readonly string[];
    /** The answer's value, in sessions with an output schema. */
    readonly value?: JsonValue;
  }
  /** The run stopped before it was done; the session is kept. */
  | {
    readonly type: "error";
    readonly session: string;
    readonly code: string;
    readonly message: string;
  };

/** Hears what comes out of a conversation. */
export type Listener = (event: ConversationEvent) => void;

/** How a run ended. */
export type RunEnd =
  | { readonly how: "done"; readonly session: string; readonly said: string }
  | { readonly how: "waiting"; readonly session: string; readonly request: string }
  | {
    readonly how: "stopped";
    readonly session: string;
    readonly code: string;
    readonly message: string;
  };

/** The exit code that stands for how a run ended: 0 done, 5 waits for a person, 7 or 130 stopped. */
export function exitCodeOf(end: RunEnd): number {
  if (end.how === "done") return 0;
  if (end.how === "waiting") return 5;
  return end.code === "cancelled" ? 130 : 7;
}
