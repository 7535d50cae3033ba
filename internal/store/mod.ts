/** SQLite files and what a person's machine keeps: wallets, pending transactions, names. */
export type { DatabaseErrorCode, DatabaseOptions } from "./database.ts";
export { openDatabase, transaction } from "./database.ts";
