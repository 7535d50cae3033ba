/** Evidence that a validator signed two things that contradict each other: two blocks of a round above all. */
import type { Codec } from "#internal/core/mod.ts";
import { byteString, struct } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import type { BlockHeader, Offence, SignedBlock } from "#internal/ledger/mod.ts";
import { blockHeaderCodec, offenceCodec, signedOf } from "#internal/ledger/mod.ts";

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

/** What a validator signed that contradicts itself, and whose it is: the body of a transaction of evidence. */
export interface Accusation {
  /** The dual public key that signed both. */
  readonly key: Uint8Array;
  readonly offence: Offence;
}

/** Bytes of an accusation that nodes keep and serve: of units far larger than payments there is none. */
export const MAX_ACCUSATION_BYTES: number = 1 << 17;

/** The encoding in which nodes keep and serve it. */
export const accusationCodec: Codec<Accusation> = struct({
  key: byteString(DUAL_PUBLIC_KEY_BYTES),
  offence: offenceCodec,
});

/** The session that an accusation is about. */
export function sessionAccused({ offence }: Accusation): number {
  return signedOf(offence)[0].header.session;
}

/** The offence that two headers of one round are. */
export function offenceOf({ first, second }: Equivocation): Offence {
  const signed = ({ header: { chain: _, ...header }, signature }: SignedHeader): SignedBlock => {
    return { header, signature };
  };
  return { kind: "blocks", body: { first: signed(first), second: signed(second) } };
}
