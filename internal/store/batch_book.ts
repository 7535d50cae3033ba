/**
 * Batches of a wallet: lists of payments that are made in several units, kept from before the first
 * is signed until their outcome was told. So whoever gives a list again after a crash goes on with
 * what was begun, and a list that was made already is not made again unasked.
 */
import type { StatementSync } from "node:sqlite";
import { shortId, SionError } from "#internal/core/mod.ts";

/** `batch-busy`: another process pays the batch; nothing was signed. Data: `batch`. */
export type BatchErrorCode = "batch-busy";

/**
 * How a unit ended: `executed` with a receipt, its place `taken` by another unit or void, or `never`
 * to execute, with its sequences free again.
 */
export type UnitEnd = "executed" | "taken" | "never";

/** A list of payments of one wallet. */
export interface KeptBatch {
  /** A name for people, 16 hex digits. */
  readonly batch: string;
  /** Digest of what is paid to whom, in order. */
  readonly list: string;
  readonly payments: number;
  /** When it was begun, ms since the Unix epoch. */
  readonly begunMs: number;
}

/** Which batch a unit is part of, and which part. */
export interface BatchPlace {
  readonly id: string;
  /** From 0. */
  readonly place: number;
}

/** A place of a batch that a unit was signed for. */
export interface BatchUnit {
  /** Which part of the list it is, from 0. */
  readonly place: number;
  /** Digest of the unit. */
  readonly unit: string;
  readonly members: number;
  /** `dead`: it never executes, so that its payments are to be signed anew. */
  readonly state: "pending" | "executed" | "dead";
}

/**
 * What a list is to the wallet that wants to pay it:
 * - `new`: it was begun by this call,
 * - `open`: it was begun before, and its outcome was never told,
 * - `other-open`: another list was; this one was not begun,
 * - `told`: it was made before and its outcome told; it was not begun again.
 */
export type BatchStart = {
  readonly type: "new" | "open" | "other-open" | "told";
  readonly batch: KeptBatch;
};

/** Tables since version 2 of the wallets' file. */
export const BATCH_SCHEMA = `
CREATE TABLE batches (
  batch TEXT NOT NULL PRIMARY KEY, chain TEXT NOT NULL, account TEXT NOT NULL, list TEXT NOT NULL,
  payments INTEGER NOT NULL, begun_ms INTEGER NOT NULL, told INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE batch_units (
  batch TEXT NOT NULL, place INTEGER NOT NULL, unit TEXT NOT NULL, members INTEGER NOT NULL,
  state TEXT NOT NULL, PRIMARY KEY (batch, place)
) WITHOUT ROWID;
CREATE INDEX batch_units_by_unit ON batch_units (unit);
`;

/** Told batches of an account that are remembered. */
const MOST_TOLD = 1_000;

type Prepare = (sql: string) => StatementSync;

/**
 * Begins a list, unless it or another is open, or it was made before. An open one that no unit may
 * execute of binds nobody. Within a transaction.
 */
export function startBatch(
  prepare: Prepare,
  { chain, account }: { readonly chain: string; readonly account: string },
  wanted: KeptBatch,
  again: boolean,
): BatchStart {
  const open = prepare("SELECT * FROM batches WHERE chain = ? AND account = ? AND told = 0")
    .get(chain, account);
  if (open !== undefined) {
    const batch = batchOfRow(open);
    const begun = unitsOfBatch(prepare, batch.batch).some(({ state }) => state !== "dead");
    if (begun && !again) {
      return { type: batch.list === wanted.list ? "open" : "other-open", batch };
    }
    if (begun) endBatch(prepare, batch.batch);
    else dropBatch(prepare, batch.batch);
  }
  const told = again ? undefined : prepare(
    "SELECT * FROM batches WHERE chain = ? AND account = ? AND list = ? " +
      "ORDER BY begun_ms DESC LIMIT 1",
  ).get(chain, account, wanted.list);
  if (told !== undefined) return { type: "told", batch: batchOfRow(told) };
  prepare("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, 0)")
    .run(wanted.batch, chain, account, wanted.list, wanted.payments, wanted.begunMs);
  prepare(
    "DELETE FROM batches WHERE chain = ?1 AND account = ?2 AND told = 1 AND batch NOT IN " +
      "(SELECT batch FROM batches WHERE chain = ?1 AND account = ?2 AND told = 1 " +
      "ORDER BY begun_ms DESC LIMIT ?3)",
  ).run(chain, account, MOST_TOLD);
  return { type: "new", batch: wanted };
}

function dropBatch(prepare: Prepare, batch: string): void {
  prepare("DELETE FROM batch_units WHERE batch = ?").run(batch);
  prepare("DELETE FROM batches WHERE batch = ?").run(batch);
}

/** The outcome of a batch was told, or is given up: its list may be begun anew if asked. */
export function endBatch(prepare: Prepare, batch: string): void {
  prepare("UPDATE batches SET told = 1 WHERE batch = ?").run(batch);
  prepare("DELETE FROM batch_units WHERE batch = ?").run(batch);
}

/** The units of an open batch, by place. */
export function unitsOfBatch(prepare: Prepare, batch: string): BatchUnit[] {
  return prepare("SELECT * FROM batch_units WHERE batch = ? ORDER BY place").all(batch).map((
    row,
  ) => ({
    place: Number(row["place"]),
    unit: row["unit"] as string,
    members: Number(row["members"]),
    state: row["state"] as BatchUnit["state"],
  }));
}

/**
 * Notes that a unit was signed for its place. Within the transaction that keeps the unit: a place has
 * one unit that may execute, whatever other processes do.
 * @throws {SionError} `batch-busy`
 */
export function noteSigned(
  prepare: Prepare,
  { id, place }: BatchPlace,
  { unit, members }: { readonly unit: string; readonly members: number },
): void {
  const open = prepare("SELECT 1 FROM batches WHERE batch = ? AND told = 0").get(id);
  const there = prepare("SELECT state FROM batch_units WHERE batch = ? AND place = ?")
    .get(id, place);
  if (open === undefined || (there !== undefined && there["state"] !== "dead")) {
    throw batchBusy(id);
  }
  prepare("INSERT OR REPLACE INTO batch_units VALUES (?, ?, ?, ?, 'pending')")
    .run(id, place, unit, members);
}

/** Notes how a unit ended, in the transaction that forgets it. */
export function noteEnded(prepare: Prepare, unit: string, end: UnitEnd): void {
  prepare("UPDATE batch_units SET state = ? WHERE unit = ?")
    .run(end === "executed" ? "executed" : "dead", unit);
}

/** Another process is at work on a batch. */
export function batchBusy(batch: string): SionError<BatchErrorCode> {
  return new SionError(
    "batch-busy",
    `another sion process pays batch ${shortId(batch)}: wait for it, then give the same ` +
      "command again",
    { data: { batch } },
  );
}

function batchOfRow(row: Record<string, unknown>): KeptBatch {
  return {
    batch: row["batch"] as string,
    list: row["list"] as string,
    payments: Number(row["payments"]),
    begunMs: Number(row["begun_ms"]),
  };
}
