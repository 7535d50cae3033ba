import { describe, expect, test } from "vitest";
import { storeFault } from "#internal/store/mod.ts";

function coded(code: string, message = ""): Error {
  return Object.assign(new Error(message), { code });
}

describe("storeFault()", () => {
  test.each([
    ["ERR_SQLITE_ERROR", "database or disk is full", "has no room: the disk is full"],
    ["ENOSPC", "write", "has no room: the disk is full"],
    ["ERR_SQLITE_ERROR", "attempt to write a readonly database", "cannot be written"],
    ["ERR_SQLITE_ERROR", "unable to open database file: /x", "cannot be opened"],
    ["ERR_SQLITE_ERROR", "disk I/O error", "cannot be read or written (disk I/O error)"],
    ["ERR_SQLITE_ERROR", "database is locked", "is in use"],
    ["EROFS", "open", "lies on a read-only disk"],
  ])("storeFault() says what is wrong and what to do: %s %s", (code, message, state) => {
    const fault = storeFault(coded(code, message));
    expect(fault?.state).toBe(state);
    expect(fault?.remedy).toMatch(/^[a-z]/);
  });

  test.each(["database disk image is malformed", "file is not a database", "no such table: a"])(
    "storeFault() knows no remedy for a damaged file: %s",
    (message) => {
      expect(storeFault(coded("ERR_SQLITE_ERROR", message))).toEqual({
        state: `is damaged (${message})`,
      });
    },
  );

  test("storeFault() knows a full disk by what a reader of the file cannot get", () => {
    const error = Object.assign(coded("ERR_SQLITE_ERROR", "disk I/O error"), { errcode: 4874 });
    expect(storeFault(error)?.state).toBe("has no room: the disk is full");
  });

  test("storeFault() leaves other errors alone", () => {
    expect(storeFault(new Error("database or disk is full"))).toBeUndefined();
    expect(storeFault(coded("ECONNRESET"))).toBeUndefined();
    expect(storeFault("x")).toBeUndefined();
  });
});
