/** Evidence that a validator signed two different blocks for one round. */
import type { Codec } from "#internal/core/mod.ts";
import { byteString, struct } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import type { BlockHeader, Offence, SignedBlock } from "#internal/ledger/mod.ts";
import { blockHeaderCodec } from "#internal/ledger/mod.ts";

/** A header with its author's signature. */
export interface SignedHeader {
  readonly header: BlockHeader;
  readonly signature: Uint8Array;
}

/** Two headers that one validator signed for one round, the lower id first. */
export interface Equivocation {
  readonly first: SignedHeader;
  readonly second: SignedHeader;
}

export const signedHeaderCodec: Codec<SignedHeader> = struct({
  header: blockHeaderCodec,
  signature: byteString(DUAL_SIGNATURE_BYTES),
});

export const equivocationCodec: Codec<Equivocation> = struct({
  first: signedHeaderCodec,
  second: signedHeaderCodec,
});

/** An equivocation, and whose it is. */
export interface Accusation {
  /** The dual public key that signed both. */
  readonly key: Uint8Array;
  readonly equivocation: Equivocation;
}

/** The encoding in which nodes serve it. */
export const accusationCodec: Codec<Accusation> = struct({
  key: byteString(DUAL_PUBLIC_KEY_BYTES),
  equivocation: equivocationCodec,
});

/** The body of the transaction that has the accused slashed. */
export function evidenceOf(
  { key, equivocation }: Accusation,
): { readonly key: Uint8Array; readonly offence: Offence } {
  const signed = ({ header: { chain: _, ...header }, signature }: SignedHeader): SignedBlock => {
    return { header, signature };
  };
  const { first, second } = equivocation;
  return {
    key,
    offence: { kind: "blocks", body: { first: signed(first), second: signed(second) } },
  };
}
