/**
 * Which session each conversation of a channel is in, which ones it was in, and what it chose: the
 * channels' state, beside the sessions it is about.
 */
import type { DatabaseSync } from "node:sqlite";
import { parseJson, stringifyJson } from "#internal/core/mod.ts";
import type { JsonValue } from "#internal/core/mod.ts";
import { transaction } from "./database.ts";

/** One conversation: a channel's name for itself, and its name for the conversation. */
export interface ChatPlace {
  /** As `cli`, `http:lead`, `slack:T01`. */
  readonly channel: string;
  readonly key: string;
}

/** What is kept of a conversation. */
export interface KeptChat {
  /** The session it is in; missing before the first and after it asked for a new one. */
  readonly session?: string;
  /** What it chose, as the runtime wrote it; missing when it never did. */
  readonly choices?: JsonValue;
}

/** The conversations of a home. */
export interface Chats {
  /** What is kept of a conversation; nothing when it is new. */
  read(place: ChatPlace): KeptChat;
  /** Puts a conversation into a session, which is one of its own from then on. */
  enter(place: ChatPlace, session: string): void;
  /** Leaves the session it is in; the next one is new. */
  leave(place: ChatPlace): void;
  /** Keeps what it chose, in place of what it had. */
  choose(place: ChatPlace, choices: JsonValue): void;
  /** Ids of the sessions it was in, the newest first. @param limit at most so many */
  sessions(place: ChatPlace, limit: number): string[];
}

/** The conversations in a file of sessions, whose owner closes it. */
export function chatsIn(database: DatabaseSync): Chats {
  const set = ({ channel, key }: ChatPlace, column: "session" | "choices", to: string | null) =>
    database.prepare(
      `INSERT INTO chats (channel, key, ${column}) VALUES (?, ?, ?) ` +
        `ON CONFLICT (channel, key) DO UPDATE SET ${column} = excluded.${column}`,
    ).run(channel, key, to);
  return {
    read({ channel, key }) {
      const row = database.prepare(
        "SELECT session, choices FROM chats WHERE channel = ? AND key = ?",
      ).get(channel, key);
      const { session = null, choices = null } = row ?? {};
      return {
        ...(session === null ? {} : { session: String(session) }),
        ...(choices === null ? {} : { choices: parseJson(String(choices)) }),
      };
    },
    enter(place, session) {
      transaction(database, () => {
        set(place, "session", session);
        database.prepare("INSERT OR IGNORE INTO chat_sessions VALUES (?, ?, ?)")
          .run(place.channel, place.key, session);
      });
    },
    leave(place) {
      transaction(database, () => set(place, "session", null));
    },
    choose(place, choices) {
      transaction(database, () => set(place, "choices", stringifyJson(choices)));
    },
    sessions({ channel, key }, limit) {
      return database.prepare(
        "SELECT session FROM chat_sessions JOIN sessions USING (session) " +
          "WHERE channel = ? AND key = ? ORDER BY last_ms DESC, session LIMIT ?",
      ).all(channel, key, limit).map((row) => String(row["session"]));
    },
  };
}
