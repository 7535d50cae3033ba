/** Stake: validators and their pools, delegations, what operators do. */
import {
  decode,
  formatUsd,
  formatUsdGrouped,
  fromHex,
  isHex64,
  quoteOddWord,
  shortId,
  SionError,
} from "#internal/core/mod.ts";
import type { Accusation } from "#internal/proofs/mod.ts";
import type { DelegationView, PoolView } from "#internal/rpc/mod.ts";
import { accountNamed, knownNames } from "./accounts.ts";
import { chainFacts, checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, noNode, notFound } from "./errors.ts";
import { exact } from "./exact.ts";
import type { SigningPlace } from "./lane.ts";
import { findObject, listObjects } from "./objects.ts";
import type { Abortable, Foreseeing, Outcome } from "./outcome_types.ts";
import { proofsUnit } from "./proofs_unit.ts";
import { transact } from "./payments.ts";
import type { Foresight, StakeNamed } from "./staking_foresight.ts";
import {
  claimForesight,
  commissionForesight,
  delegationForesight,
  delegationsOf,
  leavingForesight,
  registrationForesight,
  undelegationForesight,
  withdrawalForesight,
} from "./staking_foresight.ts";
import type {
  Accused,
  NewDelegation,
  NewValidator,
  OwnDelegation,
  OwnStake,
  OwnValidator,
  Pools,
  PoolValue,
  StakeShown,
} from "./staking_types.ts";
import { makeOne, signingPlace } from "./transact.ts";

/** Micro-units of the stake asset in one whole unit. */
const WHOLE_UNIT = 1_000_000n;

/** All validators with their pools. */
export async function readPools(context: Context, options: Abortable = {}): Promise<Pools> {
  const facts = await chainFacts(context, options.signal);
  const { epoch, epoch_end: epochEnd, pools } = await context.rpc.pools({}, options);
  const { commissionText } = await import("#internal/ledger/mod.ts");
  const names = await knownNames(context, facts);
  const values = pools.map((pool) => poolValue(pool, names, commissionText));
  const ending = epochEnd === null ? "without end" : `ending after Pulse ${epochEnd}`;
  return {
    epoch,
    epochEnd,
    pools: values,
    lines: [
      `epoch ${epoch}, ${ending}; stake asset USD (test stake)`,
      ...pools.map((pool, at) => poolLine(pool, values[at] as PoolValue)),
    ],
  };
}

function poolValue(
  pool: PoolView,
  names: (id: string) => string | undefined,
  percent: (tenThousandths: number) => string,
): PoolValue {
  return {
    commission: percent(pool.commission),
    delegated: formatUsd(pool.delegated),
    earned: formatUsd(pool.earned),
    earning: formatUsd(pool.earning),
    operator: names(pool.operator) ?? pool.operator,
    own: formatUsd(pool.own),
    status: pool.status,
    validator: pool.validator as string,
    weight: exact(pool.weight / WHOLE_UNIT),
  };
}

function poolLine(pool: PoolView, { operator, commission, validator, weight }: PoolValue): string {
  const who = isHex64(operator) ? shortId(operator) : operator;
  return `validator ${shortId(validator)} operator ${who} ${pool.status} ` +
    `own ${formatUsdGrouped(pool.own)} delegated ${formatUsdGrouped(pool.delegated)} ` +
    `(earning ${formatUsdGrouped(pool.earning)}) commission ${commission} weight ${weight}`;
}

/** The delegations of an account. */
export async function showStake(
  context: Context,
  text: string,
  options: Abortable = {},
): Promise<StakeShown> {
  const facts = await chainFacts(context, options.signal);
  const { account } = await accountNamed(context, facts, text, false);
  const { delegations, epoch } = await delegationsOf(context, account, options);
  return { account, delegations: delegations.map(delegationValue), epoch };
}

function delegationValue(view: DelegationView): StakeShown["delegations"][number] {
  return {
    delegation: view.delegation as string,
    phase: view.phase,
    rewards_owed: formatUsd(view.owed),
    shares: view.shares.toString(),
    since: view.since,
    stake: formatUsdGrouped(view.stake),
    state: stateOf(view),
    validator: view.validator as string,
    withdrawable_at: view.withdrawable_at,
  };
}

function stateOf({ phase, since, withdrawable_at: from }: DelegationView): string {
  switch (phase) {
    case "pending":
      return "pending: earns from the end of this epoch";
    case "earning":
      return `earning since Pulse ${since}`;
    case "unbonding":
      return `unbonding since Pulse ${since}: slashable until it is withdrawn, from Pulse ${from} on`;
  }
}

/** A validator by the id of its object or of any key that it has or had, or by their beginnings. */
export async function validatorNamed(
  context: Context,
  text: string,
  options: Abortable = {},
): Promise<string> {
  await checkPinned(context, options.signal);
  const keys = await listObjects(context, "validator_key", undefined, options);
  const [key, ...more] = keys.filter(({ id }) => text.length >= 4 && id.startsWith(text));
  if (key === undefined || more.length > 0) {
    return (await findObject(context, "validator", text, options)).id;
  }
  return (await findObject(context, "validator", key.object["validator"] as string, options)).id;
}

/** A delegation or validator by its id or the beginning of it. */
async function stakeNamed(
  context: Context,
  text: string,
  options: Abortable,
): Promise<StakeNamed> {
  const found = async (find: () => Promise<string>): Promise<string | undefined> => {
    try {
      return await find();
    } catch (error) {
      if (error instanceof SionError && error.code === "not-found") return undefined;
      throw error;
    }
  };
  const delegation = await found(async () =>
    (await findObject(context, "delegation", text, options)).id
  );
  const validator = await found(() => validatorNamed(context, text, options));
  if (delegation !== undefined && validator !== undefined) {
    throw badArgument(
      `${quoteOddWord(text)} begins the ids of a delegation and a validator: give more digits`,
    );
  }
  if (delegation !== undefined) return { kind: "delegation", id: delegation };
  if (validator !== undefined) return { kind: "validator", id: validator };
  throw notFound(
    `the ledger has no delegation or validator ${quoteOddWord(text)}: \`sion stake show\` and ` +
      "`sion stake pools` show those there are",
  );
}

/** As a body names it. */
function stakeOf({ kind, id }: StakeNamed) {
  return { kind, body: { [kind]: id } };
}

/** Where to sign, once what can be foreseen was looked at for whoever asks for that. */
async function stakingPlace(
  context: Context,
  given: Foreseeing & { readonly wallet: string },
  foresight: Foresight,
): Promise<SigningPlace> {
  const facts = await chainFacts(context, given.signal);
  const place = await signingPlace(context, facts, given.wallet, given);
  if (given.foresee === true) await foresight(place, withSignal(given.signal));
  return place;
}

/** Delegates to a validator's pool. */
export async function delegate(context: Context, given: NewDelegation): Promise<Outcome> {
  const { validator: named, amount } = given;
  const validator = await validatorNamed(context, named, withSignal(given.signal));
  const place = await stakingPlace(context, given, delegationForesight(validator, amount));
  return await makeOne(place, { kind: "stake_delegate", body: { validator, amount } }, given);
}

/** Collects rewards. */
export async function claimRewards(context: Context, given: OwnStake): Promise<Outcome> {
  const named = await stakeNamed(context, given.stake, withSignal(given.signal));
  const place = await stakingPlace(context, given, claimForesight(named));
  return await makeOne(place, { kind: "stake_claim", body: { of: stakeOf(named) } }, given);
}

/** Stops a delegation earning. */
export async function undelegate(context: Context, given: OwnDelegation): Promise<Outcome> {
  const { delegation: named } = given;
  const { id } = await findObject(context, "delegation", named, withSignal(given.signal));
  const place = await stakingPlace(context, given, undelegationForesight(id));
  return await makeOne(place, { kind: "stake_undelegate", body: { delegation: id } }, given);
}

/** Withdraws stake that unbonded. */
export async function withdrawStake(context: Context, given: OwnStake): Promise<Outcome> {
  const named = await stakeNamed(context, given.stake, withSignal(given.signal));
  const place = await stakingPlace(context, given, withdrawalForesight(named));
  return await makeOne(place, { kind: "stake_withdraw", body: { of: stakeOf(named) } }, given);
}

/** Registers a validator: its key signs its consent for the very slot that is taken. */
export async function registerValidator(context: Context, given: NewValidator): Promise<Outcome> {
  const { seed, stake, commission = 0 } = given;
  const facts = await chainFacts(context, given.signal);
  const { registrationDigest, validatorId } = await import("#internal/ledger/mod.ts");
  const backend = await context.keys.backend(facts.scheme);
  const keys = await backend.keysFromSeed(seed);
  const foresight = registrationForesight(validatorId(keys.publicKey), stake);
  const place = await stakingPlace(context, given, foresight);
  const action = {
    kind: "stake_register",
    bodyAt: async (slot: { readonly account: string; readonly sequence: bigint }) => {
      const digest = registrationDigest({ chain: facts.chain, ...slot });
      const consent = await backend.sign(keys, digest, context.random);
      return { key: keys.publicKey, stake, commission, consent };
    },
  };
  return await makeOne(place, action, given);
}

/** Changes a validator's commission. */
export async function setCommission(
  context: Context,
  given: OwnValidator & { readonly commission: number },
): Promise<Outcome> {
  const { validator: named, commission } = given;
  const validator = await validatorNamed(context, named, withSignal(given.signal));
  const place = await stakingPlace(context, given, commissionForesight(validator));
  return await makeOne(place, { kind: "stake_commission", body: { validator, commission } }, given);
}

/** Takes a validator out. */
export async function leave(context: Context, given: OwnValidator): Promise<Outcome> {
  const { validator: named } = given;
  const validator = await validatorNamed(context, named, withSignal(given.signal));
  const place = await stakingPlace(context, given, leavingForesight(validator));
  return await makeOne(place, { kind: "stake_leave", body: { validator } }, given);
}

/** Shows the ledger whom the node saw contradict itself: a transaction for each that it was not shown before. */
export async function report(
  context: Context,
  given: Foreseeing & { readonly wallet: string },
): Promise<readonly Outcome[]> {
  await checkPinned(context, given.signal);
  const options = withSignal(given.signal);
  const news = given.foresee === true
    ? (await readAccused(context, options)).map(({ accusation }) => accusation)
    : await readAccusations(context, options);
  const actions = news.map((each) => ({ kind: "evidence", body: each }));
  return await transact(context, { ...given, actions });
}

/** Whom the node saw contradict itself, and what it keeps of that. */
async function readAccusations(
  context: Context,
  options: Abortable,
): Promise<readonly Accusation[]> {
  const { accusations } = await context.rpc.accusations({}, options);
  const { accusationCodec } = await proofsUnit();
  return accusations.map((bytes): Accusation => {
    try {
      return decode(accusationCodec, fromHex(bytes));
    } catch (cause) {
      throw noNode(context.node, cause);
    }
  });
}

/** Those of them that the ledger has not slashed for it. */
export async function readAccused(
  context: Context,
  options: Abortable = {},
): Promise<readonly (Accused & { readonly accusation: Accusation })[]> {
  const known = await readAccusations(context, options);
  const { sessionAccused, validatorId } = await proofsUnit();
  const all = await Promise.all(known.map(async (accusation) => {
    const session = sessionAccused(accusation);
    const id = await validatorNamed(context, validatorId(accusation.key), options);
    const { object } = await findObject(context, "validator", id, options);
    const slashed = object["slashed_sessions"];
    const isOver = Array.isArray(slashed) && slashed.some((each) => Number(each) === session);
    return isOver ? [] : [{ validator: id, session, accusation }];
  }));
  return all.flat();
}
