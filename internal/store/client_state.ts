/**
 * What clients on this machine share, in `$SION_HOME/client.db`: signed units that have no receipt
 * yet, how far each account's sequence is known to be consumed, batches, and the names of accounts.
 */
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf, SionError, toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { located } from "#internal/runtime/mod.ts";
import type { BatchPlace, BatchStart, BatchUnit, KeptBatch, UnitEnd } from "./batch_book.ts";
import {
  BATCH_SCHEMA,
  endBatch,
  noteEnded,
  noteSigned,
  startBatch,
  unitsOfBatch,
} from "./batch_book.ts";
import { closeDatabase, openDatabase, rollBack } from "./database.ts";
import { storeFault } from "./faults.ts";
import type { KeptPurchase, PurchaseKey } from "./purchase_book.ts";
import {
  beginPurchase,
  endPurchase,
  notePurchaseEnded,
  notePurchaseSigned,
  PURCHASE_SCHEMA,
  purchasesOf,
  purchasesPaidBy,
  touchPurchase,
} from "./purchase_book.ts";

/** `wallet-busy`: other processes held the file for too long; nothing was signed. */
export type ClientStateErrorCode = "wallet-busy";

/**
 * A signed unit that was kept before it was sent, until its receipt. A unit of several accounts is kept
 * once in the lane of each, with that account's slots and costs; its lanes are settled together.
 */
export interface PendingUnit {
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly account: string;
  /** Sequence of the account's first member; its others follow it. */
  readonly sequence: bigint;
  /** The account's members. */
  readonly members: number;
  /** The wallet that signed. */
  readonly wallet: string;
  /** Digest of the unit. */
  readonly unit: string;
  /** Canonical encoding of the signed unit: what is sent, again and again the same. */
  readonly bytes: Uint8Array;
  /** The most it takes from the account, fees included, in micro-USD. */
  readonly cost: bigint;
  /** The last Pulse it may execute in. */
  readonly validUntil: bigint;
  /** The process that takes care of it. */
  readonly owner: number;
  /** When it last did, ms since the Unix epoch. */
  readonly touchedMs: number;
  /** The batch that it is part of: told when it is kept, not read back. */
  readonly batch?: BatchPlace;
  /** The purchase over HTTP that its first member pays for: told when it is kept, not read back. */
  readonly purchase?: { readonly id: string; readonly digest: string };
}

/** Which account's lane is meant. */
export interface LaneKey {
  readonly chain: string;
  readonly account: string;
}

/** A lane while no other process or call can change it. */
export interface Lane {
  /** The pending units, by sequence. */
  readonly pending: readonly PendingUnit[];
  /** Every sequence below it is known to be consumed. */
  readonly floor: bigint;
  /**
   * Keeps a signed unit, of another lane too; durable once the call of `withLane` returns.
   * @throws {SionError} `batch-busy` when another process has signed for its place in a batch
   */
  keep(unit: PendingUnit): void;
}

/** The file, shared by processes; all changes are serialised within and across them. */
export interface ClientState {
  /**
   * Runs `body` as one transaction: what it keeps is durable when the promise resolves, and nothing
   * is when it throws. No other call, here or in another process, changes any lane meanwhile.
   * @throws {SionError} `wallet-busy`
   */
  withLane<T>(key: LaneKey, body: (lane: Lane) => Promise<T>): Promise<T>;
  /** The pending units of a lane, by sequence. */
  pending(key: LaneKey): PendingUnit[];
  /** The pending units of all lanes of a chain. */
  pendingOf(chain: string): PendingUnit[];
  /** Every sequence of the lane below it is known to be consumed. */
  floor(key: LaneKey): bigint;
  /** Says that a process takes care of a unit, in all of its lanes. */
  touch(unit: PendingUnit, owner: number, nowMs: number): Promise<void>;
  /** Forgets a unit in all of its lanes, and notes in its batch how it ended. */
  settle(unit: PendingUnit, end: UnitEnd): Promise<void>;
  /**
   * Begins a list of payments of a lane, or says what it is already. A lane has one open batch.
   * @param again gives the open one up, and does not ask whether the list was made before.
   */
  startBatch(key: LaneKey, wanted: KeptBatch, again: boolean): Promise<BatchStart>;
  /** The units that were signed for an open batch, by their place in it. */
  batchUnits(batch: string): BatchUnit[];
  /** Whether a unit was signed for a batch. */
  isOfBatch(unit: string): boolean;
  /** The batch's outcome was told: its list is not gone on with any more. */
  endBatch(batch: string): Promise<void>;
  /** What was paid, or begun to be, for a resource and not taken yet, the oldest first. */
  purchases(key: PurchaseKey): KeptPurchase[];
  /** Those that a transaction pays for. */
  purchasesPaidBy(digest: string): KeptPurchase[];
  /** Keeps a purchase before its payment is signed. */
  beginPurchase(purchase: KeptPurchase): Promise<void>;
  /** Says that a process takes care of a purchase. */
  touchPurchase(purchase: string, owner: number, nowMs: number): Promise<void>;
  /** Forgets a purchase: its payment was taken, or is given up. */
  endPurchase(purchase: string): Promise<void>;
  /** The account of a wallet name, as kept by `name`. */
  accountOf(scheme: string, name: string): string | undefined;
  /** All names kept for a scheme: account → name. */
  names(scheme: string): Map<string, string>;
  /** Keeps which account a name stands for. `scheme` is the signatures' (`dual`, `insecure`). */
  name(scheme: string, name: string, account: string): Promise<void>;
  /** The account that a seed was found to have, so that no keys are derived to know it. */
  accountOfSeed(scheme: string, seed: Uint8Array): string | undefined;
  /** Keeps it, under a digest that the seed cannot be told from. */
  keepAccountOfSeed(scheme: string, seed: Uint8Array, account: string): Promise<void>;
  close(): void;
}

const SCHEMA = `
CREATE TABLE pending (
  chain TEXT NOT NULL, account TEXT NOT NULL, sequence INTEGER NOT NULL, members INTEGER NOT NULL,
  wallet TEXT NOT NULL, unit TEXT NOT NULL, bytes BLOB NOT NULL, cost TEXT NOT NULL,
  valid_until INTEGER NOT NULL, owner INTEGER NOT NULL, touched_ms INTEGER NOT NULL,
  PRIMARY KEY (chain, account, sequence)
) WITHOUT ROWID;
CREATE TABLE consumed (
  chain TEXT NOT NULL, account TEXT NOT NULL, below INTEGER NOT NULL, PRIMARY KEY (chain, account)
) WITHOUT ROWID;
CREATE TABLE names (
  scheme TEXT NOT NULL, name TEXT NOT NULL, account TEXT NOT NULL, PRIMARY KEY (scheme, name)
) WITHOUT ROWID;
${BATCH_SCHEMA}${PURCHASE_SCHEMA}`;

/** How long a call waits for other processes' turns before it gives up. */
const TURN_LIMIT_MS = 30_000;
const TURN_RETRY_MS = 4;
/** SQLITE_BUSY's text: Deno gives no `errcode`. */
const BUSY = "database is locked";

/** Opens the file of a home. The caller closes it. @throws {SionError} `newer-data` */
export function openClientState(home: string, shown?: string): ClientState {
  const path = join(home, "client.db");
  const database = openDatabase(path, {
    schema: SCHEMA,
    version: 3,
    upgrade: [BATCH_SCHEMA, PURCHASE_SCHEMA],
    ...(shown === undefined ? {} : { shown }),
  });
  // A blocking wait would stop this process's own turn from ending: turns are awaited instead.
  database.exec("PRAGMA busy_timeout = 0");
  return new SharedState(database, path);
}

class SharedState implements ClientState {
  readonly #database: DatabaseSync;
  /** What errors of the file name. */
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  /** Guards every write: the last turn taken in this process. */
  #turns: Promise<unknown> = Promise.resolve();
  readonly #statement = (sql: string): StatementSync => this.#prepare(sql);

  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
  }

  withLane<T>(key: LaneKey, body: (lane: Lane) => Promise<T>): Promise<T> {
    return this.#exclusive(() =>
      body({
        pending: this.pending(key),
        floor: this.floor(key),
        keep: (unit) => this.#keep(unit),
      })
    );
  }

  pending({ chain, account }: LaneKey): PendingUnit[] {
    return this.#prepare("SELECT * FROM pending WHERE chain = ? AND account = ? ORDER BY sequence")
      .all(chain, account).map(unitOfRow);
  }

  pendingOf(chain: string): PendingUnit[] {
    return this.#prepare("SELECT * FROM pending WHERE chain = ? ORDER BY account, sequence")
      .all(chain).map(unitOfRow);
  }

  floor({ chain, account }: LaneKey): bigint {
    const row = this.#prepare("SELECT below FROM consumed WHERE chain = ? AND account = ?")
      .get(chain, account);
    return row === undefined ? 0n : row["below"] as bigint;
  }

  async touch(unit: PendingUnit, owner: number, nowMs: number): Promise<void> {
    await this.#exclusive(() => {
      this.#prepare(
        "UPDATE pending SET owner = ?, touched_ms = ? WHERE chain = ? AND unit = ?",
      ).run(owner, nowMs, unit.chain, unit.unit);
    });
  }

  startBatch(key: LaneKey, wanted: KeptBatch, again: boolean): Promise<BatchStart> {
    return this.#exclusive(() => startBatch(this.#statement, key, wanted, again));
  }

  batchUnits(batch: string): BatchUnit[] {
    return unitsOfBatch(this.#statement, batch);
  }

  isOfBatch(unit: string): boolean {
    return this.#statement("SELECT 1 FROM batch_units WHERE unit = ?").get(unit) !== undefined;
  }

  endBatch(batch: string): Promise<void> {
    return this.#exclusive(() => endBatch(this.#statement, batch));
  }

  purchases(key: PurchaseKey): KeptPurchase[] {
    return purchasesOf(this.#statement, key);
  }

  purchasesPaidBy(digest: string): KeptPurchase[] {
    return purchasesPaidBy(this.#statement, digest);
  }

  beginPurchase(purchase: KeptPurchase): Promise<void> {
    return this.#exclusive(() => beginPurchase(this.#statement, purchase));
  }

  touchPurchase(purchase: string, owner: number, nowMs: number): Promise<void> {
    return this.#exclusive(() => touchPurchase(this.#statement, purchase, { owner, nowMs }));
  }

  endPurchase(purchase: string): Promise<void> {
    return this.#exclusive(() => endPurchase(this.#statement, purchase));
  }

  async settle(unit: PendingUnit, end: UnitEnd): Promise<void> {
    await this.#exclusive(() => {
      noteEnded(this.#statement, unit.unit, end);
      notePurchaseEnded(this.#statement, unit.unit, end);
      const lanes = this.#prepare("SELECT * FROM pending WHERE chain = ? AND unit = ?")
        .all(unit.chain, unit.unit).map(unitOfRow);
      this.#prepare("DELETE FROM pending WHERE chain = ? AND unit = ?").run(unit.chain, unit.unit);
      if (end === "never") return;
      for (const { chain, account, sequence, members } of lanes.length === 0 ? [unit] : lanes) {
        this.#prepare(
          "INSERT INTO consumed VALUES (?, ?, ?) ON CONFLICT (chain, account) " +
            "DO UPDATE SET below = max(below, excluded.below)",
        ).run(chain, account, sequence + BigInt(members));
      }
    });
  }

  accountOf(scheme: string, name: string): string | undefined {
    return this.#prepare("SELECT account FROM names WHERE scheme = ? AND name = ?")
      .get(scheme, name)?.["account"] as string | undefined;
  }

  names(scheme: string): Map<string, string> {
    const rows = this.#prepare(
      "SELECT account, name FROM names WHERE scheme = ? ORDER BY name DESC",
    )
      .all(scheme);
    return new Map(rows.map((row) => [row["account"] as string, row["name"] as string]));
  }

  async name(scheme: string, name: string, account: string): Promise<void> {
    if (this.accountOf(scheme, name) === account) return;
    await this.#exclusive(() => {
      this.#prepare("INSERT OR REPLACE INTO names VALUES (?, ?, ?)").run(scheme, name, account);
    });
  }

  accountOfSeed(scheme: string, seed: Uint8Array): string | undefined {
    return this.accountOf(`${scheme}-seed`, seedDigest(seed));
  }

  async keepAccountOfSeed(scheme: string, seed: Uint8Array, account: string): Promise<void> {
    await this.name(`${scheme}-seed`, seedDigest(seed), account);
  }

  close(): void {
    this.#statements.clear();
    closeDatabase(this.#database);
  }

  #keep(unit: PendingUnit): void {
    if (unit.batch !== undefined) noteSigned(this.#statement, unit.batch, unit);
    if (unit.purchase !== undefined) {
      const { id, digest } = unit.purchase;
      notePurchaseSigned(this.#statement, id, { unit: unit.unit, digest });
    }
    this.#prepare("INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
      unit.chain,
      unit.account,
      unit.sequence,
      unit.members,
      unit.wallet,
      unit.unit,
      unit.bytes,
      unit.cost.toString(),
      unit.validUntil,
      unit.owner,
      unit.touchedMs,
    );
  }

  /** One write transaction at a time in this process, and one among all processes. */
  #exclusive<T>(body: () => T | Promise<T>): Promise<T> {
    const turn = this.#turns.then(async () => {
      await this.#begin();
      try {
        const result = await body();
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(this.#database);
        throw storeFault(error) === undefined ? error : located(error, this.#path);
      }
    });
    this.#turns = turn.catch(() => {});
    return turn;
  }

  async #begin(): Promise<void> {
    for (let waitedMs = 0;; waitedMs += TURN_RETRY_MS) {
      try {
        this.#database.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (messageOf(error) !== BUSY) throw error;
        if (waitedMs >= TURN_LIMIT_MS) {
          throw new SionError<ClientStateErrorCode>(
            "wallet-busy",
            "other sion processes keep signing: try again when they are done; nothing was sent",
            { cause: error },
          );
        }
      }
      await delay(TURN_RETRY_MS);
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function unitOfRow(row: Record<string, unknown>): PendingUnit {
  return {
    chain: row["chain"] as string,
    account: row["account"] as string,
    sequence: row["sequence"] as bigint,
    members: Number(row["members"]),
    wallet: row["wallet"] as string,
    unit: row["unit"] as string,
    bytes: row["bytes"] as Uint8Array,
    cost: BigInt(row["cost"] as string),
    validUntil: row["valid_until"] as bigint,
    owner: Number(row["owner"]),
    touchedMs: Number(row["touched_ms"]),
  };
}

/** What stands for a seed where it must not. */
function seedDigest(seed: Uint8Array): string {
  return toHex(taggedHash("sion/seed-account/v1", seed));
}
