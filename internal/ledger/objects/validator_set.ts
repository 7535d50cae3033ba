/** All validators of a chain, and those of them that are the committee of the session. */
import type { AccountId, Codec } from "#internal/core/mod.ts";
import { id, list, struct, toHex, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { MAX_COMMITTEE } from "../committee_size.ts";
import { defineObjectKind } from "../object_kind.ts";
import { keyCodec, validatorId } from "./validator.ts";

/** The most validators a chain has, those outside the committee included. */
export const MAX_REGISTERED = 64;

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
