/** The keys, signatures and operators of a simulated run's validators. */
import { taggedHash } from "#internal/crypto/mod.ts";

/** The wallet that operates a validator. */
export function operatorOf(validator: number): string {
  return `operator-${validator}`;
}

/** The public key of a number: validators begin with those of their places. */
export function keyOf(number: number): Uint8Array {
  return taggedHash("sim/validator", Uint8Array.of(number));
}

/** What stands for a validator's signature. */
export function signatureOf(publicKey: Uint8Array, digest: Uint8Array): Uint8Array {
  return taggedHash("sim/signature", publicKey, digest);
}
