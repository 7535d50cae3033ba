/**
 * A validator: who operates it, the key it signs with, the stake behind it. Its object keeps its id
 * for ever; the id that status and certificates show is that of its present key. A key that a
 * validator ever had is noted under the key's id, so that none comes back.
 */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import { byteString, encode, id, list, option, struct, toHex, u64 } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";
import { undecodable } from "../errors.ts";
import { USD } from "./asset.ts";

/** The most validators a committee has. A set of them fits a 16-bit mask. */
export const MAX_COMMITTEE = 16;
/** The most validators a chain has, those outside the committee included. */
const MAX_REGISTERED = 64;

const VALIDATOR_TAG = "sion/validator/v1";

const keyCodec: Codec<Uint8Array> = byteString(DUAL_PUBLIC_KEY_BYTES);

/** The id of a validator's dual public key; of its first key also that of its object. */
export function validatorId(publicKey: Uint8Array): string {
  return toHex(taggedHash(VALIDATOR_TAG, encode(keyCodec, publicKey)));
}

/** Whether a validator takes part: `active`, or `left` for good. */
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

/** What stands under the id of a key that is not a validator's first. */
export interface ValidatorKey {
  readonly validator: string;
}

export const validatorKeyKind = defineObjectKind({
  name: "validator_key",
  tag: 97,
  codec: struct({ validator: id }),
  refs: ({ validator }: ValidatorKey) => ({ validator }),
  view: ({ validator }: ValidatorKey) => ({ validator }),
});

/** A member of a session's committee. */
export interface SessionMember {
  /** The id of the validator's object. */
  readonly validator: string;
  readonly operator: AccountId;
  /** Dual public key. */
  readonly key: Uint8Array;
  /** Micro-USD. */
  readonly stake: bigint;
}

/** All validators, and who is in the committee. */
export interface ValidatorSet {
  /** Ids of validators' objects: the genesis' in its order, then as they registered. */
  readonly registered: readonly string[];
  /** The committee of the session: in a session's last Pulse already the next one's. */
  readonly committee: readonly SessionMember[];
  /** The committee of the session before; empty in the first. */
  readonly before: readonly SessionMember[];
}

/** The id of the set, the same on every chain. */
export const VALIDATOR_SET: string = toHex(taggedHash("sion/validators/v1"));

const membersCodec: Codec<readonly SessionMember[]> = list(
  struct({ validator: id, operator: id, key: keyCodec, stake: u64 }),
  MAX_COMMITTEE,
);

export const validatorSetKind = defineObjectKind({
  name: "validator_set",
  tag: 98,
  codec: struct({
    registered: list(id, MAX_REGISTERED),
    committee: membersCodec,
    before: membersCodec,
  }),
  view: ({ registered, committee }: ValidatorSet) => ({
    registered: [...registered],
    committee: committee.map(({ validator, operator, key, stake }) => ({
      validator,
      operator,
      key: validatorId(key),
      stake,
    })),
  }),
});
