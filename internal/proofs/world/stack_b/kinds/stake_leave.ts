/** `stake_leave`: takes a validator out for good. */
import { id, struct } from "#internal/core/mod.ts";
import { invalid, short } from "../failure.ts";
import { defineKind } from "../kind.ts";
import {
  checkOperator,
  putChanged,
  STAKING_ID,
  STATUS,
  UNBONDING,
  validatorNamed,
} from "../stake.ts";

/** Pulses until the session is due to end; what the validator signs until then is its doing too. */
const NOTICE = 7n;

/** docs/protocol/staking.md, stake_leave. */
export const stakeLeave = defineKind({
  name: "stake_leave",
  tag: 102,
  codec: struct({ validator: id }),
  fixes: "execution",
  apply(context, body) {
    const named = validatorNamed(context, body.validator);
    const { id: validator, validator: { status } } = named;
    checkOperator(context, named, "take it out");
    if (status === STATUS.left) invalid(`validator ${short(validator)} has left already`);
    const { active } = context.get("staking", STAKING_ID);
    const isActive = status === STATUS.active;
    if (isActive && active === 1) invalid("the last active validator cannot leave");
    const due = context.pulse + UNBONDING + NOTICE;
    putChanged(context, named, { ...named.validator, status: STATUS.left, due });
    if (isActive) context.endSession();
    return { ValidatorLeft: { due, validator } };
  },
});
