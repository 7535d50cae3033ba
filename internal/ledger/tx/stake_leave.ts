/** Takes a validator out for good: its session ends soon, and its own stake unbonds. */
import { id, shortId, struct, UNBONDING_PULSES } from "#internal/core/mod.ts";
import type { EventFields } from "../event_fields.ts";
import { defineTxKind } from "../kind.ts";
import { STAKING, stakingKind } from "../objects/staking.ts";
import { eventOf } from "../receipt.ts";
import type { Say } from "../sentences.ts";
import { ROTATION_PULSES } from "../staking/committee.ts";
import type { View } from "../view.ts";
import { needOperated, putValidator } from "./_staking.ts";

const codec = struct({
  /** The id of the validator, or of a key that it has or had. */
  validator: id,
});

export const stakeLeave = defineTxKind({
  name: "stake_leave",
  tag: 102,
  since: "1.0",
  certificateFixes: "execution",
  body: codec,
  touches: ({ validator }) => ({ shared: [validator, STAKING] }),
  intent: ({ validator }, say) => `Take validator ${say.short(validator)} out for good`,
  apply(view: View, { validator: named }) {
    const found = needOperated(view, named, "take it out");
    const { id: validatorId, validator } = found;
    view.require(
      validator.status !== "left",
      "invalid transaction",
      `validator ${shortId(validatorId)} has left already`,
    );
    const { active } = view.need(stakingKind, STAKING);
    const isActive = validator.status === "active";
    view.require(
      !isActive || active > 1,
      "invalid transaction",
      "the last active validator cannot leave",
    );
    const due = view.pulse + ROTATION_PULSES + UNBONDING_PULSES;
    putValidator(view, found, { ...validator, status: "left", due });
    if (isActive) view.endSession();
    view.emit("ValidatorLeft", { due, validator: validatorId });
  },
  tells: { ValidatorLeft: told },
  done: (receipt, _body, say) => told(eventOf(receipt, "ValidatorLeft"), say),
});

/** @param fields of `ValidatorLeft`. */
function told(fields: EventFields, say: Say): string {
  return `validator ${say.short(fields.id("validator"))} leaves, its own stake can be withdrawn ` +
    `from Pulse ${fields.pulse("due")} on`;
}
