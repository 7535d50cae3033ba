/** Evidence that a validator signed two different blocks for one round. */
import type { Codec } from "#internal/core/mod.ts";
import { byteString, struct } from "#internal/core/mod.ts";
import { DUAL_SIGNATURE_BYTES } from "#internal/crypto/mod.ts";
import type { BlockHeader } from "./block_header.ts";
import { blockHeaderCodec } from "./block_header.ts";

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
