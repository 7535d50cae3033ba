/**
 * How a validator proves in a greeting that it is the one it says: by the signature of its key, or,
 * within one run of a devnet, by a secret that its validators share and strangers on the machine do
 * not know. docs/protocol/connections.md, "Greeting".
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Random } from "#internal/core/mod.ts";
import type { DualBackend, DualKeys } from "#internal/crypto/mod.ts";
import { HASH_BYTES, taggedHash } from "#internal/crypto/mod.ts";

/** The end of a connection that proves something: who connected, or who listened. */
export type End = "dial" | "listen";

/** What each end's proof is over besides both hellos, so that neither is the other's. */
const TAGS: { readonly [end in End]: string } = {
  dial: "sion/peer-dial/v1",
  listen: "sion/peer-listen/v1",
};

/** What a proof is of. */
export interface Proven {
  readonly end: End;
  /** Both hellos, the dialing end's first. */
  readonly hellos: readonly Uint8Array[];
}

/** A kind of proof. */
export interface PeerProofs {
  /** Bytes of every proof. */
  readonly bytes: number;
  /** Whether there is a validator of this index. */
  isValidator(index: number): boolean;
  /** Proves that this is the validator that it says. @param hellos both, the dialing end's first */
  prove(end: End, hellos: readonly Uint8Array[]): Promise<Uint8Array>;
  /** Whether the validator of this index made the proof. */
  holds(index: number, proof: Uint8Array, of: Proven): Promise<boolean>;
}

/** What proofs by keys need. */
export interface KeyProofOptions {
  readonly backend: DualBackend;
  /** The public key of a validator of the session that is; undefined where there is none. */
  readonly keyOf: (index: number) => Uint8Array | undefined;
  /** The keys of this node; undefined where it only follows. */
  readonly keys: () => DualKeys | undefined;
  readonly random: Random;
}

/** Proofs by the signatures of validators' keys. */
export function keyProofs({ backend, keyOf, keys, random }: KeyProofOptions): PeerProofs {
  return {
    bytes: backend.signatureBytes,
    isValidator: (index) => keyOf(index) !== undefined,
    async prove(end, hellos) {
      const own = keys();
      if (own === undefined) throw new TypeError("Cannot prove anything: a follower has no key");
      return await backend.sign(own, taggedHash(TAGS[end], ...hellos), random);
    },
    async holds(index, proof, { end, hellos }) {
      const key = keyOf(index);
      return key !== undefined &&
        await backend.verify(key, taggedHash(TAGS[end], ...hellos), proof);
    },
  };
}

/**
 * Proofs by a secret of 32 bytes that all validators of one run share, and that never travels: they
 * cost no signatures when a devnet starts.
 * @param count of the validators.
 */
export function tokenProofs(token: Uint8Array, count: number): PeerProofs {
  const due = (end: End, hellos: readonly Uint8Array[]): Uint8Array =>
    createHmac("sha256", token).update(taggedHash(TAGS[end], ...hellos)).digest();
  return {
    bytes: HASH_BYTES,
    isValidator: (index) => index < count,
    prove: (end, hellos) => Promise.resolve(due(end, hellos)),
    holds: (_index, proof, { end, hellos }) =>
      Promise.resolve(proof.length === HASH_BYTES && timingSafeEqual(proof, due(end, hellos))),
  };
}
