/** A block: signed header and body. The body is what the header's roots speak for. */
import type { SignedUnit } from "#internal/ledger/mod.ts";
import type { BlockHeader } from "#internal/proofs/mod.ts";
import type { Statement } from "./statement_kind.ts";

/** A client's unit as a block carries it. */
export interface CarriedUnit {
  readonly signed: SignedUnit;
  /** Asks to be forced in, should it find no votes. */
  readonly forced: boolean;
}

/** Two headers that one validator signed for one round. */
export interface Equivocation {
  readonly first: SignedHeader;
  readonly second: SignedHeader;
}

/** A header with its author's signature. */
export interface SignedHeader {
  readonly header: BlockHeader;
  readonly signature: Uint8Array;
}

/** Canonical, at most 1 MiB. */
export interface Body {
  readonly units: readonly CarriedUnit[];
  readonly evidence: readonly Equivocation[];
  readonly statements: readonly Statement[];
}

/** A decoded block with what follows from its bytes. */
export interface Block {
  /** Digest of the header, 64 hex digits. */
  readonly id: string;
  readonly header: BlockHeader;
  readonly body: Body;
  /** Canonical bytes of header and body. */
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** A signature that the caller verifies before it feeds a block. */
export interface SignatureCheck {
  /** Index into the committee. */
  readonly author: number;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** What a block needs verified; any failure makes it invalid. */
export interface BlockChecks {
  readonly signatures: readonly SignatureCheck[];
  /** Units with their canonical bytes, whose authorizations are verified, each once. */
  readonly units: readonly { readonly signed: SignedUnit; readonly bytes: Uint8Array }[];
}
