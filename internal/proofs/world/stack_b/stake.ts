/** What stands behind validators, what of it counts and earns. docs/protocol/staking.md, Objects. */
import { encode, id, idBytes, struct, toHex, u64, union } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Context } from "./context.ts";
import { USD } from "./context.ts";
import { invalid, short, unauthorized } from "./failure.ts";
import type { Delegation, Pool, Staking, Validator } from "./objects.ts";

/** A validator's status. */
export const STATUS = { active: 0, left: 1, joining: 2, slashed: 3 } as const;

/** Where the sums over all validators are. */
export const STAKING_ID: string = toHex(taggedHash("sion/staking/v1"));

/** Where the set of validators is. */
export const SET_ID: string = toHex(taggedHash("sion/validators/v1"));

/** A delegation, or a validator's own stake. */
export const stakeCodec = union({
  delegation: [0, struct({ delegation: id })],
  validator: [1, struct({ validator: id })],
});

/** Micro-USD of one USD. */
export const ONE_USD = 1_000_000n;

/** Ten-thousandths of the whole: the most that a commission is. */
export const WHOLE = 10_000;

/** What one share earned is counted in parts of so many. */
export const SHARE_UNIT: bigint = 2n ** 64n;

/** Pulses that stake can be slashed for, once it earns no more. */
export const UNBONDING = 1000n;

/** The mark of what one share of a validator had earned when an epoch ended. */
export function markId(validator: string, epoch: bigint): string {
  return toHex(taggedHash("sion/reward-mark/v1", idBytes(validator), encode(u64, epoch)));
}

/** The stake of some of a pool's shares, rounded down. */
export function partOf(pool: Pool, shares: bigint): bigint {
  return pool.shares === 0n ? 0n : pool.stake * shares / pool.shares;
}

/** What gives a validator weight in the session that begins now. */
export function countedStake({ stake, pool }: Validator): bigint {
  return stake + partOf(pool, pool.earning);
}

/** Whether a validator is active or joining. */
export function isStanding({ status }: Validator): boolean {
  return status === STATUS.active || status === STATUS.joining;
}

/** What is going to count of a validator. */
export function bondedStake(validator: Validator): bigint {
  const { stake, pool } = validator;
  return isStanding(validator) ? stake + partOf(pool, pool.pending + pool.earning) : 0n;
}

/** The sums over all validators after one of them changed, or came to be. */
export function withChange(
  staking: Staking,
  before: Validator | null,
  after: Validator,
): Staking {
  const bonded = staking.bonded - (before === null ? 0n : bondedStake(before));
  return {
    ...staking,
    active: staking.active + change(before, after, ({ status }) => status === STATUS.active),
    validators: staking.validators + change(before, after, isStanding),
    bonded: bonded + bondedStake(after),
  };
}

/** How many more validators something holds of, after one of them changed: -1, 0 or 1. */
function change(
  before: Validator | null,
  after: Validator,
  holds: (validator: Validator) => boolean,
): number {
  return Number(holds(after)) - Number(before !== null && holds(before));
}

/** A validator with the id of its object. */
export interface NamedValidator {
  readonly id: string;
  readonly validator: Validator;
}

/** A validator by its id, or by that of any key it has or had. @throws {Failure} if there is none. */
export function validatorNamed(context: Context, name: string): NamedValidator {
  const known = context.find("validator_key", name);
  const id = known === null ? name : known.validator;
  return { id, validator: context.get("validator", id) };
}

/** The acting account must be that of the validator's operator. @param may as `take it out`. */
export function checkOperator(
  context: Context,
  { id: name, validator }: NamedValidator,
  may: string,
): void {
  if (validator.operator === context.account) return;
  unauthorized(`only the operator of validator ${short(name)} may ${may}`);
}

/** A delegation of the acting account. @param may as `undelegate it`. @throws {Failure} if it is none. */
export function ownDelegation(context: Context, id: string, may: string): Delegation {
  const delegation = context.get("delegation", id);
  if (delegation.owner === context.account) return delegation;
  return unauthorized(`only the owner of delegation ${short(id)} may ${may}`);
}

/** Whether stake that is not unbonding earns already. */
export function isEarning(delegation: Delegation, staking: Staking): boolean {
  return staking.epoch > delegation.epoch;
}

/** What is owed to a delegation that earns. */
export function owedTo(context: Context, delegation: Delegation, pool: Pool): bigint {
  const { validator, epoch, paid, shares } = delegation;
  const since = paid ?? context.get("reward_mark", markId(validator, epoch)).perShare;
  return shares * (pool.perShare - since) / SHARE_UNIT;
}

/** Gives money to the treasury, if it is any. */
export function giveToTreasury(context: Context, amount: bigint): void {
  if (amount === 0n) return;
  const asset = context.get("asset", USD);
  context.put("asset", USD, { ...asset, treasury: asset.treasury + amount });
}

/** Stores a validator that changed, and the sums over all. */
export function putChanged(
  context: Context,
  { id, validator }: NamedValidator,
  after: Validator,
): void {
  const staking = context.get("staking", STAKING_ID);
  context.put("staking", STAKING_ID, withChange(staking, validator, after));
  context.put("validator", id, after);
}

/** Why a commission is none, or null. */
export function commissionFault(commission: number): string | null {
  return commission > WHOLE ? "a commission is more than everything" : null;
}

/** @throws {Failure} unless what waits until a Pulse can be withdrawn now. */
export function checkDue(context: Context, what: string, due: bigint): void {
  if (context.pulse < due) invalid(`${what} can be withdrawn at Pulse ${due}`);
}
