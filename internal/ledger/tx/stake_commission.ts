/** Changes what a validator's operator keeps of its pool's rewards, from the epoch's end on. */
import { FULL_COMMISSION, id, struct, u16 } from "#internal/core/mod.ts";
import type { ValueOf } from "#internal/core/mod.ts";
import { shortId } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { takesPart, validatorKind } from "../objects/validator.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { commissionText } from "../staking/commission.ts";
import type { View } from "../view.ts";
import { needOperated } from "./_staking.ts";

const codec = struct({
  /** The id of the validator, or of a key that it has or had. */
  validator: id,
  /** Ten-thousandths. */
  commission: u16,
});

/** Body of `stake_commission`. */
export type StakeCommissionBody = ValueOf<typeof codec>;

export const stakeCommission = defineTxKind({
  name: "stake_commission",
  tag: 101,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  check: ({ commission }: StakeCommissionBody) =>
    commission > FULL_COMMISSION ? "a commission is at most 100%" : undefined,
  touches: ({ validator }) => ({ shared: [validator] }),
  intent: ({ validator, commission }, say) =>
    `Take a commission of ${commissionText(commission)} as validator ${say.short(validator)} ` +
    "from the epoch's end on",
  apply(view: View, { validator: named, commission }) {
    const { id: validatorId, validator } = needOperated(view, named, "set its commission");
    view.require(
      takesPart(validator),
      "invalid transaction",
      `validator ${shortId(validatorId)} is not active`,
    );
    view.put(validatorKind, validatorId, { ...validator, nextCommission: commission });
    view.emit("CommissionChanged", { commission: BigInt(commission), validator: validatorId });
  },
  tells: { CommissionChanged: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "CommissionChanged"), say),
});

/** @param fields of `CommissionChanged`. */
function told(fields: EventFields, say: Say): string {
  return `validator ${say.short(fields.id("validator"))} takes a commission of ` +
    `${commissionText(fields.amount("commission"))} from the epoch's end on`;
}
