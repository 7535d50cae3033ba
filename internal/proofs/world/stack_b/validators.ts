/** The end of a session: keys change and the next committee is chosen. docs/protocol/ledger.md, Phases. */
import type { WorldMember } from "../world_input.ts";
import { endEpoch, validatorAt } from "./epoch.ts";
import type { Validator } from "./objects.ts";
import { countedStake, SET_ID, STATUS } from "./stake.ts";
import type { Objects } from "./state.ts";
import { bodyAt } from "./state.ts";

const MOST = 16;

/**
 * Ends the session in the state, and before it the epoch if that ends too. The next committee, or null
 * in a state without validators.
 */
export function endSession(state: Objects, pulse: bigint): readonly WorldMember[] | null {
  const set = bodyAt(state, "validator_set", SET_ID);
  if (set === null) return null;
  endEpoch(state, set, pulse);
  const all = set.registered.map((id) => {
    const validator = renew(state, id);
    return { id, validator, stake: countedStake(validator) };
  });
  const standing = all.filter(({ validator: { status }, stake }) =>
    status === STATUS.active && stake > 0n
  );
  // Whoever has 16 or more before it, by stake and then by place, is left out.
  const members = standing.filter((one, place) => {
    const before = standing.filter((other, at) =>
      other.stake > one.stake || (other.stake === one.stake && at < place)
    );
    return before.length < MOST;
  });
  const next = members.map(({ id, validator: { operator, key }, stake }) => {
    return { validator: id, operator, key, stake };
  });
  const committee = next.length > 0 ? next : set.committee;
  const registered = all.filter(({ validator }) => !isGone(validator)).map(({ id }) => id);
  const body = { registered, committee, before: set.committee };
  state.write(SET_ID, { kind: "validator_set", body });
  return committee;
}

/** Whether a validator left, and nobody's stake is behind it any more. */
function isGone({ status, stake, pool }: Validator): boolean {
  return status === STATUS.left && stake === 0n && pool.shares === 0n;
}

/** A validator with the key that it has from now on. */
function renew(state: Objects, id: string): Validator {
  const found = validatorAt(state, id);
  if (found.next === null) return found;
  const body = { ...found, key: found.next.key, next: null };
  state.write(id, { kind: "validator", body });
  return body;
}
