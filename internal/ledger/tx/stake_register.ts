/**
 * Registers a validator with its operator's own stake, from the next epoch on. Its key signs too, for
 * this very slot: so nobody can register a key that is another's.
 */
import {
  byteString,
  encode,
  formatUsdGrouped,
  FULL_COMMISSION,
  idBytes,
  MIN_OWN_STAKE,
  struct,
  u16,
  u64,
} from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { DUAL_PUBLIC_KEY_BYTES, DUAL_SIGNATURE_BYTES, taggedHash } from "#internal/crypto/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import type { ConsentPlace } from "../kind.ts";
import { USD } from "../objects/asset.ts";
import { STAKING, stakingKind, tallied } from "../objects/staking.ts";
import { newValidator, validatorId, validatorKind } from "../objects/validator.ts";
import { MAX_REGISTERED, VALIDATOR_SET, validatorSetKind } from "../objects/validator_set.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { commissionText } from "../staking/commission.ts";
import type { View } from "../view.ts";
import { requireNewKey } from "./_staking.ts";

const REGISTER_TAG = "sion/register/v1";

const codec = struct({
  /** Dual public key. */
  key: byteString(DUAL_PUBLIC_KEY_BYTES),
  /** Own stake, micro-USD. */
  stake: u64,
  /** Ten-thousandths of what the pool earns. */
  commission: u16,
  /** The key's signature of {@link registrationDigest}. */
  consent: byteString(DUAL_SIGNATURE_BYTES),
});

/** Body of `stake_register`. */
export type StakeRegisterBody = ValueOf<typeof codec>;

/** What the new validator's key signs: the chain and the slot. */
export function registrationDigest({ chain, account, sequence }: ConsentPlace): Uint8Array {
  return taggedHash(REGISTER_TAG, idBytes(chain), idBytes(account), encode(u64, sequence));
}

function fault({ key, stake, commission }: StakeRegisterBody): string | undefined {
  if (key.length === 0) return "a key is empty";
  if (stake === 0n) return "an amount must be above 0";
  return commission > FULL_COMMISSION ? "a commission is at most 100%" : undefined;
}

export const stakeRegister = defineTxKind({
  name: "stake_register",
  tag: 100,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: fault,
  consents: ({ key, consent }, place) => [
    { publicKey: key, digest: registrationDigest(place), signature: consent },
  ],
  spendBound: ({ stake }) => ({ asset: USD, amount: stake }),
  touches: ({ key }) => ({ shared: [validatorId(key), VALIDATOR_SET, STAKING] }),
  intent: ({ key, stake, commission }, say) =>
    `Register validator ${say.short(validatorId(key))} with ${say.amount(stake)} of own stake ` +
    `and a commission of ${commissionText(commission)}`,
  apply(view: View, { key, stake, commission }) {
    view.require(
      stake >= MIN_OWN_STAKE,
      "invalid transaction",
      `a validator's own stake must be at least ${formatUsdGrouped(MIN_OWN_STAKE)}`,
    );
    const set = view.need(validatorSetKind, VALIDATOR_SET);
    view.require(
      set.registered.length < MAX_REGISTERED,
      "invalid transaction",
      `there are ${MAX_REGISTERED} validators already`,
    );
    const id = validatorId(key);
    requireNewKey(view, id);
    const staking = view.need(stakingKind, STAKING);
    view.debit(USD, stake);
    const operator = view.actor;
    const validator = newValidator({
      operator,
      key,
      stake,
      commission,
      status: "joining",
      registered: view.pulse,
    });
    view.found(validatorKind, id, validator);
    view.put(validatorSetKind, VALIDATOR_SET, { ...set, registered: [...set.registered, id] });
    view.put(stakingKind, STAKING, tallied(staking, undefined, validator));
    view.emit("ValidatorRegistered", {
      commission: BigInt(commission),
      operator,
      stake,
      validator: id,
    });
  },
  tells: { ValidatorRegistered: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "ValidatorRegistered"), say),
});

/** @param fields of `ValidatorRegistered`. */
function told(fields: EventFields, say: Say): string {
  return `validator ${say.short(fields.id("validator"))} registered with ` +
    `${say.amount(fields.amount("stake"))} of own stake, joining at the epoch's end`;
}
