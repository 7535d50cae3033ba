/** Identifiers: 32 bytes, written as 64 lower-case hex digits. */
import { fromHex } from "./bytes.ts";

declare const kind: unique symbol;
/** 64 lower-case hex digits that name one kind of thing. */
export type Id<Kind extends string = string> = string & { readonly [kind]?: Kind };
/** An account: H(policy, salt). */
export type AccountId = Id<"account">;
/** An object in the ledger's state. */
export type ObjectId = Id<"object">;
/** A transaction's digest. */
export type Digest = Id<"digest">;

/** Bytes of an id or a hash. */
export const ID_BYTES = 32;

const HEX64 = /^[0-9a-f]{64}$/;

/** True for 64 lower-case hex digits. */
export function isHex64(text: string): text is Id {
  return HEX64.test(text);
}

/** The bytes of an id. @throws {SyntaxError} unless `text` is 64 lower-case hex digits. */
export function idBytes(text: string): Uint8Array {
  if (text.length !== 2 * ID_BYTES) {
    throw new SyntaxError("Cannot read id: 64 lower-case hex digits are needed");
  }
  return fromHex(text);
}

/** The first eight digits of an id, as sentences show it. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Characters of a name in the ledger, at most. */
export const MAX_NAME_LENGTH = 64;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const ALL_HEX = /^(?:0x)?([0-9a-f]{32,})$/i;

/**
 * True for a name in the ledger: 1 to 64 letters, digits, `-` and `_`, beginning with a letter or
 * digit, and not 64 hex digits (which would be an id).
 */
export function isLedgerName(text: string): boolean {
  return NAME.test(text) && !isHex64(text);
}

/**
 * True for a wallet's name: as a name in the ledger, but nothing that may be meant as an account,
 * since on a devnet every name is a wallet that anybody can spend from. A name is never a path.
 */
export function isWalletName(text: string): boolean {
  return isLedgerName(text) && !ALL_HEX.test(text);
}

/**
 * What is wrong with a text that looks like an account and is none, as the beginning of a sentence;
 * `undefined` where it does not look like one.
 */
export function accountFault(text: string): string | undefined {
  const digits = ALL_HEX.exec(text)?.[1];
  if (digits === undefined || isHex64(text)) return undefined;
  const shown = text.length > 72 ? `${text.slice(0, 72)}…` : text;
  const fault = digits.length !== 64
    ? `with ${digits.length} digits`
    : text === digits
    ? "in upper case"
    : "with 0x before it";
  return `${shown} looks like an account ${fault}, an account has 64 lower-case hex digits`;
}
