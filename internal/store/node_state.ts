/**
 * What one validator keeps, in one SQLite file that only its own thread opens: blocks, its own
 * statements, the ledger's objects, executed Pulses. Contents are canonical bytes; what they mean is
 * the node's business.
 *
 * Durability: `commitOwn` and `commitPulse` return when all that was handed over so far is on disk.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { fromHex, toHex } from "#internal/core/mod.ts";
import type { OwnRow, StoredBlock } from "#internal/consensus/mod.ts";
import { CHECKPOINT_PULSES } from "#internal/ledger/mod.ts";
import { located } from "#internal/runtime/mod.ts";
import { closeDatabase, openDatabase, transaction } from "./database.ts";
import type {
  ExecutedCounts,
  KeptObject,
  KeptPulse,
  NodeState,
  ObjectQuery,
  PulseCommit,
  SnapshotImport,
  StoreIdentity,
} from "./node_records.ts";
import type { ReceiptIndex } from "./receipt_index.ts";
import { receiptIndex, RECENT_RECEIPTS_TABLE } from "./receipt_index.ts";

const VERSION_OF_SCHEMA = 7;

/** Contents of a Pulse that was not executed here. */
const NO_CONTENTS = new Uint8Array(0);

const NEWEST_PULSE = "SELECT * FROM pulses ORDER BY number DESC LIMIT 1";

/** Blocks and units of 20 kB take a third less CPU time than in pages of 4 KiB, small ones no more. */
const PAGE_BYTES = 16_384;

/** Certificates below the bound that are looked at with each Pulse. */
const DROP_SPAN = 256;

const PROOF_TABLES = `
CREATE TABLE published (
  number INTEGER PRIMARY KEY, data BLOB NOT NULL, locks BLOB NOT NULL, state BLOB NOT NULL
);
CREATE TABLE session_ends (session INTEGER PRIMARY KEY, number INTEGER NOT NULL);
`;

/** No chain of an earlier format goes on. */
const SESSION_TABLE = `
DROP TABLE session_ends;
CREATE TABLE session_ends (
  session INTEGER PRIMARY KEY, number INTEGER NOT NULL, next BLOB NOT NULL
);
`;

const BAD_ENCODING_TABLE = `
CREATE TABLE bad_encodings (number INTEGER PRIMARY KEY, proof BLOB NOT NULL);
`;

const WITNESS_TABLE = `
CREATE TABLE witnesses (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`;

/** Units by their forms: the rowid orders them as they came, so that only the index is random. */
const UNITS_TABLE = `
CREATE TABLE units (form BLOB NOT NULL, until INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE UNIQUE INDEX units_by_form ON units (form);
CREATE INDEX units_by_until ON units (until);
`;

/** Receipts are found by 63 bits of their digest: a whole random digest as key costs five times as much. */
const SCHEMA = `
CREATE TABLE identity (store TEXT NOT NULL, chain TEXT NOT NULL, format INTEGER NOT NULL);
CREATE TABLE blocks (
  id BLOB NOT NULL, round INTEGER NOT NULL, author INTEGER NOT NULL, own INTEGER NOT NULL,
  bytes BLOB NOT NULL, signature BLOB NOT NULL
);
CREATE INDEX blocks_by_round ON blocks (round, author);
CREATE UNIQUE INDEX blocks_by_id ON blocks (id);
CREATE TABLE own (
  tbl TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (tbl, key)
) WITHOUT ROWID;
CREATE TABLE pulses (
  number INTEGER PRIMARY KEY, succeeded INTEGER NOT NULL, failed INTEGER NOT NULL,
  void INTEGER NOT NULL, events INTEGER NOT NULL, header BLOB NOT NULL, contents BLOB NOT NULL
);
CREATE INDEX pulses_with_events ON pulses (number) WHERE events > 0;
CREATE TABLE certificates (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE receipts (
  prefix INTEGER NOT NULL, pulse INTEGER NOT NULL, place INTEGER NOT NULL,
  PRIMARY KEY (prefix, pulse, place)
) WITHOUT ROWID;
CREATE TABLE objects (id BLOB PRIMARY KEY, kind TEXT NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX objects_by_kind ON objects (kind, id);
CREATE TABLE refs (
  kind TEXT NOT NULL, role TEXT NOT NULL, ref BLOB NOT NULL, id BLOB NOT NULL,
  PRIMARY KEY (kind, role, ref, id)
) WITHOUT ROWID;
CREATE TABLE knowledge (place INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE tail (
  one INTEGER PRIMARY KEY CHECK (one = 1), bytes BLOB NOT NULL, keep_from INTEGER NOT NULL
);
${PROOF_TABLES}${WITNESS_TABLE}${SESSION_TABLE}${BAD_ENCODING_TABLE}${UNITS_TABLE}${RECENT_RECEIPTS_TABLE}`;

/** All that a store can hold before its first Pulse; what others signed comes again. */
const EMPTY = [
  "identity",
  "blocks",
  "units",
  "certificates",
  "objects",
  "refs",
  "knowledge",
  "tail",
]
  .concat("published", "session_ends", "bad_encodings", "witnesses", "receipts", "recent_receipts")
  .map((table) => `DELETE FROM ${table};`).join(" ");

/** What a store that is made begins with. */
export interface FreshStore {
  readonly identity: StoreIdentity;
  /** Objects of Pulse 0. */
  readonly objects: Iterable<KeptObject>;
}

/** How a node's file is opened. */
export interface OpenNodeStateOptions {
  /** The folder that messages name. */
  readonly shown: string;
  readonly fresh?: FreshStore;
  /** Told that the store was of this chain, in which nothing was signed, and is of `fresh`'s now. */
  readonly onBoundAnew?: (chain: string) => void;
}

/**
 * Opens a node's file, or makes it when there is none and `fresh` is given. One that is of no chain
 * yet takes the chain and the objects of `fresh`, and keeps the id that it has; so does one of
 * another chain in which it signed and executed nothing.
 * @returns undefined when there is no store in the file and no `fresh` is given.
 * @throws {SionError} `newer-data`.
 */
export function openNodeState(
  path: string,
  options: OpenNodeStateOptions,
): NodeState | undefined {
  const database = openNodeDatabase(path, options.shown);
  try {
    const row = identityIn(database);
    const { fresh } = options;
    const isOfAnother = row !== undefined && fresh !== undefined && row.chain !== "" &&
      row.chain !== fresh.identity.chain && row.format === fresh.identity.format;
    const bindsAnew = isOfAnother && isUnused(database);
    if (row !== undefined && (row.chain !== "" || fresh === undefined) && !bindsAnew) {
      return createNodeState(database, { ...row });
    }
    if (fresh === undefined) {
      database.close();
      return undefined;
    }
    const identity = { ...fresh.identity, ...(row === undefined ? {} : { store: row.store }) };
    transaction(database, () => {
      database.exec(bindsAnew ? EMPTY : "DELETE FROM identity");
      database.prepare("INSERT INTO identity VALUES (?, ?, ?)")
        .run(identity.store, identity.chain, identity.format);
      writeObjects(prepareWrites(database), fresh.objects);
    });
    if (bindsAnew) options.onBoundAnew?.(row.chain);
    return createNodeState(database, identity);
  } catch (error) {
    if (database.isOpen) database.close();
    throw located(error, path);
  }
}

/** What a node's file says of itself; undefined in one whose making was broken off. */
export interface NodeStateLabel extends StoreIdentity {
  /** True when nothing was signed with it and no Pulse executed. */
  readonly isUnused: boolean;
}

/**
 * What a node's file says of itself, beside a node that may use it.
 * @param shown the folder that messages name.
 * @throws {SionError} `newer-data`.
 */
export function readNodeStateLabel(path: string, shown: string): NodeStateLabel | undefined {
  const database = openNodeDatabase(path, shown);
  try {
    const row = identityIn(database);
    return row && { ...row, isUnused: isUnused(database) };
  } catch (error) {
    throw located(error, path);
  } finally {
    database.close();
  }
}

function openNodeDatabase(path: string, shown: string): DatabaseSync {
  return openDatabase(path, {
    schema: SCHEMA,
    version: VERSION_OF_SCHEMA,
    elsewhere: "--dir",
    pageBytes: PAGE_BYTES,
    upgrade: [
      PROOF_TABLES,
      WITNESS_TABLE,
      SESSION_TABLE,
      BAD_ENCODING_TABLE,
      UNITS_TABLE,
      RECENT_RECEIPTS_TABLE,
    ],
    shown,
  });
}

function identityIn(database: DatabaseSync): StoreIdentity | undefined {
  return database.prepare("SELECT store, chain, format FROM identity")
    .get() as unknown as StoreIdentity | undefined;
}

/** A key signs nothing before its block and rows are here, and a Pulse may have left its mark alone. */
function isUnused(database: DatabaseSync): boolean {
  const used = database.prepare(
    "SELECT EXISTS (SELECT 1 FROM blocks WHERE own = 1) OR EXISTS (SELECT 1 FROM own) OR " +
      "EXISTS (SELECT 1 FROM pulses) AS used",
  ).get();
  return used?.["used"] === 0;
}

type Statements = ReturnType<typeof prepareWrites>;

function prepareWrites(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    addBlock: prepare("INSERT OR IGNORE INTO blocks VALUES (?, ?, ?, ?, ?, ?)"),
    dropBlocks: prepare(
      "DELETE FROM blocks WHERE round < ? AND rowid NOT IN " +
        "(SELECT rowid FROM blocks WHERE own = 1 ORDER BY rowid DESC LIMIT 1)",
    ),
    addUnit: prepare(
      "INSERT INTO units VALUES (?, ?, ?) ON CONFLICT (form) DO UPDATE SET until = excluded.until " +
        "WHERE until < excluded.until",
    ),
    keepUnit: prepare("UPDATE units SET until = ? WHERE form = ? AND until < ?"),
    dropUnits: prepare("DELETE FROM units WHERE until < ?"),
    putRow: prepare("INSERT OR REPLACE INTO own VALUES (?, ?, ?)"),
    dropRow: prepare("DELETE FROM own WHERE tbl = ? AND key = ?"),
    addCertificate: prepare("INSERT OR IGNORE INTO certificates VALUES (?, ?)"),
    dropCertificates: prepare(
      "DELETE FROM certificates WHERE number < ? AND number >= ? AND number NOT IN " +
        "(SELECT number FROM session_ends) AND EXISTS (SELECT 1 FROM certificates AS earlier " +
        `WHERE earlier.number < certificates.number AND earlier.number / ${CHECKPOINT_PULSES} = ` +
        `certificates.number / ${CHECKPOINT_PULSES})`,
    ),
    addPublished: prepare("INSERT INTO published VALUES (?, ?, ?, ?)"),
    dropPublished: prepare("DELETE FROM published WHERE number < ?"),
    addBadEncoding: prepare("INSERT OR IGNORE INTO bad_encodings VALUES (?, ?)"),
    addWitness: prepare("INSERT INTO witnesses VALUES (?, ?)"),
    dropWitnesses: prepare("DELETE FROM witnesses WHERE number < ?"),
    addSessionEnd: prepare("INSERT OR IGNORE INTO session_ends VALUES (?, ?, ?)"),
    addPulse: prepare("INSERT INTO pulses VALUES (?, ?, ?, ?, ?, ?, ?)"),
    putObject: prepare(
      "INSERT INTO objects VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes",
    ),
    addRef: prepare("INSERT OR IGNORE INTO refs VALUES (?, ?, ?, ?)"),
    addKnowledge: prepare("INSERT INTO knowledge VALUES (?, ?)"),
    putTail: prepare("INSERT OR REPLACE INTO tail VALUES (1, ?, ?)"),
  };
}

function createNodeState(database: DatabaseSync, identity: StoreIdentity): NodeState {
  const writes = prepareWrites(database);
  let blocks: StoredBlock[] = [];
  let certificates: (readonly [number, Uint8Array])[] = [];

  const receipts = receiptIndex(database);
  const reads = { ...createReads(database), receiptPlaces: receipts.places };
  /** The lowest queued certificate of Pulses in a span. */
  const queued = (from: number, to: number): readonly [number, Uint8Array] | undefined =>
    certificates.filter(([number]) => number >= from && number <= to)
      .sort(([a], [b]) => a - b)[0];

  /** One transaction with all that is queued; the queue is emptied only once it is durable. */
  const commit = (body: () => void): void => {
    transaction(database, () => {
      for (const block of blocks) writeBlock(writes, block, false);
      for (const [number, bytes] of certificates) writes.addCertificate.run(number, bytes);
      body();
    });
    blocks = [];
    certificates = [];
  };

  return {
    identity,
    addBlocks: (added) => void blocks.push(...added),
    addCertificate: (number, bytes) => void certificates.push([number, bytes]),
    commitOwn: (block, rows) =>
      commit(() => {
        writeBlock(writes, block, true);
        writeRows(writes, rows);
      }),
    commitPulse: (pulse) => commit(() => writePulse(writes, receipts, pulse)),
    importSnapshot: (snapshot) => commit(() => writeSnapshot(database, writes, snapshot)),
    flush() {
      if (blocks.length > 0 || certificates.length > 0) commit(() => {});
    },
    keepBadEncoding: (number, proof) => commit(() => writes.addBadEncoding.run(number, proof)),
    ...reads,
    // What is queued is known to the validator already, and so to who asks it.
    certificate: (number) => queued(number, number)?.[1] ?? reads.certificate(number),
    certificateFrom(number) {
      const kept = reads.certificateFrom(number);
      const [first, bytes] = queued(number, (kept?.number ?? Infinity) - 1) ?? [];
      return first === undefined || bytes === undefined ? kept : { number: first, bytes };
    },
    newestCertificate: () =>
      certificates.reduce((most, [number]) => Math.max(most, number), reads.newestCertificate()),
    [Symbol.dispose]() {
      closeDatabase(database);
    },
  };
}

function writeBlock(writes: Statements, block: StoredBlock, own: boolean): void {
  const { id, round, author, bytes, signature, units = [] } = block;
  writes.addBlock.run(fromHex(id), round, author, own ? 1 : 0, bytes, signature);
  for (const { form, until, bytes } of units) {
    const key = fromHex(form);
    if (bytes === undefined) writes.keepUnit.run(until, key, until);
    else writes.addUnit.run(key, until, bytes);
  }
}

function writeRows(writes: Statements, rows: readonly OwnRow[]): void {
  for (const row of rows) {
    if (row.op === "put") writes.putRow.run(row.table, row.key, row.value);
    else writes.dropRow.run(row.table, row.key);
  }
}

function writePulse(writes: Statements, receipts: ReceiptIndex, pulse: PulseCommit): void {
  const { number, executed } = pulse;
  writes.addPulse.run(
    number,
    executed.succeeded,
    executed.failed,
    executed.void,
    pulse.eventCount,
    pulse.header,
    pulse.contents,
  );
  receipts.add(number, pulse.digests);
  writeObjects(writes, pulse.objects);
  pulse.knowledge.forEach((data, i) => writes.addKnowledge.run(pulse.knowledgeSize + i, data));
  writes.putTail.run(pulse.tail, pulse.keepFrom);
  writeRows(writes, pulse.rows);
  writes.dropBlocks.run(pulse.dropBlocksBelow);
  writes.dropUnits.run(pulse.dropBlocksBelow);
  if (pulse.endsSession !== undefined) {
    const { session, next } = pulse.endsSession;
    writes.addSessionEnd.run(session, number, next);
  }
  const { data, locks, state } = pulse.published;
  writes.addPublished.run(number, data, locks, state);
  writes.dropPublished.run(pulse.dropPublishedBelow);
  writes.addWitness.run(number, pulse.witness);
  writes.dropWitnesses.run(pulse.dropPublishedBelow);
  const below = pulse.dropCertificatesBelow;
  writes.dropCertificates.run(below, below - DROP_SPAN);
}

function writeSnapshot(database: DatabaseSync, writes: Statements, it: SnapshotImport): void {
  database.exec("DELETE FROM objects; DELETE FROM refs; DELETE FROM knowledge");
  writeObjects(writes, it.objects);
  it.knowledge.forEach((data, place) => writes.addKnowledge.run(place, data));
  // Totals and receipts of Pulses that were not executed here are not known.
  const { succeeded, failed, void: voided } = totals(database);
  writes.addPulse.run(it.number, succeeded, failed, voided, 0, it.header, NO_CONTENTS);
  writes.putTail.run(it.tail, it.keepFrom);
  for (const { session, next, number, certificate } of it.ends) {
    writes.addSessionEnd.run(session, number, next);
    writes.addCertificate.run(number, certificate);
  }
  writes.addCertificate.run(it.number, it.certificate);
  database.prepare("DELETE FROM blocks WHERE own = 0 AND round < ?").run(it.wholeFrom);
  for (const block of it.blocks) writeBlock(writes, block, false);
}

function totals(database: DatabaseSync): ExecutedCounts {
  const newest = pulseOf(database.prepare(NEWEST_PULSE).get());
  return newest?.executed ?? { succeeded: 0, failed: 0, void: 0 };
}

function writeObjects(writes: Statements, objects: Iterable<KeptObject>): void {
  for (const { id, kind, bytes, refs } of objects) {
    const key = fromHex(id);
    writes.putObject.run(key, kind, bytes);
    for (const [role, ref] of Object.entries(refs)) {
      if (ref !== null) writes.addRef.run(kind, role, fromHex(ref), key);
    }
  }
}

type Row = Record<string, unknown>;

function bytesOf(row: Row | undefined, name: string): Uint8Array | undefined {
  return row?.[name] as Uint8Array | undefined;
}

function blockOf(row: Row): StoredBlock {
  return {
    id: toHex(row["id"] as Uint8Array),
    round: row["round"] as number,
    author: row["author"] as number,
    bytes: row["bytes"] as Uint8Array,
    signature: row["signature"] as Uint8Array,
  };
}

function pulseOf(row: Row | undefined): KeptPulse | undefined {
  if (row === undefined) return undefined;
  return {
    number: row["number"] as number,
    header: row["header"] as Uint8Array,
    contents: row["contents"] as Uint8Array,
    executed: {
      succeeded: row["succeeded"] as number,
      failed: row["failed"] as number,
      void: row["void"] as number,
    },
    eventCount: row["events"] as number,
  };
}

type Reads = Omit<
  NodeState,
  | "identity"
  | "addBlocks"
  | "addCertificate"
  | "commitOwn"
  | "commitPulse"
  | "importSnapshot"
  | "flush"
  | "keepBadEncoding"
  | "receiptPlaces"
  | typeof Symbol.dispose
>;

type Values = readonly (string | number | bigint | Uint8Array)[];

/** Statements that read: each is compiled when it is asked first, and once. */
function statementsOf(database: DatabaseSync): {
  one(sql: string): (...values: Values) => Row | undefined;
  all(sql: string): (...values: Values) => readonly Row[];
} {
  const prepared = (sql: string): () => StatementSync => {
    let statement: StatementSync | undefined;
    return () => statement ??= database.prepare(sql);
  };
  return {
    one(sql) {
      const statement = prepared(sql);
      return (...values) => statement().get(...values) as Row | undefined;
    },
    all(sql) {
      const statement = prepared(sql);
      return (...values) => statement().all(...values) as Row[];
    },
  };
}

function createReads(database: DatabaseSync): Reads {
  const { one, all } = statementsOf(database);
  const newestPulse = one(NEWEST_PULSE);
  const pulse = one("SELECT * FROM pulses WHERE number = ? AND length(contents) > 0");
  const pulsesWithEvents = all(
    "SELECT number FROM pulses WHERE events > 0 AND number >= ? ORDER BY number LIMIT ?",
  );
  const header = one("SELECT header FROM pulses WHERE number = ?");
  const certificate = one("SELECT bytes FROM certificates WHERE number = ?");
  const certificateFrom = one(
    "SELECT number, bytes FROM certificates WHERE number >= ? ORDER BY number LIMIT 1",
  );
  const published = one("SELECT data, locks, state FROM published WHERE number = ?");
  const witness = one("SELECT bytes FROM witnesses WHERE number = ?");
  const badEncoding = one("SELECT proof FROM bad_encodings WHERE number = ?");
  const endOfSession = one("SELECT number, next FROM session_ends WHERE session = ?");
  const newestCertificate = one("SELECT max(number) AS number FROM certificates");
  const tail = one("SELECT bytes, keep_from FROM tail");
  const block = one("SELECT * FROM blocks WHERE id = ?");
  const lowestOf = {
    others: one("SELECT round FROM blocks WHERE own = 0 ORDER BY round LIMIT 1"),
    all: one("SELECT round FROM blocks ORDER BY round LIMIT 1"),
  };
  const unit = one("SELECT bytes FROM units WHERE form = ?");
  const hasUnit = one("SELECT 1 FROM units WHERE form = ?");
  const ownBlock = one("SELECT * FROM blocks WHERE own = 1 ORDER BY rowid DESC LIMIT 1");
  return {
    newestPulse: () => pulseOf(newestPulse()),
    pulse: (number) => pulseOf(pulse(number)),
    pulsesWithEvents: (from, limit) =>
      pulsesWithEvents(from, limit).map((row) => row["number"] as number),
    header: (number) => bytesOf(header(number), "header"),
    certificate: (number) => bytesOf(certificate(number), "bytes"),
    certificateFrom(number) {
      const row = certificateFrom(number);
      return row && { number: row["number"] as number, bytes: row["bytes"] as Uint8Array };
    },
    published(number) {
      const row = published(number);
      return row && {
        data: row["data"] as Uint8Array,
        locks: row["locks"] as Uint8Array,
        state: row["state"] as Uint8Array,
      };
    },
    badEncoding: (number) => bytesOf(badEncoding(number), "proof"),
    witness: (number) => bytesOf(witness(number), "bytes"),
    endOfSession(session) {
      const row = endOfSession(session);
      return row && { number: row["number"] as number, next: row["next"] as Uint8Array };
    },
    newestCertificate: () => (newestCertificate()?.["number"] as number | null) ?? 0,
    tail() {
      const row = tail();
      return row && { bytes: row["bytes"] as Uint8Array, keepFrom: row["keep_from"] as number };
    },
    *objects() {
      for (const row of database.prepare("SELECT id, bytes FROM objects").iterate()) {
        yield [toHex(row["id"] as Uint8Array), row["bytes"] as Uint8Array];
      }
    },
    objectIds: (query) => objectIds(database, query),
    *knowledge(from = 0) {
      const rows = database.prepare("SELECT data FROM knowledge WHERE place >= ? ORDER BY place");
      for (const row of rows.iterate(from)) {
        yield row["data"] as Uint8Array;
      }
    },
    block(id) {
      const row = block(fromHex(id));
      return row && blockOf(row);
    },
    unit: (form) => bytesOf(unit(fromHex(form)), "bytes"),
    hasUnit: (form) => hasUnit(fromHex(form)) !== undefined,
    *blocksOfRounds(from, to) {
      const rows = database.prepare(
        "SELECT * FROM blocks WHERE round BETWEEN ? AND ? ORDER BY round, author",
      );
      for (const row of rows.iterate(from, to)) yield blockOf(row);
    },
    newestOwnBlock() {
      const row = ownBlock();
      return row && blockOf(row);
    },
    lowestRound: () => (lowestOf.others() ?? lowestOf.all())?.["round"] as number | undefined,
    *ownRows() {
      for (const row of database.prepare("SELECT tbl, key, value FROM own").iterate()) {
        yield {
          table: row["tbl"] as string,
          key: row["key"] as string,
          value: row["value"] as Uint8Array,
        };
      }
    },
  };
}

function objectIds(database: DatabaseSync, query: ObjectQuery): string[] {
  const after = query.after === undefined ? new Uint8Array() : fromHex(query.after);
  const rows = query.where === undefined
    ? database.prepare("SELECT id FROM objects WHERE kind = ? AND id > ? ORDER BY id LIMIT ?")
      .all(query.kind, after, query.limit)
    : database.prepare(
      "SELECT id FROM refs WHERE kind = ? AND role = ? AND ref = ? AND id > ? ORDER BY id LIMIT ?",
    ).all(query.kind, query.where.role, fromHex(query.where.equals), after, query.limit);
  return rows.map((row) => toHex(row["id"] as Uint8Array));
}
