/** Who signs in a session: chosen from the validators when a session ends, and kept in the state. */
import type { LedgerEventBody } from "../event_value.ts";
import type { Validator } from "../objects/validator.ts";
import { countedStake, validatorKind } from "../objects/validator.ts";
import type { SessionMember, ValidatorSet } from "../objects/validator_set.ts";
import { MAX_COMMITTEE } from "../committee_size.ts";
import { VALIDATOR_SET, validatorSetKind } from "../objects/validator_set.ts";
import type { LedgerState } from "../state.ts";
import { endEpoch } from "./epoch_end.ts";
import type { SessionObjects } from "./session_objects.ts";

/** Pulses from the one that changes a validator to the one its session is due to end at. */
export const ROTATION_PULSES = 7n;

/** What a session's last Pulse came to. */
export interface SessionEnd {
  /** The next session's committee, in its order. */
  readonly committee: readonly SessionMember[];
  /** Of the epoch, if it ended too. */
  readonly event: LedgerEventBody | null;
}

interface Candidate extends SessionMember {
  readonly place: number;
}

/**
 * A session's last Pulse: the epoch ends if it is due, pending keys become the validators', and the
 * next committee is chosen. It is of those active with stake that counts: at most 16, by stake and
 * then place, in the order of their places. When nobody is left, the committee stays. Null in a state
 * without validators.
 */
export function closeSession(objects: SessionObjects, pulse: bigint): SessionEnd | null {
  const found = objects.read(VALIDATOR_SET);
  if (found === undefined) return null;
  const set = found.value as ValidatorSet;
  const event = endEpoch(objects, set, pulse);
  const registered: string[] = [];
  const candidates: Candidate[] = [];
  for (const [place, id] of set.registered.entries()) {
    const validator = objects.read(id)?.value as Validator;
    const { operator, next, status } = validator;
    const key = next?.key ?? validator.key;
    if (next !== null) {
      objects.write(id, { kind: validatorKind.name, value: { ...validator, key, next: null } });
    }
    if (!isGone(validator)) registered.push(id);
    const stake = countedStake(validator);
    if (status !== "active" || stake === 0n) continue;
    candidates.push({ validator: id, operator, key, stake, place });
  }
  candidates.sort((a, b) => a.stake === b.stake ? a.place - b.place : a.stake > b.stake ? -1 : 1);
  const members = candidates.slice(0, MAX_COMMITTEE)
    .sort((one, other) => one.place - other.place);
  const committee = members.length === 0
    ? set.committee
    : members.map(({ validator, operator, key, stake }) => ({ validator, operator, key, stake }));
  const value: ValidatorSet = { registered, committee, before: set.committee };
  objects.write(VALIDATOR_SET, { kind: validatorSetKind.name, value });
  return { committee, event };
}

/** Left, with nothing of anybody's at stake. */
function isGone({ status, stake, pool }: Validator): boolean {
  return status === "left" && stake === 0n && pool.shares === 0n;
}

/** The validators of a state. @throws {TypeError} in one without. */
export function validatorSetOf(state: LedgerState): ValidatorSet {
  const object = state.at(VALIDATOR_SET);
  if (object === undefined) throw new TypeError("The state has no validators");
  return object.value as ValidatorSet;
}
