/** Policies: who may act for an account. docs/protocol/ledger.md, Units and transactions. */
import type { Codec } from "#internal/core/mod.ts";
import {
  byteString,
  compareBytes,
  encode,
  list,
  mapped,
  SionError,
  struct,
  toHex,
  u8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";

/** A threshold over dual public keys. */
export interface Policy {
  readonly threshold: number;
  readonly keys: readonly Uint8Array[];
}

function refuse(what: string): never {
  throw new SionError("codec", `Cannot decode: ${what}`);
}

/** Refuses, on reading, what is no policy. */
export const policyCodec: Codec<Policy> = mapped(
  struct({ threshold: u8, keys: list(byteString(1344), 16) }),
  (policy: Policy) => policy,
  (policy) => {
    const { threshold, keys } = policy;
    if (threshold < 1 || threshold > keys.length) refuse("a policy's threshold fits no keys");
    for (const [i, key] of keys.entries()) {
      const before = keys[i - 1];
      if (key.length === 0) refuse("a policy's key is empty");
      if (before && compareBytes(before, key) >= 0) refuse("a policy's keys are not in order");
    }
    return policy;
  },
);

/** The account of a policy and a salt. */
export function accountOf(policy: Policy, salt: Uint8Array): string {
  const fields = encode(struct({ policy: policyCodec, salt: byteString(32) }), { policy, salt });
  return toHex(taggedHash("sion/account/v1", fields));
}
