/**
 * What was begun to be paid over HTTP, in the wallets' file: a payment's secret and its offer are kept
 * before anything is signed, its digest in the transaction that keeps the signed unit. So a payment
 * that a server has not taken yet is found again after any crash, and none is made twice.
 */
import type { StatementSync } from "node:sqlite";
import type { UnitEnd } from "./batch_book.ts";

/** Who buys what. */
export interface PurchaseKey {
  /** Chain identity. */
  readonly chain: string;
  /** The paying account. */
  readonly account: string;
  readonly method: string;
  /** In normal form. */
  readonly url: string;
}

/** A payment for a resource. */
export interface KeptPurchase extends PurchaseKey {
  /** Its name: 64 hex digits, the memo. */
  readonly purchase: string;
  /** Secret, 64 hex digits. */
  readonly nonce: string;
  /** The offer that it meets, as JSON. */
  readonly offer: string;
  /** The transaction, once it was signed, as long as it may execute. */
  readonly digest?: string;
  /** The process that takes care of it, and when it last did, ms since the Unix epoch. */
  readonly owner: number;
  readonly touchedMs: number;
}

/** Table since version 3 of the wallets' file. */
export const PURCHASE_SCHEMA = `
CREATE TABLE purchases (
  purchase TEXT NOT NULL PRIMARY KEY, chain TEXT NOT NULL, account TEXT NOT NULL,
  method TEXT NOT NULL, url TEXT NOT NULL, nonce TEXT NOT NULL, offer TEXT NOT NULL,
  digest TEXT, unit TEXT, owner INTEGER NOT NULL, touched_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX purchases_by_url ON purchases (chain, account, url, method);
CREATE INDEX purchases_by_unit ON purchases (unit);
`;

type Prepare = (sql: string) => StatementSync;

/** The purchases of a resource that are not over, the oldest first. */
export function purchasesOf(prepare: Prepare, key: PurchaseKey): KeptPurchase[] {
  return prepare(
    "SELECT * FROM purchases WHERE chain = ? AND account = ? AND url = ? AND method = ? " +
      "ORDER BY touched_ms, purchase",
  ).all(key.chain, key.account, key.url, key.method).map(purchaseOfRow);
}

/** The purchases that a transaction pays for. */
export function purchasesPaidBy(prepare: Prepare, digest: string): KeptPurchase[] {
  return prepare("SELECT * FROM purchases WHERE digest = ?").all(digest).map(purchaseOfRow);
}

function purchaseOfRow(row: Record<string, unknown>): KeptPurchase {
  return {
    purchase: row["purchase"] as string,
    chain: row["chain"] as string,
    account: row["account"] as string,
    method: row["method"] as string,
    url: row["url"] as string,
    nonce: row["nonce"] as string,
    offer: row["offer"] as string,
    owner: Number(row["owner"]),
    touchedMs: Number(row["touched_ms"]),
    ...(row["digest"] === null ? {} : { digest: row["digest"] as string }),
  };
}

/** Keeps a purchase before it is signed for. */
export function beginPurchase(prepare: Prepare, kept: KeptPurchase): void {
  prepare("INSERT INTO purchases VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?)").run(
    kept.purchase,
    kept.chain,
    kept.account,
    kept.method,
    kept.url,
    kept.nonce,
    kept.offer,
    kept.owner,
    kept.touchedMs,
  );
}

/** Says which process takes care of a purchase. */
export function touchPurchase(
  prepare: Prepare,
  purchase: string,
  { owner, nowMs }: { readonly owner: number; readonly nowMs: number },
): void {
  prepare("UPDATE purchases SET owner = ?, touched_ms = ? WHERE purchase = ?")
    .run(owner, nowMs, purchase);
}

/** Notes what was signed for it, within the transaction that keeps the unit. */
export function notePurchaseSigned(
  prepare: Prepare,
  purchase: string,
  { unit, digest }: { readonly unit: string; readonly digest: string },
): void {
  prepare("UPDATE purchases SET digest = ?, unit = ? WHERE purchase = ?")
    .run(digest, unit, purchase);
}

/** A unit that never executes pays for nothing: another can be signed. In the transaction that forgets it. */
export function notePurchaseEnded(prepare: Prepare, unit: string, end: UnitEnd): void {
  if (end === "executed") return;
  prepare("UPDATE purchases SET digest = NULL, unit = NULL WHERE unit = ?").run(unit);
}

/** Forgets a purchase: it was taken, or is given up. */
export function endPurchase(prepare: Prepare, purchase: string): void {
  prepare("DELETE FROM purchases WHERE purchase = ?").run(purchase);
}
