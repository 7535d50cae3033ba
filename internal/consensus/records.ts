/** What a validator's store holds of consensus: blocks, and rows of the validator's own state. */

/** A block as stores and peers hold it. */
export interface StoredBlock {
  /** 64 hex digits. */
  readonly id: string;
  readonly round: number;
  readonly author: number;
  /** Canonical bytes of header and body. */
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** A change to the validator's own durable state: only the latest value of (table, key) matters. */
export type OwnRow =
  | { readonly op: "put"; readonly table: string; readonly key: string; readonly value: Uint8Array }
  | { readonly op: "delete"; readonly table: string; readonly key: string };
