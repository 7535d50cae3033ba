/**
 * A validator: who operates it, the key it signs with, the stake behind it. Its object keeps its id
 * for ever; the id that status and certificates show is that of its present key.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import { byteString, encode, id, option, struct, toHex, u64 } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";
import { undecodable } from "../errors.ts";
import { USD } from "./asset.ts";

const VALIDATOR_TAG = "sion/validator/v1";

/** The encoding of a validator's dual public key. */
export const keyCodec: Codec<Uint8Array> = byteString(DUAL_PUBLIC_KEY_BYTES);

/** The id of a validator's dual public key; of its first key also that of its object. */
export function validatorId(publicKey: Uint8Array): string {
  return toHex(taggedHash(VALIDATOR_TAG, encode(keyCodec, publicKey)));
}

/** Whether a validator takes part: `active`, or `left` for good, which nothing makes one yet. */
export type ValidatorStatus = "active" | "left";

const STATUSES: readonly ValidatorStatus[] = ["active", "left"];

const statusCodec: Codec<ValidatorStatus> = {
  write: (to, status) => to.uleb(STATUSES.indexOf(status)),
  read: (from) => STATUSES[from.uleb()] ?? undecodable("a validator: no known status"),
};

export interface Validator {
  /** The account that may change its key. */
  readonly operator: AccountId;
  /** The dual public key of the present session, or of the last that it was in. */
  readonly key: Uint8Array;
  /** The key from the next session on, and the Pulse that the change was executed in. */
  readonly next: { readonly key: Uint8Array; readonly since: bigint } | null;
  /** Own stake, micro-USD. */
  readonly stake: bigint;
  readonly status: ValidatorStatus;
  /** The Pulse it was registered in. */
  readonly registered: bigint;
}

const codec: Codec<Validator> = struct({
  operator: id,
  key: keyCodec,
  next: option(struct({ key: keyCodec, since: u64 })),
  stake: u64,
  status: statusCodec,
  registered: u64,
});

export const validatorKind = defineObjectKind({
  name: "validator",
  tag: 96,
  codec,
  holds: ({ stake }: Validator, add) => add(USD, stake),
  refs: ({ operator }: Validator) => ({ operator }),
  view: (value: Validator) => ({
    operator: value.operator,
    key: validatorId(value.key),
    next_key: value.next === null ? null : validatorId(value.next.key),
    next_key_since: value.next?.since ?? null,
    stake: value.stake,
    status: value.status,
    registered: value.registered,
  }),
});
