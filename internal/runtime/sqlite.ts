/** The runtimes' own SQLite. */
import process from "node:process";
import type * as Sqlite from "node:sqlite";

/**
 * The module `node:sqlite`, loaded at first use since most commands need no database. Node 24 warns
 * of it once as experimental; what sion uses of it is the same in 26, so nobody needs to read that.
 */
export function loadSqlite(): typeof Sqlite {
  const emit = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emit;
  }
}
