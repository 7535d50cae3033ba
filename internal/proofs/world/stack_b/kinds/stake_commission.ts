/** `stake_commission`: sets what a validator takes of its pool's rewards from the epoch's end on. */
import { id, struct, u16 } from "#internal/core/mod.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import { checkOperator, commissionFault, isStanding, validatorNamed } from "../stake.ts";

/** docs/protocol/staking.md, stake_commission. */
export const stakeCommission = defineKind({
  name: "stake_commission",
  tag: 101,
  codec: struct({ validator: id, commission: u16 }),
  fixes: "execution",
  fault: ({ commission }) => commissionFault(commission),
  apply(context, { validator: name, commission }) {
    const named = validatorNamed(context, name);
    const { id: validator } = named;
    checkOperator(context, named, "set its commission");
    if (!isStanding(named.validator)) invalid(`validator ${short(validator)} is not active`);
    context.put("validator", validator, { ...named.validator, nextCommission: commission });
    return { CommissionChanged: { commission: BigInt(commission), validator } };
  },
});
