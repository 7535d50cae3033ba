/**
 * What a share of a validator's pool had earned when an epoch ended in which somebody delegated to it:
 * from there on such delegations earn, without any of them having been touched.
 */
import { encode, id, idBytes, struct, toHex, u128, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";

const MARK_TAG = "sion/reward-mark/v1";

/** The id of the mark of a validator at the end of an epoch. */
export function rewardMarkId(validator: string, epoch: bigint): string {
  return toHex(taggedHash(MARK_TAG, idBytes(validator), encode(u64, epoch)));
}

const codec = struct({
  validator: id,
  /** The epoch that ended. */
  epoch: u64,
  /** The pool's `perShare` at its end, its own rewards included. */
  perShare: u128,
  /** The epoch's last Pulse. */
  pulse: u64,
});

export type RewardMark = ValueOf<typeof codec>;

export const rewardMarkKind = defineObjectKind({
  name: "reward_mark",
  tag: 102,
  codec,
  idOf: ({ validator, epoch }: RewardMark) => rewardMarkId(validator, epoch),
  refs: ({ validator }: RewardMark) => ({ validator }),
  view: ({ validator, epoch, perShare, pulse }: RewardMark) => ({
    validator,
    epoch,
    per_share: perShare.toString(),
    pulse,
  }),
});
