/**
 * Agents' sessions, in `$SION_HOME/agents/sessions.db`: each an append-only log of events, with
 * large texts kept apart by digest, held by one process at a time through a lease.
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  fromHex,
  parseJson,
  SionError,
  stringifyJson,
  toHex,
  utf8,
  utf8Text,
} from "#internal/core/mod.ts";
import type { Clock, JsonValue, Random } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { Chats } from "./chats.ts";
import { chatsIn } from "./chats.ts";
import { closeDatabase, openDatabase, transaction, transactionLater } from "./database.ts";
import type { ProcessMark } from "./process_mark.ts";
import { isAlive, ownMark } from "./process_mark.ts";
import { SESSION_SCHEMA, SESSION_UPGRADES, SESSION_VERSION } from "./session_schema.ts";
import type { FoundWords } from "./session_search.ts";
import { searchWords } from "./session_search.ts";
import { mayBePacked, pack, unpack } from "./texts_apart.ts";

/**
 * `session-unknown`: there is no such session. `session-ambiguous`: several begin so.
 * `session-busy`: another process holds it; data: `pid`. `session-lost`: this process held it and
 * another took it over. `session-damaged`: its file does not hold what it should.
 */
export type SessionErrorCode =
  | "session-unknown"
  | "session-ambiguous"
  | "session-busy"
  | "session-lost"
  | "session-damaged";

/** One event to be put at the end of a session's log. */
export interface EventDraft {
  /** Name of its kind. */
  readonly kind: string;
  /** Version of the kind's body, from 1. */
  readonly v: number;
  readonly body: JsonValue;
  /** What a search finds it by. @default nothing */
  readonly words?: string;
  /** What lists show of the session from here on. @default as before */
  readonly listed?: ListedFacts;
  /**
   * Bytes that are kept with it, apart from the log. Of these and of what was kept of the session
   * before, only what `keep` names by its SHA-256 (hex) stays. @default all stays as it is
   */
  readonly pictures?: { readonly add: readonly Uint8Array[]; readonly keep: readonly string[] };
}

/** Facts of a session that lists show without reading its log. A missing one stays as it is. */
export interface ListedFacts {
  readonly agent?: string;
  /** Where it stands, one word. */
  readonly standing?: string;
  /** What it was opened for; only the first is kept, and of that 200 characters. */
  readonly task?: string;
  readonly title?: string;
}

/** One event of a session's log. */
export interface SessionEvent {
  /** Name of its kind. */
  readonly kind: string;
  /** Version of the kind's body, from 1. */
  readonly v: number;
  readonly body: JsonValue;
  /** The session's id, 16 hex digits. */
  readonly session: string;
  /** Place in the log, from 1, without gaps. */
  readonly seq: number;
  /** When it was written, ms since the Unix epoch. */
  readonly atMs: number;
}

/** What a list of sessions shows without reading them. */
export interface SessionSummary extends Required<ListedFacts> {
  readonly session: string;
  readonly events: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Whether a process holds it. */
  readonly held: boolean;
}

/** A session held by this process until released. */
export interface SessionLease {
  readonly session: string;
  /** The events so far, in order. @param after those behind this place only. @default all */
  read(after?: number): SessionEvent[];
  /**
   * Appends events, all or none; they are durable when this returns.
   * @param later they need outlive this process alone: power that is cut before the next append
   * without it may take them. @default false
   * @throws {SionError} `session-lost` when another process took the session over meanwhile.
   */
  append(drafts: readonly EventDraft[], later?: boolean): SessionEvent[];
  /** Bytes that were kept with an event, by their SHA-256 (hex), while they are kept. */
  picture(digest: string): Uint8Array | undefined;
  /** Keeps the lease for another while; to be called more often than every `LEASE_MS`. */
  renew(): void;
  /** Gives the session back. Twice is once. */
  release(): void;
}

/** The sessions of a home. One owner, who closes it. */
export interface Sessions {
  /** Makes a session with a fresh id and its first events, all or nothing, and holds it. */
  create(first: readonly EventDraft[]): SessionLease;
  /**
   * Holds an existing session.
   * @throws {SionError} `session-unknown`, `session-busy`
   */
  acquire(session: string): SessionLease;
  /**
   * The events, whoever holds it; for looking only.
   * @param after those behind this place only. @default all
   * @throws {SionError} `session-unknown`
   */
  read(session: string, after?: number): SessionEvent[];
  /**
   * The full id of a session given by it or by a unique beginning of it.
   * @throws {SionError} `session-unknown`, `session-ambiguous`
   */
  resolve(text: string): string;
  /** The newest sessions first. @param limit at most so many. @default 50 */
  list(limit?: number): SessionSummary[];
  /** What is shown of one session. @throws {SionError} `session-unknown` */
  summary(session: string): SessionSummary;
  /** The sessions in which all words of a text were said in one breath, the newest first. */
  search(text: string, limit: number): FoundWords[];
  /** The channels' conversations. */
  readonly chats: Chats;
  close(): void;
}

/** A lease that is not renewed for so long may be taken over, ms. */
export const LEASE_MS = 30_000;

const SESSION_BYTES = 8;
/** What lists are made of: a session, and its lease if one is kept. */
const SUMMARIES = "SELECT * FROM sessions LEFT JOIN leases USING (session)";

/** What the store needs of the machine. */
export interface SessionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** This process. @default the real one */
  readonly self?: ProcessMark;
  /** False when it is certain that the process is gone. @default asks the machine */
  readonly alive?: (mark: ProcessMark) => boolean;
}

/** Opens or makes the file of a home. @throws {SionError} `newer-data` */
export function openSessions(home: string, options: SessionsOptions): Sessions {
  const database = openDatabase(join(home, "agents", "sessions.db"), {
    schema: SESSION_SCHEMA,
    version: SESSION_VERSION,
    upgrade: SESSION_UPGRADES,
    shown: home,
  });
  return new SessionFile(database, options);
}

class SessionFile implements Sessions {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #self: ProcessMark;
  readonly #alive: (mark: ProcessMark) => boolean;
  readonly chats: Chats;

  constructor(database: DatabaseSync, options: SessionsOptions) {
    this.#database = database;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#self = options.self ?? ownMark();
    this.#alive = options.alive ?? isAlive;
    this.chats = chatsIn(database);
  }

  create(first: readonly EventDraft[]): SessionLease {
    const session = toHex(this.#random(SESSION_BYTES));
    const nowMs = this.#clock.nowMs();
    return transaction(this.#database, () => {
      this.#database.prepare(
        "INSERT INTO sessions (session, first_ms, last_ms, events) VALUES (?, ?, ?, 0)",
      ).run(session, nowMs, nowMs);
      this.#write(session, nowMs, first);
      return this.#hold(session, nowMs);
    });
  }

  acquire(session: string): SessionLease {
    return transaction(this.#database, () => {
      this.#mustExist(session);
      const nowMs = this.#clock.nowMs();
      const held = this.#database.prepare(
        "SELECT pid, started, expires_ms FROM leases WHERE session = ?",
      ).get(session);
      const holder = this.#holder(held);
      if (holder !== undefined) throw busy(session, holder);
      return this.#hold(session, nowMs);
    });
  }

  read(session: string, after?: number): SessionEvent[] {
    this.#mustExist(session);
    return this.#events(session, after);
  }

  resolve(text: string): string {
    if (!/^[0-9a-f]{1,16}$/.test(text)) throw unknown(text);
    const found = this.#database.prepare(
      "SELECT count(*) AS n, min(session) AS first FROM sessions " +
        "WHERE session >= ? AND session <= ?",
    ).get(text, text.padEnd(16, "f"));
    const fits = Number(found?.["n"] ?? 0);
    if (fits === 0) throw unknown(text);
    if (fits > 1) {
      throw new SionError<SessionErrorCode>(
        "session-ambiguous",
        `${text} begins the ids of ${fits} sessions: give more digits`,
      );
    }
    return String(found?.["first"]);
  }

  list(limit = 50): SessionSummary[] {
    return this.#database.prepare(
      `${SUMMARIES} ORDER BY last_ms DESC, session LIMIT ?`,
    ).all(limit).map((row) => this.#summaryOf(row));
  }

  summary(session: string): SessionSummary {
    const row = this.#database.prepare(`${SUMMARIES} WHERE session = ?`).get(session);
    if (row === undefined) throw unknown(session);
    return this.#summaryOf(row);
  }

  search(text: string, limit: number): FoundWords[] {
    return searchWords(this.#database, text, limit);
  }

  close(): void {
    closeDatabase(this.#database);
  }

  #summaryOf(row: Readonly<Record<string, unknown>>): SessionSummary {
    const { session, agent, standing, task, title } = row;
    return {
      session: String(session),
      events: Number(row["events"]),
      firstMs: Number(row["first_ms"]),
      lastMs: Number(row["last_ms"]),
      agent: String(agent),
      standing: String(standing),
      task: String(task),
      title: String(title),
      held: this.#holder(row) !== undefined,
    };
  }

  /** The process that holds a session, by the columns of its lease. */
  #holder(lease: Readonly<Record<string, unknown>> | undefined): number | undefined {
    const expiresMs = lease?.["expires_ms"] ?? null;
    if (expiresMs === null || Number(expiresMs) <= this.#clock.nowMs()) return undefined;
    const mark = { pid: Number(lease?.["pid"]), started: String(lease?.["started"]) };
    return this.#alive(mark) ? mark.pid : undefined;
  }

  #mustExist(session: string): void {
    const row = this.#database.prepare("SELECT 1 FROM sessions WHERE session = ?").get(session);
    if (row === undefined) throw unknown(session);
  }

  #hold(session: string, nowMs: number): SessionLease {
    const token = toHex(this.#random(16));
    const { pid, started } = this.#self;
    this.#database.prepare("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?)")
      .run(session, token, pid, started, nowMs + LEASE_MS);
    return {
      session,
      read: (after) => this.#events(session, after),
      append: (drafts, later) => this.#append(session, token, drafts, later),
      picture: (digest) => this.#picture(session, digest),
      renew: () => this.#renew(session, token),
      release: () => {
        if (!this.#database.isOpen) return;
        this.#database.prepare("DELETE FROM leases WHERE session = ? AND token = ?")
          .run(session, token);
      },
    };
  }

  #renew(session: string, token: string): void {
    const { changes } = this.#database.prepare(
      "UPDATE leases SET expires_ms = ? WHERE session = ? AND token = ?",
    ).run(this.#clock.nowMs() + LEASE_MS, session, token);
    if (Number(changes) === 0) throw lost(session);
  }

  /** The lease's token is checked in the same transaction, so a late writer can do no harm. */
  #append(
    session: string,
    token: string,
    drafts: readonly EventDraft[],
    later = false,
  ): SessionEvent[] {
    return (later ? transactionLater : transaction)(this.#database, () => {
      this.#renew(session, token);
      return this.#write(session, this.#clock.nowMs(), drafts);
    });
  }

  #write(session: string, atMs: number, drafts: readonly EventDraft[]): SessionEvent[] {
    const row = this.#database.prepare("SELECT events FROM sessions WHERE session = ?")
      .get(session);
    let seq = Number(row?.["events"] ?? 0);
    const insert = this.#database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)");
    const written = drafts.map(({ kind, v, body, words = "", listed, pictures }) => {
      seq++;
      const packed = stringifyJson(pack(body, (text) => this.#keepApart(text)));
      insert.run(session, seq, atMs, kind, v, packed);
      if (words !== "") this.#index(session, seq, words);
      if (listed !== undefined) this.#list(session, listed);
      if (pictures !== undefined) this.#keepPictures(session, pictures);
      return { session, seq, atMs, kind, v, body };
    });
    this.#database.prepare("UPDATE sessions SET events = ?, last_ms = ? WHERE session = ?")
      .run(seq, atMs, session);
    return written;
  }

  #keepPictures(session: string, { add, keep }: NonNullable<EventDraft["pictures"]>): void {
    const insert = this.#database.prepare("INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)");
    const kept = new Set(keep);
    for (const bytes of add) {
      const digest = toHex(sha256(bytes));
      if (kept.has(digest)) insert.run(session, digest, bytes);
    }
    const rows = this.#database.prepare("SELECT digest FROM pictures WHERE session = ?")
      .all(session);
    const drop = this.#database.prepare("DELETE FROM pictures WHERE session = ? AND digest = ?");
    for (const { digest } of rows) {
      if (!kept.has(String(digest))) drop.run(session, String(digest));
    }
  }

  #picture(session: string, digest: string): Uint8Array | undefined {
    const row = this.#database.prepare(
      "SELECT bytes FROM pictures WHERE session = ? AND digest = ?",
    ).get(session, digest);
    return row?.["bytes"] as Uint8Array | undefined;
  }

  #index(session: string, seq: number, words: string): void {
    this.#database.prepare("INSERT INTO words (text, session, seq) VALUES (?, ?, ?)")
      .run(words.toWellFormed(), session, seq);
  }

  #list(session: string, { agent, standing, task, title }: ListedFacts): void {
    this.#database.prepare(
      "UPDATE sessions SET agent = coalesce(?, agent), standing = coalesce(?, standing), " +
        "task = iif(task = '', substr(coalesce(?, ''), 1, 200), task), title = coalesce(?, title) " +
        "WHERE session = ?",
    ).run(agent ?? null, standing ?? null, task ?? null, title ?? null, session);
  }

  #events(session: string, after = 0): SessionEvent[] {
    const rows = this.#database.prepare(
      "SELECT * FROM events WHERE session = ? AND seq > ? ORDER BY seq",
    ).all(session, after);
    return rows.map((row) => ({
      session,
      seq: Number(row["seq"]),
      atMs: Number(row["at_ms"]),
      kind: String(row["kind"]),
      v: Number(row["v"]),
      body: this.#bodyOf(session, String(row["body"])),
    }));
  }

  #bodyOf(session: string, packed: string): JsonValue {
    const body = parseJson(packed);
    return mayBePacked(packed) ? unpack(body, (digest) => this.#apart(session, digest)) : body;
  }

  #keepApart(text: string): string {
    const bytes = utf8(text);
    const digest = sha256(bytes);
    this.#database.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)").run(digest, bytes);
    return toHex(digest);
  }

  #apart(session: string, digest: string): string {
    const row = this.#database.prepare("SELECT bytes FROM blobs WHERE digest = ?")
      .get(fromHex(digest));
    if (row === undefined) {
      throw new SionError<SessionErrorCode>(
        "session-damaged",
        `session ${session} lacks a text it refers to (${digest}): restore its file`,
      );
    }
    return utf8Text(row["bytes"] as Uint8Array);
  }
}

function unknown(session: string): SionError<SessionErrorCode> {
  return new SionError(
    "session-unknown",
    `there is no session ${session}: \`sion agent sessions\` lists those there are`,
  );
}

function busy(session: string, pid: number): SionError<SessionErrorCode> {
  return new SionError(
    "session-busy",
    `session ${session} is in use by process ${pid}: wait until it is done, or stop it`,
    { data: { pid } },
  );
}

function lost(session: string): SionError<SessionErrorCode> {
  return new SionError(
    "session-lost",
    `session ${session} was taken over by another process: this one stops`,
  );
}
