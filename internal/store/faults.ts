/**
 * What keeps a SQLite file from being used, in words, with what to do about it. SQLite's own
 * messages name neither; they are told apart by their text, but for one that says too little.
 */
import { messageOf } from "#internal/core/mod.ts";
import { codeOf } from "#internal/runtime/mod.ts";

/** A fault of a file or its disk. */
export interface StoreFault {
  /** What is wrong, after the file's name: `is damaged (file is not a database)`. */
  readonly state: string;
  /** What to do; undefined when the file is lost. */
  readonly remedy?: string;
}

const ROOM = "free some space and try again";
const RIGHTS = "make it and its folder yours to write";

const FULL: StoreFault = { state: "has no room: the disk is full", remedy: ROOM };
/** `SQLITE_IOERR_SHMSIZE`: the file beside the database that its readers share cannot grow. */
const SHARED_MEMORY_SIZE = 4874;

/** The system's codes, and what SQLite says, for one fault each. */
const FAULTS: readonly (readonly [sign: string | RegExp, fault: StoreFault])[] = [
  ["ENOSPC", FULL],
  [/database or disk is full/, FULL],
  ["ENOTDIR", { state: "lies under what is no folder", remedy: "choose another folder" }],
  ["EROFS", { state: "lies on a read-only disk", remedy: "choose a folder that can be written" }],
  ["EACCES", { state: "cannot be written", remedy: RIGHTS }],
  ["EPERM", { state: "cannot be written", remedy: RIGHTS }],
  [/readonly database/, { state: "cannot be written", remedy: RIGHTS }],
  [/unable to open database file/, {
    state: "cannot be opened",
    remedy: `see that no folder lies there, and ${RIGHTS}`,
  }],
  [/database is locked/, { state: "is in use", remedy: "end what uses it" }],
  [/disk I\/O error/, {
    state: "cannot be read or written (disk I/O error)",
    remedy: "see to its disk and try again",
  }],
];

/** The fault that an error of a store tells of; undefined when it is no error of file or disk. */
export function storeFault(error: unknown): StoreFault | undefined {
  const code = codeOf(error);
  const text = code === "ERR_SQLITE_ERROR" ? messageOf(error) : undefined;
  const number = text === undefined ? undefined : (error as { readonly errcode?: unknown }).errcode;
  if (number === SHARED_MEMORY_SIZE) return FULL;
  for (const [sign, fault] of FAULTS) {
    if (typeof sign === "string" ? code === sign : text !== undefined && sign.test(text)) {
      return fault;
    }
  }
  // A table that is missing, or a page that is no page: it is not what sion wrote.
  return text === undefined ? undefined : { state: `is damaged (${text})` };
}
