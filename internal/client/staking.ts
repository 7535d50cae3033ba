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
import type { DelegationView, PoolView } from "#internal/rpc/mod.ts";
import { MAX_PAGE } from "#internal/rpc/mod.ts";
import { accountNamed, knownNames } from "./accounts.ts";
import { chainFacts, checkPinned } from "./chain_facts.ts";
import type { Context } from "./context.ts";
import { withSignal } from "./context.ts";
import { badArgument, noNode, notFound } from "./errors.ts";
import { exact } from "./exact.ts";
import { findObject, listObjects } from "./objects.ts";
import type { Abortable, Outcome, SignOptions } from "./outcome_types.ts";
import { transact } from "./payments.ts";
import type {
  NewDelegation,
  NewValidator,
  OwnDelegation,
  OwnStake,
  OwnValidator,
  Pools,
  PoolValue,
  StakeShown,
} from "./staking_types.ts";
import { makeOne, signingPlace, transactOne } from "./transact.ts";

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
  const found: DelegationView[] = [];
  let epoch = 0;
  let after: string | undefined;
  do {
    const page = await context.rpc.delegations({
      account,
      limit: MAX_PAGE,
      ...(after === undefined ? {} : { after }),
    }, options);
    found.push(...page.delegations);
    epoch = page.epoch;
    after = page.next;
  } while (after !== undefined);
  return { account, delegations: found.map(delegationValue), epoch };
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
async function stakeNamed(context: Context, text: string, options: Abortable) {
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
  if (delegation !== undefined) return { kind: "delegation", body: { delegation } };
  if (validator !== undefined) return { kind: "validator", body: { validator } };
  throw notFound(
    `the ledger has no delegation or validator ${quoteOddWord(text)}: \`sion stake show\` and ` +
      "`sion stake pools` show those there are",
  );
}

/** Delegates to a validator's pool. */
export async function delegate(context: Context, given: NewDelegation): Promise<Outcome> {
  const { validator: named, amount } = given;
  const validator = await validatorNamed(context, named, withSignal(given.signal));
  return await transactOne(context, given, {
    kind: "stake_delegate",
    body: { validator, amount },
  });
}

/** Collects rewards. */
export async function claimRewards(context: Context, given: OwnStake): Promise<Outcome> {
  const { stake } = given;
  const of = await stakeNamed(context, stake, withSignal(given.signal));
  return await transactOne(context, given, { kind: "stake_claim", body: { of } });
}

/** Stops a delegation earning. */
export async function undelegate(context: Context, given: OwnDelegation): Promise<Outcome> {
  const { delegation: named } = given;
  const { id } = await findObject(context, "delegation", named, withSignal(given.signal));
  return await transactOne(context, given, {
    kind: "stake_undelegate",
    body: { delegation: id },
  });
}

/** Withdraws stake that unbonded. */
export async function withdrawStake(context: Context, given: OwnStake): Promise<Outcome> {
  const { stake } = given;
  const of = await stakeNamed(context, stake, withSignal(given.signal));
  return await transactOne(context, given, { kind: "stake_withdraw", body: { of } });
}

/** Registers a validator: its key signs its consent for the very slot that is taken. */
export async function registerValidator(context: Context, given: NewValidator): Promise<Outcome> {
  const { wallet, seed, stake, commission = 0 } = given;
  const facts = await chainFacts(context, given.signal);
  const place = await signingPlace(context, facts, wallet, given);
  const { registrationDigest } = await import("#internal/ledger/mod.ts");
  const backend = await context.keys.backend(facts.scheme);
  const keys = await backend.keysFromSeed(seed);
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
  return await transactOne(context, given, {
    kind: "stake_commission",
    body: { validator, commission },
  });
}

/** Takes a validator out. */
export async function leave(context: Context, given: OwnValidator): Promise<Outcome> {
  const { validator: named } = given;
  const validator = await validatorNamed(context, named, withSignal(given.signal));
  return await transactOne(context, given, { kind: "stake_leave", body: { validator } });
}

/** Shows the ledger whom the node saw equivocate: a transaction for each. */
export async function report(
  context: Context,
  given: SignOptions & { readonly wallet: string },
): Promise<readonly Outcome[]> {
  await checkPinned(context, given.signal);
  const { accusations } = await context.rpc.accusations({}, withSignal(given.signal));
  const { accusationCodec, evidenceOf } = await import("#internal/proofs/mod.ts");
  const actions = accusations.map((bytes) => {
    try {
      return { kind: "evidence", body: evidenceOf(decode(accusationCodec, fromHex(bytes))) };
    } catch (cause) {
      throw noNode(context.node, cause);
    }
  });
  return await transact(context, { ...given, actions });
}
