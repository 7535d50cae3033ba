/**
 * What a validator's store holds of consensus: blocks, the units that they name, and rows of the
 * validator's own state.
 */

/** A block as stores and peers hold it. */
export interface StoredBlock {
  /** 64 hex digits. */
  readonly id: string;
  readonly round: number;
  readonly author: number;
  /** Canonical bytes of header and body. */
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
  /**
   * Of a block that a store is given: what it is to keep with the block, in the same commit. One
   * that is read back says nothing of it.
   */
  readonly units?: readonly StoredUnit[];
}

/** A signed unit that blocks name, as a store keeps it. */
export interface StoredUnit {
  /** `Ledger.formOf`, 64 hex digits. */
  readonly form: string;
  /** Canonical; undefined when an earlier block brought it, and only `until` is new. */
  readonly bytes: Uint8Array | undefined;
  /** The unit is kept at least as long as blocks of this round. */
  readonly until: number;
}

/**
 * Rounds above the block that names it for which a unit is kept, so that not every later block that
 * names it changes its row.
 */
export const UNIT_ROUNDS = 64;

/** A change to the validator's own durable state: only the latest value of (table, key) matters. */
export type OwnRow =
  | { readonly op: "put"; readonly table: string; readonly key: string; readonly value: Uint8Array }
  | { readonly op: "delete"; readonly table: string; readonly key: string };
