import { describe, expect, it } from "vitest";
import {
  accountFault,
  fromHex,
  idBytes,
  isHex64,
  isLedgerName,
  isWalletName,
  shortId,
  toHex,
} from "#internal/core/mod.ts";

const ID = "42424444042f6eae3f1f69e9d99e163216bd317aed703c8eb19a98346b1eeb23";

describe("ids", () => {
  it("isHex64() takes 64 lower-case hex digits and nothing else [L-070 L-604]", () => {
    expect(isHex64(ID)).toBe(true);
    for (
      const bad of [ID.toUpperCase(), ID.slice(1), `${ID}0`, `0x${ID.slice(2)}`, ` ${ID.slice(1)}`]
    ) {
      expect(isHex64(bad)).toBe(false);
    }
    expect(() => idBytes("42")).toThrow("64 lower-case hex digits");
  });

  it("shortId() gives the first eight digits [L-074]", () => {
    expect(shortId(ID)).toBe("42424444");
  });

  it("toHex() and fromHex() are each other's inverse, without upper case", () => {
    expect(toHex(fromHex(ID))).toBe(ID);
    expect(() => fromHex("abc")).toThrow("odd");
    expect(() => fromHex("AB")).toThrow("digits 0-9 and a-f");
  });

  it.each(["alice", "robot-7", "agent8", "operator-0", "A_b"])(
    "isWalletName() takes %s [L-068]",
    (name) => expect(isWalletName(name)).toBe(true),
  );

  it.each([
    ID.toUpperCase(),
    ID.slice(1),
    ID.slice(32),
    ID.slice(2).toUpperCase(),
    `0x${ID.slice(2)}`,
  ])(
    "isWalletName() refuses %s, which may be meant as an account [L-068 L-604]",
    (text) => {
      expect(isWalletName(text)).toBe(false);
      expect(isLedgerName(text)).toBe(true);
      expect(accountFault(text)).toContain(`${text} looks like an account `);
    },
  );

  it("accountFault() says what is wrong with what looks like an account", () => {
    expect(accountFault(ID.slice(1))).toBe(
      `${ID.slice(1)} looks like an account with 63 digits, ` +
        "an account has 64 lower-case hex digits",
    );
    expect(accountFault(ID.toUpperCase())).toContain("looks like an account in upper case,");
    expect(accountFault(`0x${ID}`)).toContain("looks like an account with 0x before it,");
    for (const fine of [ID, "alice", "deadbeef", ID.slice(33)]) {
      expect(accountFault(fine)).toBeUndefined();
    }
    expect(isWalletName(ID.slice(33))).toBe(true);
  });

  it.each(["", "../x", "a/b", "a.b", "-a", "_a", "é", "a b", "a\n", "x".repeat(65), ID])(
    "isWalletName() refuses %j, so a name is never a path or an account [L-610]",
    (name) => expect(isWalletName(name)).toBe(false),
  );
});
