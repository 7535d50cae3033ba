/** That the state under a header holds an object under a key, or holds none there. */
import type { Codec } from "#internal/core/mod.ts";
import { bytes32, byteString, id, idBytes, list, option, struct } from "#internal/core/mod.ts";
import type { LedgerState } from "#internal/ledger/mod.ts";
import { objectHash, shardOf } from "#internal/ledger/mod.ts";
import { logInclusionProof, verifyLogInclusion, verifySparse } from "#internal/merkle/mod.ts";

/** Bound of an object; the largest account there can be has 41,943,052 bytes, and is not served. */
const MAX_PROVEN_OBJECT_BYTES = 1 << 20;
/** Bound of the encoding. */
export const MAX_STATE_PROOF_BYTES: number = MAX_PROVEN_OBJECT_BYTES + (1 << 15);

/** What is under a key of the state. */
export interface StateProof {
  /** An object's id, or an account's key; 64 hex digits. */
  readonly key: string;
  /** Canonical bytes; null for absence. */
  readonly object: Uint8Array | null;
  /** From the shard tree's root down. */
  readonly siblings: readonly Uint8Array[];
  /** For absence: the leaf of another key, in whose subtree this one would be. */
  readonly other: { readonly key: Uint8Array; readonly valueHash: Uint8Array } | null;
  readonly shardRoot: Uint8Array;
  /** RFC 6962 path of the shard's root to the state root. */
  readonly shardPath: readonly Uint8Array[];
}

/** The encoding in which nodes serve it. */
export const stateProofCodec: Codec<StateProof> = struct({
  key: id,
  object: option(byteString(MAX_PROVEN_OBJECT_BYTES)),
  siblings: list(bytes32, 256),
  other: option(struct({ key: bytes32, valueHash: bytes32 })),
  shardRoot: bytes32,
  shardPath: list(bytes32, 16),
});

/** The proof of a key in a state. @param object canonical bytes of what is there, if anything. */
export function proveState(
  state: LedgerState,
  key: string,
  object: Uint8Array | undefined,
): StateProof {
  const roots = state.shards.map((tree) => tree.root());
  const shard = shardOf(key, roots.length);
  const { siblings, leaf } = (state.shards[shard] as LedgerState["shards"][number])
    .prove(idBytes(key));
  return {
    key,
    object: object ?? null,
    siblings,
    other: leaf ?? null,
    shardRoot: roots[shard] as Uint8Array,
    shardPath: logInclusionProof(roots, shard),
  };
}

/**
 * Whether the proof shows its object, or absence, under the state root. Untrusted proofs give false.
 * @param shards of the chain, by its parameters.
 */
export function verifyStateProof(
  stateRoot: Uint8Array,
  shards: number,
  { key, object, siblings, other, shardRoot, shardPath }: StateProof,
): boolean {
  const shard = shardOf(key, shards);
  if (!verifyLogInclusion(stateRoot, shards, shard, shardRoot, shardPath)) return false;
  const valueHash = object === null ? undefined : objectHash(object);
  const proof = other === null ? { siblings } : { siblings, leaf: other };
  return verifySparse(shardRoot, idBytes(key), valueHash, proof);
}
