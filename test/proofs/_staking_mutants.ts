/** Broken rules of stack B about validators and stake. */
import type { Mutant } from "./_mutants.ts";

const GONE = "status === STATUS.left && stake === 0n && pool.shares === 0n";

/** Keys, and the committees that a session's end comes to. */
export const VALIDATOR_MUTANTS: readonly Mutant[] = [
  ["who acts for a validator", "stake.ts", "validator.operator === context.account", "true"],
  ["names of validators", "stake.ts", "known === null", "true"],
  ["keys of those who left", "kinds/rotate_key.ts", "validator.status === STATUS.left", "false"],
  ["who comes back", "kinds/rotate_key.ts", "validator.status === STATUS.slashed", "false"],
  ["one change at a time", "kinds/rotate_key.ts", "validator.next !== null", "false"],
  ["keys that were another's", "kinds/rotate_key.ts", 'context.find("validator_key", to)', "null"],
  ["first keys", "kinds/rotate_key.ts", 'context.find("validator", to)', "null"],
  ["the end of the session", "kinds/rotate_key.ts", "context.endSession()", "0"],
  ["the notice", "kinds/rotate_key.ts", "context.pulse + NOTICE", "context.pulse"],
  [
    "the key's note",
    "kinds/rotate_key.ts",
    "{ validator: name }",
    "{ validator: to }",
  ],
  ["keys that change", "validators.ts", "found.next.key", "found.key"],
  ["those who left", "validators.ts", "status === STATUS.active", "status !== 2 && status !== 3"],
  ["those who join", "validators.ts", "status === STATUS.active", "status === 0 || status === 2"],
  ["those slashed", "validators.ts", "status === STATUS.active", "status === 0 || status === 3"],
  ["members without stake", "validators.ts", "stake > 0n", "true"],
  ["the size of a committee", "validators.ts", "before.length < MOST", "true"],
  ["of equal stakes", "validators.ts", "at < place", "at > place"],
  ["the most stake", "validators.ts", "other.stake > one.stake", "other.stake < one.stake"],
  ["an empty committee", "validators.ts", "next.length > 0", "true"],
  [
    "the committee before",
    "validators.ts",
    "{ registered, committee, before: set.committee }",
    "{ registered, committee, before: set.before }",
  ],
  ["stake that gives weight", "validators.ts", "countedStake(validator)", "validator.stake"],
  ["who is taken out", "validators.ts", GONE, "false"],
  ["who is left in for its stake", "validators.ts", GONE, "status === 1 && pool.shares === 0n"],
  ["who is left in for its pool", "validators.ts", GONE, "status === 1 && stake === 0n"],
  ["an epoch's end", "validators.ts", "endEpoch(state, set, pulse)", "0"],
];

const PART = "pool.stake * shares / pool.shares";
const BONDED = "stake + partOf(pool, pool.pending + pool.earning)";
const COUNTED = "stake + partOf(pool, pool.earning)";
const STANDING = "status === STATUS.active || status === STATUS.joining";
const OWED = "shares * (pool.perShare - since) / SHARE_UNIT";
const MARK = 'context.get("reward_mark", markId(validator, epoch)).perShare';

const OF_SUMS: readonly Mutant[] = [
  ["where marks are", "stake.ts", '"sion/reward-mark/v1"', '"sion/mark/v1"'],
  ["the rounding of parts", "stake.ts", PART, `(${PART} + 1n)`],
  ["parts of a pool", "stake.ts", PART, "shares"],
  ["pools that count", "stake.ts", COUNTED, "stake"],
  ["what counts of a pool", "stake.ts", COUNTED, "stake + pool.stake"],
  ["pending stake that is bonded", "stake.ts", BONDED, "stake + partOf(pool, pool.earning)"],
  ["earning stake that is bonded", "stake.ts", BONDED, "stake + partOf(pool, pool.pending)"],
  ["unbonding stake that is bonded", "stake.ts", BONDED, "stake + pool.stake"],
  ["those who join as bonded", "stake.ts", STANDING, "status === 0"],
  ["the slashed as bonded", "stake.ts", STANDING, "status !== 1"],
  [
    "who is counted as active",
    "stake.ts",
    "({ status }) => status === STATUS.active",
    "isStanding",
  ],
  ["stake that comes", "stake.ts", "bonded + bondedStake(after)", "bonded"],
  ["stake that goes", "stake.ts", "before === null ? 0n : bondedStake(before)", "0n"],
  ["whose delegation", "stake.ts", "delegation.owner === context.account", "true"],
  [
    "when delegations earn",
    "stake.ts",
    "staking.epoch > delegation.epoch",
    "staking.epoch >= delegation.epoch",
  ],
  ["the rounding of rewards", "stake.ts", OWED, `(${OWED} + 1n)`],
  ["marks of rewards", "stake.ts", `paid ?? ${MARK}`, "paid ?? 0n"],
  ["rewards since the mark", "stake.ts", `paid ?? ${MARK}`, MARK],
  ["the treasury", "stake.ts", "asset.treasury + amount", "asset.treasury"],
  ["when stake is free", "stake.ts", "context.pulse < due", "context.pulse <= due"],
];

const SHARE = "usd.fees * (weights[at] as bigint) / total";
const KEPT = "{ ...usd, fees: 0n, treasury: usd.treasury + usd.fees - shared }";
const OF_POOL = "reward * earning / (stake + earning)";
const COMMISSION = "(ofPool * BigInt(validator.commission) + whole - 1n) / whole";
const PER_SHARE = "pool.perShare + net * SHARE_UNIT / pool.earning";
const NEXT_END = "(pulse / length + 1n) * length";
const MARKED = "{ validator: id, epoch: sums.epoch, perShare, pulse }";

const OF_EPOCHS: readonly Mutant[] = [
  ["weights of four", "epoch.ts", "stakes.length < CUT_FROM", "stakes.length <= CUT_FROM"],
  ["weights of three", "epoch.ts", "stakes.length < CUT_FROM", "stakes.length < CUT_FROM - 1"],
  [
    "a third of the weight",
    "epoch.ts",
    "3n * tried < sumOf(cutTo(tried))",
    "3n * tried <= sumOf(cutTo(tried))",
  ],
  ["when an epoch ends", "epoch.ts", "pulse < due", "pulse <= due"],
  ["epochs that end early", "epoch.ts", "pulse < due", "false"],
  ["the next epoch's end", "epoch.ts", NEXT_END, "pulse + length"],
  ["an epoch that was passed over", "epoch.ts", NEXT_END, "due + length"],
  ["the number of an epoch", "epoch.ts", "staking.epoch + 1n", "staking.epoch"],
  ["fees that are shared", "epoch.ts", "shareFees(state, set)", "0"],
  ["who has rewards", "epoch.ts", "validator.status !== STATUS.active", "false"],
  [
    "rewards by weight",
    "epoch.ts",
    SHARE,
    "usd.fees * (committee[at]?.stake ?? 0n) / sumOf(committee.map(({ stake }) => stake))",
  ],
  ["fees not shared", "epoch.ts", KEPT, "{ ...usd, fees: 0n }"],
  [
    "fees that are gone",
    "epoch.ts",
    KEPT,
    "{ ...usd, treasury: usd.treasury + usd.fees - shared }",
  ],
  ["what the pool has", "epoch.ts", OF_POOL, "reward * pool.stake / (stake + pool.stake)"],
  ["the rounding of commissions", "epoch.ts", COMMISSION, COMMISSION.replace(" + whole - 1n", "")],
  ["commissions", "epoch.ts", COMMISSION, "0n"],
  [
    "who has the commission",
    "epoch.ts",
    "validator.earned + reward - net",
    "validator.earned + reward - ofPool",
  ],
  ["what a share has", "epoch.ts", PER_SHARE, PER_SHARE.replace("earning", "shares")],
  ["the rounding of shares", "epoch.ts", PER_SHARE, `${PER_SHARE} + 1n`],
  ["rewards that are kept for", "epoch.ts", "pool.rewards + net", "pool.rewards"],
  ["pools that need a mark", "epoch.ts", "pending !== 0n", "true"],
  ["marks of an epoch", "epoch.ts", MARKED, MARKED.replace("sums.epoch", "sums.epoch + 1n")],
  ["what a mark says", "epoch.ts", MARKED, MARKED.replace("perShare", "perShare: 0n")],
  [
    "who joins",
    "epoch.ts",
    "status === STATUS.joining ? STATUS.active : status",
    "status",
  ],
  [
    "commissions to come",
    "epoch.ts",
    "before.nextCommission ?? before.commission",
    "before.commission",
  ],
  ["shares that earn", "epoch.ts", "pool.earning + pending", "pool.earning"],
  ["sums over those who join", "epoch.ts", "withChange(sums, before, after)", "sums"],
];

const REGISTER = "kinds/stake_register.ts";
const LEAVE = "kinds/stake_leave.ts";
const DELEGATE = "kinds/stake_delegate.ts";
const CLAIM = "kinds/stake_claim.ts";
const UNDELEGATE = "kinds/stake_undelegate.ts";
const WITHDRAW = "kinds/stake_withdraw.ts";
const CAP = "BigInt(sums.validators) * bondedStake(after) > 2n * sums.bonded";
const NEW_SHARES = "pool.shares === 0n ? amount : amount * pool.shares / pool.stake";
const LAST = "isActive && active === 1";
const DUE = "context.pulse + UNBONDING + NOTICE";
const UNTIL = "earns ? staking.epochEnd ?? pulse : pulse";
const REST = "earning === 0n ? 0n : rest";

const OF_KINDS: readonly Mutant[] = [
  ["the least own stake", REGISTER, "stake < LEAST", "stake <= LEAST"],
  ["too little own stake", REGISTER, "stake < LEAST", "false"],
  [
    "many validators",
    REGISTER,
    "set.registered.length >= MOST",
    "set.registered.length >= MOST - 1",
  ],
  ["too many validators", REGISTER, "set.registered.length >= MOST", "false"],
  ["known first keys", REGISTER, 'context.find("validator", id)', "null"],
  ["other known keys", REGISTER, 'context.find("validator_key", id)', "null"],
  ["what is at stake", REGISTER, "context.take(USD, stake)", "0"],
  ["the place in the set", REGISTER, "[...set.registered, id]", "[id, ...set.registered]"],
  ["sums with the new", REGISTER, "withChange(staking, null, validator)", "staking"],
  ["the new join", REGISTER, "STATUS.joining", "STATUS.active"],
  ["who has a commission", "kinds/stake_commission.ts", "!isStanding(named.validator)", "false"],
  [
    "when a commission counts",
    "kinds/stake_commission.ts",
    "{ ...named.validator, nextCommission: commission }",
    "{ ...named.validator, commission }",
  ],
  ["leaving twice", LEAVE, "status === STATUS.left", "false"],
  ["the last to leave", LEAVE, LAST, "false"],
  ["others who leave when one is active", LEAVE, LAST, "active === 1"],
  ["when own stake is due", LEAVE, DUE, "context.pulse + UNBONDING"],
  ["sessions of those who leave", LEAVE, "context.endSession()", "0"],
  ["the least delegation", DELEGATE, "amount < ONE_USD", "amount <= ONE_USD"],
  ["too small a delegation", DELEGATE, "amount < ONE_USD", "false"],
  ["who takes stake", DELEGATE, "!isStanding(before)", "false"],
  ["shares of a slashed pool", DELEGATE, NEW_SHARES, "amount"],
  ["the rounding of new shares", DELEGATE, NEW_SHARES, `${NEW_SHARES} + 1n`],
  ["shares beyond 64 bits", DELEGATE, "pool.shares + shares > MAX_U64", "false"],
  ["the cap of a validator", DELEGATE, CAP, "false"],
  ["stake up to the cap", DELEGATE, CAP, CAP.replace(">", ">=")],
  ["the cap among the active", DELEGATE, CAP, CAP.replace("validators", "active")],
  ["the cap before", DELEGATE, CAP, CAP.replace("2n * sums", "2n * staking")],
  ["what is delegated", DELEGATE, "context.take(USD, amount)", "0"],
  ["stake in the pool", DELEGATE, "pool.stake + amount", "pool.stake + shares"],
  ["pending shares", DELEGATE, "pool.pending + shares", "pool.pending"],
  ["rewards of the unbonding", CLAIM, "delegation.unbonding !== null", "false"],
  ["rewards of the pending", CLAIM, "!isEarning(delegation, staking)", "false"],
  ["no rewards", CLAIM, "amount === 0n", "false"],
  ["no earnings", CLAIM, "earned === 0n", "false"],
  ["rewards that were paid", CLAIM, "pool.rewards - amount", "pool.rewards"],
  ["up to where was paid", CLAIM, "{ ...delegation, paid: pool.perShare }", "delegation"],
  ["who has rewards", CLAIM, "context.credit(owner, USD, amount)", "0"],
  ["earnings that were paid", CLAIM, "{ ...validator, earned: 0n }", "validator"],
  ["undelegating twice", UNDELEGATE, "before.unbonding !== null", "false"],
  ["pending shares that go", UNDELEGATE, "behind.pool.pending - shares", "behind.pool.pending"],
  ["earning shares that go", UNDELEGATE, "pool.earning - delegation.shares", "pool.earning"],
  ["rewards of 0", UNDELEGATE, "rewards > 0n", "true"],
  ["rewards of who goes", UNDELEGATE, "rewards > 0n", "false"],
  ["how long what earned is unbonding", UNDELEGATE, UNTIL, "pulse"],
  ["how long what did not is", UNDELEGATE, UNTIL, "staking.epochEnd ?? pulse"],
  ["what nobody is owed", UNDELEGATE, REST, "rest"],
  ["what others are owed", UNDELEGATE, REST, "0n"],
  ["withdrawing twice", WITHDRAW, "shares === 0n", "false"],
  ["what shares come to", WITHDRAW, "partOf(pool, shares)", "shares"],
  ["stake that is left", WITHDRAW, "pool.stake - amount", "pool.stake"],
  ["shares that are left", WITHDRAW, "pool.shares - shares", "pool.shares"],
  ["own stake of who stays", WITHDRAW, "status !== STATUS.left", "false"],
  ["own stake that is due", WITHDRAW, "due ?? context.pulse", "context.pulse"],
  ["no own stake", WITHDRAW, "amount === 0n", "false"],
  ["own stake that was withdrawn", WITHDRAW, "{ ...validator, stake: 0n }", "validator"],
];

const EVIDENCE = "kinds/evidence.ts";
const SHOWN = "evidence.ts";
const NOTHING = "before.stake === 0n && before.pool.stake === 0n";
const END = "nothing || before.slashed.length >= MOST";
const TENTH = "(amount + 9n) / 10n";
const BOUND = "4n * earlier.validUntil - 3n";
const SLOT = "one.account === account && one.sequence === sequence";

const OF_EVIDENCE: readonly Mutant[] = [
  ["slashing twice for a session", EVIDENCE, "before.slashed.includes(session)", "false"],
  ["slashing once", EVIDENCE, "before.slashed.includes(session)", "before.slashed.length > 0"],
  ["slashing of nothing", EVIDENCE, NOTHING, "false"],
  ["slashing of a pool", EVIDENCE, NOTHING, "before.stake === 0n"],
  ["slashing of own stake", EVIDENCE, NOTHING, "before.pool.stake === 0n"],
  ["many slashings", EVIDENCE, END, "nothing || before.slashed.length >= MOST - 1"],
  ["too many slashings", EVIDENCE, END, "nothing"],
  ["a tenth", EVIDENCE, TENTH, "amount / 10n"],
  ["who is slashed from now on", EVIDENCE, "isStanding(before)", "before.status === 0"],
  ["who left and is slashed", EVIDENCE, "isStanding(before)", "true"],
  [
    "the order of slashings",
    EVIDENCE,
    "[...before.slashed, session]",
    "[session, ...before.slashed]",
  ],
  ["sessions of the slashed", EVIDENCE, "before.status === STATUS.active", "false"],
  ["sessions of others slashed", EVIDENCE, "before.status === STATUS.active", "true"],
  ["what the treasury gets", EVIDENCE, "usd.treasury + own + pool", "usd.treasury + own"],
  ["the same slot", EVIDENCE, "hasSlot(later, account, sequence)", "true"],
  ["the slot that was stopped", EVIDENCE, "hasSlot(confirmed, account, sequence)", "true"],
  ["whose slot", EVIDENCE, SLOT, "one.sequence === sequence"],
  ["which slot", EVIDENCE, SLOT, "one.account === account"],
  ["before the bound", EVIDENCE, "BigInt(second.header.round) >= bound", "false"],
  [
    "at the bound",
    EVIDENCE,
    "BigInt(second.header.round) >= bound",
    "BigInt(second.header.round) > bound",
  ],
  ["whose bound", EVIDENCE, BOUND, "4n * later.validUntil - 3n"],
];

const FORM = "a stake's form: ";
const VOTE = 'offence.kind === "votes" ? "vote" : "confirm"';

const OF_FORMS: readonly Mutant[] = [
  [`${FORM}no key`, REGISTER, "key.length === 0", "false"],
  [`${FORM}no own stake`, REGISTER, "stake === 0n", "false"],
  [`${FORM}commissions`, "stake.ts", "commission > WHOLE", "false"],
  [`${FORM}all as a commission`, "stake.ts", "commission > WHOLE", "commission >= WHOLE"],
  [`${FORM}no amount`, DELEGATE, "amount === 0n", "false"],
  [`${FORM}nobody's key`, EVIDENCE, "key.length === 0", "false"],
  [`${FORM}sessions`, SHOWN, "one.header.session !== other.header.session", "false"],
  [`${FORM}rounds of blocks`, SHOWN, "first.round !== second.round", "false"],
  [
    `${FORM}rounds of blocks in order`,
    SHOWN,
    "first.round !== second.round",
    "first.round < second.round",
  ],
  [`${FORM}one block`, SHOWN, "equalBytes(one as Uint8Array, other as Uint8Array)", "false"],
  [`${FORM}rounds of statements`, SHOWN, "first.round > second.round", "false"],
  [
    `${FORM}statements in one round`,
    SHOWN,
    "first.round > second.round",
    "!(first.round < second.round)",
  ],
  [`${FORM}one unit`, SHOWN, "unitDigest(firstUnit) === unitDigest(secondUnit)", "false"],
  [`${FORM}rounds of a stop`, SHOWN, "first.round >= second.round", "false"],
  [
    `${FORM}a stop in one round`,
    SHOWN,
    "first.round >= second.round",
    "!(first.round <= second.round)",
  ],
  [
    `${FORM}what a stop names`,
    SHOWN,
    "unitDigest(offence.body.unit) === offence.body.named",
    "false",
  ],
  [
    `${FORM}one header of a Pulse`,
    SHOWN,
    "offence.body.firstHeader === offence.body.secondHeader",
    "false",
  ],
  [`${FORM}votes for confirmations`, SHOWN, VOTE, '"vote"'],
  [`${FORM}confirmations for votes`, SHOWN, VOTE, '"confirm"'],
  [
    `${FORM}statements that are shown`,
    SHOWN,
    "statementsIn(offence).every(isShown)",
    "statementsIn(offence).some(isShown)",
  ],
  [`${FORM}places beyond the last`, "log.ts", "place.index >= place.count", "false"],
];

/** Stake: its sums, the epoch's end, its kinds, evidence. */
export const STAKING_MUTANTS: readonly Mutant[] = [
  ...OF_SUMS,
  ...OF_EPOCHS,
  ...OF_KINDS,
  ...OF_EVIDENCE,
  ...OF_FORMS,
];
