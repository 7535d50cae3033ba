/** The end of an epoch: fees are shared, delegations begin to earn. docs/protocol/staking.md. */
import { USD } from "./context.ts";
import { fail } from "./error.ts";
import type { BodyOf, Staking, Validator } from "./objects.ts";
import { markId, partOf, SHARE_UNIT, STAKING_ID, STATUS, WHOLE, withChange } from "./stake.ts";
import type { Objects } from "./state.ts";
import { bodyAt } from "./state.ts";

type ValidatorSet = BodyOf<"validator_set">;

/** From so many validators on weights are cut. */
const CUT_FROM = 4;
/** No sum of 16 stakes has more bits. */
const MOST_BITS = 68n;

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** Weights of a committee's stakes: nobody has a third. docs/protocol/consensus.md, Committee. */
export function weightsOf(stakes: readonly bigint[]): readonly bigint[] {
  if (stakes.length < CUT_FROM) return stakes;
  const cutTo = (most: bigint) => stakes.map((stake) => stake < most ? stake : most);
  // What is allowed of c reaches from 1 to the largest, since the sum's growth only ever slows.
  let largest = 0n;
  for (let bit = 1n << MOST_BITS; bit > 0n; bit >>= 1n) {
    const tried = largest + bit;
    if (3n * tried < sumOf(cutTo(tried))) largest = tried;
  }
  return cutTo(largest);
}

/** A validator as it has to be there. @throws {SionError} `witness` when it is not. */
export function validatorAt(state: Objects, id: string): Validator {
  return bodyAt(state, "validator", id) ?? fail("witness", "a validator is not there");
}

/** Ends the epoch in a session's last Pulse, if it ends there. */
export function endEpoch(state: Objects, set: ValidatorSet, pulse: bigint): void {
  const staking = bodyAt(state, "staking", STAKING_ID);
  const due = staking?.epochEnd ?? null;
  const length = staking?.epochPulses ?? null;
  if (staking === null || due === null || length === null || pulse < due) return;
  shareFees(state, set);
  let sums = staking;
  for (const id of set.registered) sums = renew(state, id, sums, pulse);
  const epochEnd = (pulse / length + 1n) * length;
  const body = { ...sums, epoch: staking.epoch + 1n, epochEnd };
  state.write(STAKING_ID, { kind: "staking", body });
}

/** Rewards: each member's part of the fees by its weight; the rest goes to the treasury. */
function shareFees(state: Objects, { committee }: ValidatorSet): void {
  const usd = bodyAt(state, "asset", USD) ?? fail("witness", "there is no USD in the state");
  const weights = weightsOf(committee.map(({ stake }) => stake));
  const total = sumOf(weights);
  let shared = 0n;
  for (const [at, { validator: id }] of committee.entries()) {
    const validator = validatorAt(state, id);
    if (validator.status !== STATUS.active) continue;
    const reward = usd.fees * (weights[at] as bigint) / total;
    shared += reward;
    state.write(id, { kind: "validator", body: rewarded(validator, reward) });
  }
  const body = { ...usd, fees: 0n, treasury: usd.treasury + usd.fees - shared };
  state.write(USD, { kind: "asset", body });
}

/** A validator with its reward, of which its pool has a part by stake, less the commission. */
function rewarded(validator: Validator, reward: bigint): Validator {
  const { pool, stake } = validator;
  const earning = partOf(pool, pool.earning);
  // Without any there may be no stake at all to divide by.
  const ofPool = earning === 0n ? 0n : reward * earning / (stake + earning);
  const whole = BigInt(WHOLE);
  const commission = (ofPool * BigInt(validator.commission) + whole - 1n) / whole;
  const net = ofPool - commission;
  const earned = validator.earned + reward - net;
  if (net === 0n) return { ...validator, earned };
  const perShare = pool.perShare + net * SHARE_UNIT / pool.earning;
  return { ...validator, earned, pool: { ...pool, perShare, rewards: pool.rewards + net } };
}

/** What was delegated in the epoch earns from now on, who joins is active. The sums after it. */
function renew(state: Objects, id: string, sums: Staking, pulse: bigint): Staking {
  const before = validatorAt(state, id);
  const { pool, status } = before;
  const { pending, perShare } = pool;
  if (pending !== 0n) {
    const mark = { validator: id, epoch: sums.epoch, perShare, pulse };
    state.write(markId(id, sums.epoch), { kind: "reward_mark", body: mark });
  }
  const after = {
    ...before,
    status: status === STATUS.joining ? STATUS.active : status,
    commission: before.nextCommission ?? before.commission,
    nextCommission: null,
    pool: { ...pool, pending: 0n, earning: pool.earning + pending },
  };
  state.write(id, { kind: "validator", body: after });
  return withChange(sums, before, after);
}
