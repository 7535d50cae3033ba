/**
 * Agents' sessions, in `$SION_HOME/agents/sessions.db`: each an append-only log of events, with
 * large texts kept apart by digest, held by one process at a time through a lease.
 */
import { join } from "node:path";
import process from "node:process";
import { readFileSync } from "node:fs";
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
import { closeDatabase, openDatabase, transaction } from "./database.ts";

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
}

/** One event of a session's log. */
export interface SessionEvent extends EventDraft {
  /** The session's id, 16 hex digits. */
  readonly session: string;
  /** Place in the log, from 1, without gaps. */
  readonly seq: number;
  /** When it was written, ms since the Unix epoch. */
  readonly atMs: number;
}

/** What a list of sessions shows without reading them. */
export interface SessionSummary {
  readonly session: string;
  readonly events: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** A session held by this process until released. */
export interface SessionLease {
  readonly session: string;
  /** Every event so far, in order. */
  read(): SessionEvent[];
  /**
   * Appends events, all or none; they are durable when this returns.
   * @throws {SionError} `session-lost` when another process took the session over meanwhile.
   */
  append(drafts: readonly EventDraft[]): SessionEvent[];
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
  /** All events, whoever holds it; for looking only. @throws {SionError} `session-unknown` */
  read(session: string): SessionEvent[];
  /**
   * The full id of a session given by it or by a unique beginning of it.
   * @throws {SionError} `session-unknown`, `session-ambiguous`
   */
  resolve(text: string): string;
  /** The newest sessions first. @param limit at most so many. @default 50 */
  list(limit?: number): SessionSummary[];
  close(): void;
}

/** A lease that is not renewed for so long may be taken over, ms. */
export const LEASE_MS = 30_000;

/** Texts longer than this stand apart, UTF-16 units. */
const APART_LENGTH = 4_096;
const SESSION_BYTES = 8;

const SCHEMA = `
CREATE TABLE events (
  session TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL, v INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, seq)
) WITHOUT ROWID;
CREATE TABLE sessions (
  session TEXT PRIMARY KEY, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
  events INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX newest ON sessions (last_ms);
CREATE TABLE blobs (digest BLOB PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE leases (
  session TEXT PRIMARY KEY, token TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) WITHOUT ROWID;
`;

/** Who holds leases here: a process id, and what tells it from a later process of that id. */
export interface ProcessMark {
  readonly pid: number;
  readonly started: string;
}

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
    schema: SCHEMA,
    version: 1,
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

  constructor(database: DatabaseSync, options: SessionsOptions) {
    this.#database = database;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#self = options.self ?? ownMark();
    this.#alive = options.alive ?? isAlive;
  }

  create(first: readonly EventDraft[]): SessionLease {
    const session = toHex(this.#random(SESSION_BYTES));
    const nowMs = this.#clock.nowMs();
    return transaction(this.#database, () => {
      this.#database.prepare("INSERT INTO sessions VALUES (?, ?, ?, 0)")
        .run(session, nowMs, nowMs);
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
      if (held !== undefined && Number(held["expires_ms"]) > nowMs) {
        const mark = { pid: Number(held["pid"]), started: String(held["started"]) };
        if (this.#alive(mark)) throw busy(session, mark.pid);
      }
      return this.#hold(session, nowMs);
    });
  }

  read(session: string): SessionEvent[] {
    this.#mustExist(session);
    return this.#events(session);
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
      "SELECT * FROM sessions ORDER BY last_ms DESC, session LIMIT ?",
    ).all(limit).map((row) => ({
      session: String(row["session"]),
      events: Number(row["events"]),
      firstMs: Number(row["first_ms"]),
      lastMs: Number(row["last_ms"]),
    }));
  }

  close(): void {
    closeDatabase(this.#database);
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
      read: () => this.#events(session),
      append: (drafts) => this.#append(session, token, drafts),
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
  #append(session: string, token: string, drafts: readonly EventDraft[]): SessionEvent[] {
    return transaction(this.#database, () => {
      this.#renew(session, token);
      return this.#write(session, this.#clock.nowMs(), drafts);
    });
  }

  #write(session: string, atMs: number, drafts: readonly EventDraft[]): SessionEvent[] {
    const row = this.#database.prepare("SELECT events FROM sessions WHERE session = ?")
      .get(session);
    let seq = Number(row?.["events"] ?? 0);
    const insert = this.#database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)");
    const written = drafts.map(({ kind, v, body }) => {
      seq++;
      const packed = stringifyJson(pack(body, (text) => this.#keepApart(text)));
      insert.run(session, seq, atMs, kind, v, packed);
      return { session, seq, atMs, kind, v, body };
    });
    this.#database.prepare("UPDATE sessions SET events = ?, last_ms = ? WHERE session = ?")
      .run(seq, atMs, session);
    return written;
  }

  #events(session: string): SessionEvent[] {
    const rows = this.#database.prepare("SELECT * FROM events WHERE session = ? ORDER BY seq")
      .all(session);
    return rows.map((row) => ({
      session,
      seq: Number(row["seq"]),
      atMs: Number(row["at_ms"]),
      kind: String(row["kind"]),
      v: Number(row["v"]),
      body: unpack(parseJson(String(row["body"])), (digest) => this.#apart(session, digest)),
    }));
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

/** The key under which a long text's digest stands; keys that look like it get one `$` more. */
const APART_KEY = "$apart";
const LOOKS_LIKE_APART = /^\$+apart$/;

/** Replaces long texts by `{"$apart": digest}`. Lone surrogates stay where they are. */
function pack(value: JsonValue, keep: (text: string) => string): JsonValue {
  if (typeof value === "string") {
    return value.length > APART_LENGTH && value.isWellFormed()
      ? { [APART_KEY]: keep(value) }
      : value;
  }
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => pack(member, keep));
  const out: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) {
      out[LOOKS_LIKE_APART.test(key) ? `$${key}` : key] = pack(member, keep);
    }
  }
  return out;
}

/** The inverse of `pack`. */
function unpack(value: JsonValue, apart: (digest: string) => string): JsonValue {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member: JsonValue) => unpack(member, apart));
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === APART_KEY && typeof only[1] === "string") {
    return apart(only[1]);
  }
  const out: Record<string, JsonValue> = Object.create(null);
  for (const [key, member] of entries) {
    if (member === undefined) continue;
    out[LOOKS_LIKE_APART.test(key) ? key.slice(1) : key] = unpack(member, apart);
  }
  return out;
}

function ownMark(): ProcessMark {
  return { pid: process.pid, started: startOf(process.pid) };
}

/** When a process started, as Linux tells it (fields 3 and 22 of its stat); empty elsewhere. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent has not asked yet.
    return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19] ?? "";
  } catch {
    return "";
  }
}

function isAlive({ pid, started }: ProcessMark): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return startOf(pid) === started;
}

function unknown(session: string): SionError<SessionErrorCode> {
  return new SionError(
    "session-unknown",
    `there is no session ${session}: give the id that \`sion agent run\` printed first`,
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
