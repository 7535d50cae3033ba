/** That a receipt stands at its place under a header's receipts root. */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, byteString, list, struct, u32, u64 } from "#internal/core/mod.ts";
import { receiptLeaf } from "#internal/ledger/mod.ts";
import { verifyLogInclusion } from "#internal/merkle/mod.ts";

/** Bound of one receipt: 128 events and what they name. */
export const MAX_RECEIPT_BYTES = 1 << 20;
/** Bound of the encoding. */
export const MAX_RECEIPT_PROOF_BYTES: number = MAX_RECEIPT_BYTES + 2048;

/** A receipt with its path. */
export interface ReceiptProof {
  /** The Pulse it executed in. */
  readonly pulse: bigint;
  /** Canonical bytes. */
  readonly receipt: Uint8Array;
  /** Place in the certified order, void slots counted, and how many there are. */
  readonly index: number;
  readonly count: number;
  /** RFC 6962 inclusion path. */
  readonly path: readonly Uint8Array[];
}

/** The encoding in which nodes serve it. */
export const receiptProofCodec: Codec<ReceiptProof> = struct({
  pulse: u64,
  receipt: byteString(MAX_RECEIPT_BYTES),
  index: u32,
  count: u32,
  path: list(bytes32, 32),
});

/** Whether the receipt is at its place under the root. Untrusted proofs give false. */
export function verifyReceiptProof(
  receiptsRoot: Uint8Array,
  { receipt, index, count, path }: Omit<ReceiptProof, "pulse">,
): boolean {
  return verifyLogInclusion(receiptsRoot, count, index, receiptLeaf(receipt), path);
}
