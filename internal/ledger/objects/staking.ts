/** The epoch of a chain, and what all its validators have at stake together. */
import { option, struct, toHex, u16, u64 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { defineObjectKind } from "../object_kind.ts";
import type { Validator } from "./validator.ts";
import { bondedStake, takesPart } from "./validator.ts";

/** The id of the object, the same on every chain. */
export const STAKING: string = toHex(taggedHash("sion/staking/v1"));

const codec = struct({
  /** Pulses of an epoch; null: the first never ends. */
  epochPulses: option(u64),
  epoch: u64,
  /** The Pulse at which the epoch is due to end. */
  epochEnd: option(u64),
  /** Validators that are active, and those that are joining too. */
  active: u16,
  validators: u16,
  /** Micro-USD: the bonded stakes of these together. */
  bonded: u64,
});

export type Staking = ValueOf<typeof codec>;

/**
 * The Pulse at which the epoch of a session is due to end, null for never.
 * @param after the last Pulse of the session before, 0 for the first.
 * @param epochPulses Pulses of an epoch, null for one without end.
 */
export function epochEndAfter(after: bigint, epochPulses: bigint | null): bigint | null {
  return epochPulses === null ? null : (after / epochPulses + 1n) * epochPulses;
}

/** The sums after a validator changed; from nothing for one that is new. */
export function tallied(
  staking: Staking,
  before: Validator | undefined,
  after: Validator,
): Staking {
  const of = (validator: Validator | undefined) =>
    validator === undefined ? { active: 0, validators: 0, bonded: 0n } : {
      active: validator.status === "active" ? 1 : 0,
      validators: takesPart(validator) ? 1 : 0,
      bonded: bondedStake(validator),
    };
  const [was, is] = [of(before), of(after)];
  return {
    ...staking,
    active: staking.active + is.active - was.active,
    validators: staking.validators + is.validators - was.validators,
    bonded: staking.bonded + is.bonded - was.bonded,
  };
}

export const stakingKind = defineObjectKind({
  name: "staking",
  tag: 101,
  codec,
  view: (value: Staking) => ({
    epoch_pulses: value.epochPulses,
    epoch: value.epoch,
    epoch_end: value.epochEnd,
    active: value.active,
    validators: value.validators,
    bonded: value.bonded,
  }),
});
