/** What the ledger refuses to do for a caller that broke its contract. */
import type { CodecErrorCode } from "#internal/core/mod.ts";
import { SionError } from "#internal/core/mod.ts";

/**
 * - `sequence`: an ordered unit or void slot is not the next of its account; data `{account, expected, given}`.
 * - `supply`: money was made or lost, which only a faulty kind can do; data `{asset, held, issued}`.
 * - `registry`: two kinds share a name or a tag, or a kind is unknown; data `{}`.
 * - `state`: stored bytes are no object of a known kind, or a genesis allocation is impossible; data `{}`.
 */
export type LedgerErrorCode = "sequence" | "supply" | "registry" | "state";

/** An error that no transaction can cause by itself: the caller or a kind is at fault. */
export class LedgerError extends SionError<LedgerErrorCode> {}

/** Refuses bytes that are no encoding of what is wanted. @throws {SionError} `codec`, always. */
export function undecodable(what: string): never {
  throw new SionError<CodecErrorCode>("codec", `Cannot decode: ${what}`);
}
