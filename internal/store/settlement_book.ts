/**
 * Payments that a facilitator has taken, each once, with what the gateway answered to them. A claim is
 * durable before anybody is told of it, so that no crash lets a payment be taken twice.
 */
import { join } from "node:path";
import { closeDatabase, openDatabase, transaction } from "./database.ts";

/** A payment that was taken. */
export interface ClaimedPayment {
  /** Digest of the transaction. */
  readonly digest: string;
  /** What it is bound to, 64 hex digits. */
  readonly memo: string;
  /** What became of it, as JSON: the settlement as it was told. */
  readonly settlement: string;
  /** Who took it: the gateway, or whoever asked the facilitator. */
  readonly by: "gateway" | "facilitator";
  /** ms since the Unix epoch. */
  readonly claimedMs: number;
}

/** What was answered. */
export interface KeptAnswer {
  readonly status: number;
  /** JSON of the headers. */
  readonly headers: string;
  readonly body: Uint8Array;
}

/** A claim as it is found. */
export interface FoundClaim extends ClaimedPayment {
  /** Whether an answer was begun, or a request that may change something. */
  readonly served: boolean;
  /** The answer, as long as it is kept. */
  readonly answer?: KeptAnswer;
}

/** The file; one process has it at a time, or several. */
export interface SettlementBook {
  /** Takes a payment. True for the one caller who did; durable then. */
  claim(payment: ClaimedPayment): boolean;
  find(digest: string): FoundClaim | undefined;
  /**
   * Says, durably, that an answer to it begins, or a request that may change something. True for the one
   * caller who said it first.
   */
  serve(digest: string): boolean;
  /** Takes that back, for who said it: nothing was sent. */
  release(digest: string): void;
  /** Keeps the whole answer, and forgets those that are older than an hour, or too many. */
  keepAnswer(digest: string, answer: KeptAnswer, nowMs: number): void;
  close(): void;
}

const SCHEMA = `
CREATE TABLE claims (
  digest TEXT NOT NULL PRIMARY KEY, memo TEXT NOT NULL, settlement TEXT NOT NULL,
  taken_by TEXT NOT NULL, claimed_ms INTEGER NOT NULL, served INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
  digest TEXT NOT NULL PRIMARY KEY, kept_ms INTEGER NOT NULL, status INTEGER NOT NULL,
  headers TEXT NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (kept_ms);
`;

/** How long an answer is kept for whoever lost it, ms. */
const ANSWER_MS = 3_600_000;
/** Answers that are kept at most. */
const MOST_ANSWERS = 256;

/** Opens the file of a folder. The caller closes it. @throws {SionError} `newer-data` */
export function openSettlementBook(folder: string, shown?: string): SettlementBook {
  const database = openDatabase(join(folder, "x402.db"), {
    schema: SCHEMA,
    version: 1,
    ...(shown === undefined ? {} : { shown }),
  });
  const insert = database.prepare("INSERT OR IGNORE INTO claims VALUES (?, ?, ?, ?, ?, 0)");
  const select = database.prepare(
    "SELECT claims.*, status, headers, body FROM claims LEFT JOIN answers USING (digest) " +
      "WHERE digest = ?",
  );
  const begin = database.prepare("UPDATE claims SET served = 1 WHERE digest = ? AND served = 0");
  return {
    claim: ({ digest, memo, settlement, by, claimedMs }) =>
      Number(insert.run(digest, memo, settlement, by, claimedMs).changes) === 1,
    find(digest) {
      const row = select.get(digest);
      if (row === undefined) return undefined;
      const answer = row["status"] === null ? undefined : {
        status: Number(row["status"]),
        headers: row["headers"] as string,
        body: row["body"] as Uint8Array,
      };
      return {
        digest,
        memo: row["memo"] as string,
        settlement: row["settlement"] as string,
        by: row["taken_by"] as ClaimedPayment["by"],
        claimedMs: Number(row["claimed_ms"]),
        served: Number(row["served"]) === 1,
        ...(answer === undefined ? {} : { answer }),
      };
    },
    release(digest) {
      database.prepare("UPDATE claims SET served = 0 WHERE digest = ?").run(digest);
    },
    serve: (digest) => Number(begin.run(digest).changes) === 1,
    keepAnswer(digest, { status, headers, body }, nowMs) {
      transaction(database, () => {
        database.prepare("DELETE FROM answers WHERE kept_ms < ?").run(nowMs - ANSWER_MS);
        database.prepare("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)")
          .run(digest, nowMs, status, headers, body);
        database.prepare(
          "DELETE FROM answers WHERE digest NOT IN " +
            "(SELECT digest FROM answers ORDER BY kept_ms DESC, digest LIMIT ?)",
        ).run(MOST_ANSWERS);
      });
    },
    close: () => closeDatabase(database),
  };
}
