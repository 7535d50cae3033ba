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

const WALLET_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * True for a wallet's name: 1 to 64 letters, digits, `-` and `_`, beginning with a letter or digit,
 * and not 64 hex digits (which would be an account). So a name is never a path.
 */
export function isWalletName(text: string): boolean {
  return WALLET_NAME.test(text) && !isHex64(text);
}
