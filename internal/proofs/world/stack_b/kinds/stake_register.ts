/** `stake_register`: makes a validator, which joins at the epoch's end. */
import { byteString, encode, idBytes, struct, u16, u64 } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { USD } from "../context.ts";
import { invalid } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Validator } from "../objects.ts";
import { keyId } from "../objects.ts";
import { commissionFault, ONE_USD, SET_ID, STAKING_ID, STATUS, withChange } from "../stake.ts";

/** The least own stake of a validator. */
const LEAST: bigint = 1000n * ONE_USD;
/** Validators that are registered at once. */
const MOST = 64;

const EMPTY_POOL = {
  stake: 0n,
  shares: 0n,
  pending: 0n,
  earning: 0n,
  perShare: 0n,
  rewards: 0n,
} as const;

/** docs/protocol/staking.md, stake_register. */
export const stakeRegister = defineKind({
  name: "stake_register",
  tag: 100,
  codec: struct({
    key: byteString(1344),
    stake: u64,
    commission: u16,
    consent: byteString(19_508),
  }),
  fixes: "execution",
  fault({ key, stake, commission }) {
    if (key.length === 0) return "a key is empty";
    return stake === 0n ? "a stake is 0" : commissionFault(commission);
  },
  consents: ({ key, consent }, { chain, account, sequence }) => {
    const fields = [idBytes(chain), idBytes(account), encode(u64, sequence)];
    const message = taggedHash("sion/register/v1", ...fields);
    return [{ publicKey: key, message, signature: consent }];
  },
  apply(context, { key, stake, commission }) {
    if (stake < LEAST) invalid("a validator's own stake must be at least 1,000");
    const set = context.get("validator_set", SET_ID);
    if (set.registered.length >= MOST) invalid("there are 64 validators already");
    const id = keyId(key);
    const known = context.find("validator", id) ?? context.find("validator_key", id);
    if (known !== null) invalid("a validator has or had this key");
    const staking = context.get("staking", STAKING_ID);
    context.take(USD, stake);
    const validator: Validator = {
      operator: context.account,
      key,
      next: null,
      stake,
      status: STATUS.joining,
      registered: context.pulse,
      due: null,
      commission,
      nextCommission: null,
      earned: 0n,
      pool: EMPTY_POOL,
      slashed: [],
    };
    context.makeAt("validator", id, validator);
    context.put("validator_set", SET_ID, { ...set, registered: [...set.registered, id] });
    context.put("staking", STAKING_ID, withChange(staking, null, validator));
    const said = { commission: BigInt(commission), operator: context.account, stake };
    return { ValidatorRegistered: { ...said, validator: id } };
  },
});
