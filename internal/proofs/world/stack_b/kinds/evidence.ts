/** `evidence`: has a validator slashed whose key signed two contradicting things. */
import { byteString, struct } from "#internal/core/mod.ts";
import type { BareUnit, Context } from "../context.ts";
import { USD } from "../context.ts";
import type { Offence } from "../evidence.ts";
import { blockId, offenceCodec, offenceFault, signedIn } from "../evidence.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import type { Validator } from "../objects.ts";
import { keyId } from "../objects.ts";
import { isStanding, putChanged, STATUS, validatorNamed } from "../stake.ts";

/** Times that a validator is slashed at most. */
const MOST = 64;

/** docs/protocol/staking.md, evidence. */
export const evidence = defineKind({
  name: "evidence",
  tag: 107,
  codec: struct({ key: byteString(1344), offence: offenceCodec }),
  fixes: "execution",
  fault: ({ key, offence }) => key.length === 0 ? "a key is empty" : offenceFault(offence),
  consents: ({ key, offence }, { chain }) =>
    signedIn(offence).map((signed) => {
      return { publicKey: key, message: blockId(chain, signed), signature: signed.signature };
    }),
  apply(context, { key, offence }) {
    const named = validatorNamed(context, keyId(key));
    const { id, validator: before } = named;
    checkUnits(context, offence);
    const [{ header: { session } }] = signedIn(offence);
    const name = `validator ${short(id)}`;
    if (before.slashed.includes(session)) {
      invalid(`${name} was slashed for session ${session} already`);
    }
    const nothing = before.stake === 0n && before.pool.stake === 0n;
    if (nothing || before.slashed.length >= MOST) {
      invalid(`nothing of ${name} is left to slash`);
    }
    const own = tenthOf(before.stake);
    const pool = tenthOf(before.pool.stake);
    const after: Validator = {
      ...before,
      stake: before.stake - own,
      pool: { ...before.pool, stake: before.pool.stake - pool },
      slashed: [...before.slashed, session],
    };
    if (isStanding(before)) {
      putChanged(context, named, { ...after, status: STATUS.slashed });
    } else {
      context.put("validator", id, after);
    }
    if (before.status === STATUS.active) context.endSession();
    const usd = context.get("asset", USD);
    context.put("asset", USD, { ...usd, treasury: usd.treasury + own + pool });
    const what = { offence: offence.kind, own, pool, session: BigInt(session) };
    return { ValidatorSlashed: { by: context.account, ...what, validator: id } };
  },
});

/** A tenth, rounded up. */
function tenthOf(amount: bigint): bigint {
  return (amount + 9n) / 10n;
}

/** @throws {Failure} unless the units that the statements are about make them an offence. */
function checkUnits(context: Context, offence: Offence): void {
  if (offence.kind === "votes" || offence.kind === "confirms") {
    const { firstUnit, second, secondUnit } = offence.body;
    const earlier = context.readUnit(firstUnit) ?? unreadable();
    const later = context.readUnit(secondUnit) ?? unreadable();
    if (!earlier.members.some(({ account, sequence }) => hasSlot(later, account, sequence))) {
      invalid("the units of the evidence share no slot");
    }
    const bound = 4n * earlier.validUntil - 3n;
    if (BigInt(second.header.round) >= bound) {
      invalid("the later statement is not below the bound of the earlier unit");
    }
  } else if (offence.kind === "stopped") {
    const { account, sequence, unit } = offence.body;
    const confirmed = context.readUnit(unit) ?? unreadable();
    if (!hasSlot(confirmed, account, sequence)) {
      invalid("the unit of the evidence does not have the slot that was stopped");
    }
  }
}

function unreadable(): never {
  return invalid("a unit of the evidence cannot be read");
}

function hasSlot({ members }: BareUnit, account: string, sequence: bigint): boolean {
  return members.some((one) => one.account === account && one.sequence === sequence);
}
