/**
 * Who may sign for an account. An account's id is the hash of a policy and a salt, so an account has
 * no key of its own to change, and one policy controls any number of accounts.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import { byteString, compareBytes, encode, list, struct, toHex, u8 } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { undecodable } from "./errors.ts";

/** Keys a policy may hold. */
const MAX_POLICY_KEYS = 16;
/** Bytes of a salt: an identity's id, or nothing. */
const MAX_SALT_BYTES = 32;
/** The salt of a wallet's account. */
export const NO_SALT: Uint8Array = new Uint8Array(0);

const ACCOUNT_TAG = "sion/account/v1";

/** `threshold` of the keys must sign. Keys are dual public keys, distinct, in ascending order. */
export interface Policy {
  readonly threshold: number;
  readonly keys: readonly Uint8Array[];
}

const policyFields = struct({
  threshold: u8,
  keys: list(byteString(DUAL_PUBLIC_KEY_BYTES), MAX_POLICY_KEYS),
});

/** The encoding of a policy; a policy that could never or always be met is refused. */
export const policyCodec: Codec<Policy> = {
  write(to, policy) {
    const fault = policyFault(policy);
    if (fault !== undefined) throw new TypeError(`Cannot encode policy: ${fault}`);
    policyFields.write(to, policy);
  },
  read(from) {
    const policy = policyFields.read(from);
    const fault = policyFault(policy);
    if (fault !== undefined) undecodable(`a policy: ${fault}`);
    return policy;
  },
};

/** The encoding of a salt. */
export const saltCodec: Codec<Uint8Array> = byteString(MAX_SALT_BYTES);

function policyFault({ threshold, keys }: Policy): string | undefined {
  if (keys.length === 0) return "it has no key";
  if (threshold < 1 || threshold > keys.length) return "its threshold is out of range";
  if (keys.some((key) => key.length === 0)) return "a key is empty";
  for (let i = 1; i < keys.length; i++) {
    if (compareBytes(keys[i - 1] as Uint8Array, keys[i] as Uint8Array) >= 0) {
      return "its keys are not in ascending order";
    }
  }
  return undefined;
}

/** The policy of one key: that of every wallet. */
export function policyOfKey(publicKey: Uint8Array): Policy {
  return { threshold: 1, keys: [publicKey] };
}

/**
 * The account that a policy controls under a salt: {@link NO_SALT} for a wallet, the identity's id
 * for a keyless agent.
 * @throws {TypeError} on a policy that cannot be encoded, or a salt over 32 bytes.
 */
export function accountId(policy: Policy, salt: Uint8Array): AccountId {
  return toHex(taggedHash(ACCOUNT_TAG, encode(policyCodec, policy), encode(saltCodec, salt)));
}
