/**
 * Sizes that stand on both sides of a boundary: the ledger's formats, and what carries them without
 * loading the ledger.
 */

/** Bytes of a signed unit (docs/protocol/ledger.md): it must fit a block with room for statements. */
export const MAX_SIGNED_UNIT_BYTES = 512 * 1024;
