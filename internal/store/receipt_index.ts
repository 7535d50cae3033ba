/**
 * Finds receipts by their digests. Those of the newest Pulses are one row each, in the order of their
 * places: a digest is random, so every receipt put by itself into the lasting table would write a page
 * of it anew in each Pulse. Once there are many, all of them go there together.
 */
import type { DatabaseSync } from "node:sqlite";

/** Receipts that one look reads through at most, but for those of the newest Pulse. */
const MAX_RECENT = 4096;

/** Bytes of a digest that a receipt is found by. */
const PREFIX_BYTES = 8;

/** The newest Pulses' receipts. */
export const RECENT_RECEIPTS_TABLE = `
CREATE TABLE recent_receipts (pulse INTEGER PRIMARY KEY, prefixes BLOB NOT NULL);
`;

/** Where a receipt may be. */
export interface ReceiptPlace {
  readonly pulse: number;
  readonly index: number;
}

/** The index of one file. */
export interface ReceiptIndex {
  /** Adds a Pulse's receipts, within a transaction. @param digests in the order of their places. */
  add(pulse: number, digests: readonly string[]): void;
  /** Places that may hold the receipt of a digest: few, and usually one or none. */
  places(digest: string): ReceiptPlace[];
}

/** The index in a file that has its tables. */
export function receiptIndex(database: DatabaseSync): ReceiptIndex {
  const addRecent = database.prepare("INSERT INTO recent_receipts VALUES (?, ?)");
  const allRecent = database.prepare("SELECT pulse, prefixes FROM recent_receipts ORDER BY pulse");
  const bytesRecent = database.prepare("SELECT sum(length(prefixes)) AS n FROM recent_receipts");
  const dropRecent = database.prepare("DELETE FROM recent_receipts");
  const addLasting = database.prepare("INSERT INTO receipts VALUES (?, ?, ?)");
  const lasting = database.prepare("SELECT pulse, place FROM receipts WHERE prefix = ?");

  const recent = (): RecentReceipts[] =>
    allRecent.all().map((row) => ({
      pulse: row["pulse"] as number,
      prefixes: viewOf(row["prefixes"] as Uint8Array),
    }));

  const settle = (): void => {
    const found = recent().flatMap(({ pulse, prefixes }) =>
      Array.from({ length: prefixes.byteLength / PREFIX_BYTES }, (_, index) => {
        return { pulse, index, key: keyOf(prefixes.getBigUint64(index * PREFIX_BYTES)) };
      })
    );
    // In the order of the keys, so that neighbours share pages.
    found.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
    for (const { key, pulse, index } of found) addLasting.run(key, pulse, index);
    dropRecent.run();
  };

  return {
    add(pulse, digests) {
      if (digests.length === 0) return;
      const prefixes = new DataView(new ArrayBuffer(digests.length * PREFIX_BYTES));
      digests.forEach((digest, at) => prefixes.setBigUint64(at * PREFIX_BYTES, prefixOf(digest)));
      addRecent.run(pulse, new Uint8Array(prefixes.buffer));
      if (Number(bytesRecent.get()?.["n"] ?? 0) >= MAX_RECENT * PREFIX_BYTES) settle();
    },
    places(digest) {
      const prefix = prefixOf(digest);
      const settled = lasting.all(keyOf(prefix)).map((row) => {
        return { pulse: row["pulse"] as number, index: row["place"] as number };
      });
      return [...settled, ...recent().flatMap((receipts) => placesIn(receipts, prefix))];
    },
  };
}

interface RecentReceipts {
  readonly pulse: number;
  readonly prefixes: DataView;
}

function placesIn({ pulse, prefixes }: RecentReceipts, prefix: bigint): ReceiptPlace[] {
  const [high, low] = [Number(prefix >> 32n), Number(prefix & 0xffff_ffffn)];
  const places: ReceiptPlace[] = [];
  for (let at = 0; at < prefixes.byteLength; at += PREFIX_BYTES) {
    if (prefixes.getUint32(at + 4) !== low || prefixes.getUint32(at) !== high) continue;
    places.push({ pulse, index: at / PREFIX_BYTES });
  }
  return places;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function prefixOf(digest: string): bigint {
  return BigInt(`0x${digest.slice(0, 2 * PREFIX_BYTES)}`);
}

/** 63 bits of a prefix, as SQLite's integers are signed. */
function keyOf(prefix: bigint): bigint {
  return prefix >> 1n;
}
