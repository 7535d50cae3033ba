import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { executeByStackB, WorldInput, WorldOutput } from "#internal/proofs/mod.ts";
import fc from "fast-check";
import { decodeUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import { bodies, unitAround } from "./_bodies.ts";
import { CLAIM_MUTANTS } from "./_claim_mutants.ts";
import type { Mutant, Mutated } from "./_mutants.ts";
import { plantMutants } from "./_mutants.ts";
import { TASK_MUTANTS } from "./_task_mutants.ts";
import { misshapenCommits, unitOfCommit } from "./_misshapen.ts";
import { SPAWN_MUTANTS } from "./_spawn_mutants.ts";
import { misshapenStakes, shapelyStakes } from "./_misshapen_stakes.ts";
import { STAKING_MUTANTS, VALIDATOR_MUTANTS } from "./_staking_mutants.ts";
import { tellOfSpawns } from "./_spawn_stories.ts";
import { STORAGE_MUTANTS } from "./_storage_mutants.ts";
import { tell } from "./_stories.ts";
import type { Execute } from "./_story.ts";
import { executeByBoth } from "./_two_stacks.ts";
import { tellOfUnbonding } from "./_unbonding_stories.ts";

const FEE = "MEMBER_FEE + (signatures + members - 1n) / members";
const BEYOND = "alone && session !== null && call !== null ? NAMED_RECEIPT_FEE : 0n";
const OUTCOME = 'member.kind.fixes(member.body) === "outcome"';
const FULL = "{ level: bucket.capacity, carry: 0n, atMs: nowMs }";
const REVOKED = "identity.revoked !== null";
const SUSPENDED = "identity.suspensions.length > 0";
const FIXES = 'agent === null ? "outcome" : "execution"';
const EMPTY_HULL = "AXES.some((axis) => min[axis] >= max[axis])";
const IN_ORDER = "compareBytes(utf8(before), utf8(after)) < 0";
const GROWS = "to.size <= from.size && !(seal && same)";
const LENGTH = 'proof.length === length ? null : "a proof of growth is too short or too long"';
const NOTED = "older <= left ? noted(older, left) : noted(older - left, newer - left)";
const FORM = "a memory_commit's form: ";

const MUTANTS: readonly Mutant[] = [
  ["a member's fee", "unit.ts", FEE, `1n + ${FEE}`],
  ["the fee's rounding", "unit.ts", FEE, "MEMBER_FEE + signatures / members"],
  ["a void slot's fee", "execute.ts", "consume(state, slot, VOID_FEE)", "consume(state, slot, 0n)"],
  ["fees beyond the floor", "kinds/agent_pay.ts", BEYOND, "0n"],
  ["what is beyond in a batch", "kinds/agent_pay.ts", BEYOND, BEYOND.replace("alone && ", "")],
  ["the fee that has to be there", "execute.ts", "taken < floor || left < beyond", "taken < floor"],
  [
    "what a failure costs",
    "execute.ts",
    "balance < fee ? balance : fee",
    "balance < fee ? 0n : fee",
  ],
  ["the slot consumed", "execute.ts", "account.sequence + 1n", "account.sequence + 2n"],
  ["where fees go", "execute.ts", "usd.body.fees + fees", "usd.body.fees"],
  ["lanes that wait", "execute.ts", "!accounts.some((account) => waiting.has(account))", "true"],
  ["what certificates fix", "execute.ts", OUTCOME, `(${OUTCOME} || member.kind.tag === 17)`],
  ["a void slot's digest", "execute.ts", '"sion/void/v1"', '"sion/slot/v1"'],
  [
    "what a leaf lists",
    "leaves.ts",
    "here(one.account)",
    "here(one.account) && one.made.length > 0",
  ],
  ["whose credits a leaf has", "leaves.ts", "here(credit.from)", "here(credit.account)"],
  ["where accounts are kept", "objects.ts", "hash.slice(4)", "hash.slice(0, 60)"],
  ["what is taken", "context.ts", "withBalance(account, asset, -amount)", "account"],
  ["the log of claims", "context.ts", "effects.claims.push(id)", "0"],
  ["what a memo's payment takes", "kinds/pay_memo.ts", "context.take(asset, amount)", "0"],
  ["whom it credits", "kinds/pay_memo.ts", "context.credit(payee, asset, amount)", "0"],
  ["its amount", "kinds/pay_memo.ts", "body.amount === 0n", "false"],
  [
    "its memo",
    "kinds/pay_memo.ts",
    "{ asset, memo, outputs: [[payee, amount]] }",
    "{ asset, memo: asset, outputs: [[payee, amount]] }",
  ],
  ["the faucet's leave", "kinds/faucet.ts", "!asset.faucetAllowed", "false"],
  ["the faucet's bound", "kinds/faucet.ts", "asset.genesis + minted > MAX_U64", "false"],
  ["the depth of agents", "kinds/agent_register.ts", "parent.depth >= MAX_DEPTH", "false"],
  ["an agent's account", "kinds/agent_register.ts", "account === principal", "false"],
  ["accounts above", "kinds/agent_register.ts", "identity.account === account", "false"],
  ["a keyless salt", "kinds/agent_register.ts", "idBytes(made)", "idBytes(context.digest)"],
  ["who is the person", "standing.ts", "agent.identity.principal === context.account", "false"],
  ["who acts for an agent", "standing.ts", "agent?.identity.account !== context.account", "false"],
  ["standing of who acts", "standing.ts", "checkGood(above.slice(steps))", "0"],
  ["standing of those above", "standing.ts", SUSPENDED, `steps === 0 && ${SUSPENDED}`],
  ["what is graver", "standing.ts", REVOKED, `${REVOKED} && identity.suspensions.length === 0`],
  ["what is lifted", "kinds/agent_resume.ts", "one.level < level", "one.level <= level"],
  ["what is left", "kinds/agent_resume.ts", "suspensions.length > 0", "suspensions.length > 1"],
  ["resuming the revoked", "kinds/agent_resume.ts", REVOKED, "false"],
  ["levels", "kinds/agent_suspend.ts", "one.level === level", "one.level > level"],
  ["suspending the revoked", "kinds/agent_suspend.ts", REVOKED, "false"],
  ["revoking once", "kinds/agent_revoke.ts", REVOKED, "false"],
  [
    "charters of the revoked",
    "kinds/charter_create.ts",
    REVOKED,
    `identity === line[0]?.identity && ${REVOKED}`,
  ],
  [
    "persons' charters",
    "kinds/charter_create.ts",
    "giver.agent === null && parent !== null",
    "false",
  ],
  [
    "agents' charters",
    "kinds/charter_create.ts",
    "giver.agent !== null && parent === null",
    "false",
  ],
  ["others' charters", "kinds/charter_create.ts", "parent.agent !== agent", "false"],
  ["ended charters above", "kinds/charter_create.ts", "parent.revoked !== null", "false"],
  [
    "charters born dead",
    "kinds/charter_create.ts",
    "caveats.expires !== null && caveats.expires < context.pulse",
    "caveats.expires !== null && caveats.expires <= context.pulse",
  ],
  ["a new bucket", "limits.ts", FULL, FULL.replace("bucket.capacity", "0n")],
  ["the carry", "limits.ts", "earned % bucket.periodMs", "0n"],
  ["the capacity", "limits.ts", "filled >= bucket.capacity", "filled > bucket.capacity + 5n"],
  ["the lesser limit", "limits.ts", "a < b ? a : b", "b"],
  ["payees of both", "limits.ts", "a.filter((payee) => b.includes(payee))", "a"],
  [
    "the slower refill",
    "limits.ts",
    "b.refill * a.periodMs < a.refill * b.periodMs",
    "b.refill < a.refill",
  ],
  [
    "equal refills",
    "limits.ts",
    "b.refill * a.periodMs < a.refill * b.periodMs",
    "b.refill * a.periodMs <= a.refill * b.periodMs",
  ],
  ["receipts asked by either", "limits.ts", "a.receipts || b.receipts", "a.receipts && b.receipts"],
  ["the carry over periods", "limits.ts", "before.periodMs === after.periodMs", "true"],
  ["the level that is cut", "limits.ts", "now.level >= after.capacity", "false"],
  [
    "narrowing in vain",
    "kinds/charter_narrow.ts",
    "equalBytes(before as Uint8Array, after as Uint8Array)",
    "false",
  ],
  ["narrowing the revoked", "kinds/charter_narrow.ts", "charter.revoked !== null", "false"],
  ["revoking a charter once", "kinds/charter_revoke.ts", "charter.revoked !== null", "false"],
  ["who adds", "kinds/allotment_fund.ts", "known.giver !== context.account", "false"],
  ["from where is added", "kinds/allotment_fund.ts", "known.source !== body.source", "false"],
  [
    "where money comes from",
    "kinds/allotment_fund.ts",
    "source.charter !== above",
    "false",
  ],
  [
    "what a source holds",
    "kinds/allotment_fund.ts",
    "source.balance < amount",
    "source.balance + 1n < amount",
  ],
  ["money of ended charters", "kinds/allotment_fund.ts", "charter.revoked !== null", "false"],
  ["who reclaims", "kinds/allotment_reclaim.ts", "level > giversLevel", "false"],
  [
    "what is reclaimed",
    "kinds/allotment_reclaim.ts",
    "amount > allotment.balance",
    "amount > allotment.balance + 1n",
  ],
  [
    "who gets it",
    "kinds/allotment_reclaim.ts",
    "context.credit(giver, allotment.asset, amount)",
    "context.credit(context.account, allotment.asset, amount)",
  ],
  [
    "who pays",
    "spending.ts",
    "agent.account !== context.account",
    "agent.principal === context.account",
  ],
  ["which allotment", "spending.ts", "allotment.charter !== spending.charter", "false"],
  ["standing of who pays", "spending.ts", "standing !== null", "false"],
  ["the charter's end", "spending.ts", "expires < pulse", "expires <= pulse"],
  ["revoked charters", "spending.ts", "charter.revoked !== null", "false"],
  ["the payees", "spending.ts", "!payees.includes(payee)", "false"],
  ["the limit of one payment", "spending.ts", "amount > maxPayment", "amount >= maxPayment"],
  ["what the bucket holds", "spending.ts", "amount > level.level", "amount >= level.level"],
  [
    "buckets above",
    "spending.ts",
    "level.level - amount",
    "id === spending.charter ? level.level - amount : level.level",
  ],
  ["what the allotment holds", "spending.ts", "allotment.balance < amount", "false"],
  [
    "receipts for those above",
    "spending.ts",
    "charters.some(({ charter }) => charter.caveats.receipts)",
    "first.caveats.receipts",
  ],
  ["what was spent", "spending.ts", "allotment.spent + amount", "allotment.spent"],
  ...SPAWN_MUTANTS,
  ...CLAIM_MUTANTS,
  ...TASK_MUTANTS,
  ...STORAGE_MUTANTS,
  ...VALIDATOR_MUTANTS,
  ...STAKING_MUTANTS,
  ["what opening a log costs", "kinds/memory_open.ts", "100n", "0n"],
  ["whose log is opened", "kinds/memory_open.ts", "agent !== null", "false"],
  ["when an agent's log is opened", "kinds/memory_open.ts", FIXES, '"outcome"'],
  ["when an agent's log grows", "kinds/memory_commit.ts", FIXES, '"outcome"'],
  ["the agent that commits", "kinds/memory_commit.ts", "agent !== null", "false"],
  ["whose log grows", "kinds/memory_commit.ts", "known.owner !== context.account", "false"],
  ["which agent's log grows", "kinds/memory_commit.ts", "known.agent !== agent", "false"],
  [
    "who has no log",
    "kinds/memory_commit.ts",
    'agent === null ? "the account" : `agent ${short(agent)}`',
    '"the account"',
  ],
  ["sealed logs", "kinds/memory_commit.ts", "known.sealed !== null", "false"],
  ["the size a log grows from", "kinds/memory_commit.ts", "known.size !== from.size", "false"],
  ["the root a log grows from", "kinds/memory_commit.ts", "known.root !== from.root", "false"],
  ["proofs of growth", "kinds/memory_commit.ts", "!showsGrowth(from, to, proof)", "false"],
  ["the count of commits", "kinds/memory_commit.ts", "known.head + 1n", "known.head"],
  ["when a log was sealed", "kinds/memory_commit.ts", "seal ? context.pulse : null", "null"],
  [
    "the last commit's Pulse",
    "kinds/memory_commit.ts",
    "{ size, root, head, committed: context.pulse }",
    "{ size, root, head }",
  ],
  ["what a commit adds", "kinds/memory_commit.ts", "size - from.size", "size"],
  ["the older head", "memory.ts", "toHex(hashOf(was)) === from.root", "true"],
  ["the newer head", "memory.ts", "toHex(hashOf(is)) === to.root", "true"],
  ["what the older tree has", "memory.ts", "parentOf(beside, was)", "was"],
  ["what the newer tree has", "memory.ts", "parentOf(beside, is)", "is"],
  ["how a log is split", "log.ts", "2n * left < size", "2n * left <= size"],
  ["sizes that are hashed", "memory.ts", "encode(u64, size)", "encode(u64, 1n)"],
  ["bounds that are hashed", "memory.ts", "encode(boundsCodec, bounds)", "encode(boundsCodec, [])"],
  ["pairs that are hashed", "memory.ts", '"sion/memory-pair/v1"', '"sion/memory/v1"'],
  ["the size of pairs", "memory.ts", "left.size + right.size", "left.size"],
  ["the bounds of pairs", "memory.ts", "joined(left.bounds, right.bounds)", "left.bounds"],
  ["the lower ends of hulls", "memory.ts", "one < other ? one : other", "one"],
  ["the upper ends of hulls", "memory.ts", "one > other ? one : other", "one"],
  ["hulls along x", "memory.ts", "pick(x, b.x)", "x"],
  ["hulls along y", "memory.ts", "pick(y, b.y)", "y"],
  ["hulls along z", "memory.ts", "pick(z, b.z)", "z"],
  ["hulls in time", "memory.ts", "pick(time, b.time)", "time"],
  ["hulls of one frame", "memory.ts", "known === undefined ? hull : over(known, hull)", "hull"],
  ["hulls of any frame", "memory.ts", "ofFrame.has(null)", "false"],
  ["five frames", "memory.ts", "ofFrame.size > MAX_HULLS", "false"],
  ["four frames", "memory.ts", "ofFrame.size > MAX_HULLS", "ofFrame.size >= MAX_HULLS"],
  [
    "the order of frames in pairs",
    "memory.ts",
    'inOrder(one.frame ?? "", other.frame ?? "") ? -1 : 1',
    '(one.frame ?? "") < (other.frame ?? "") ? -1 : 1',
  ],
  [`${FORM}hulls as thin as a plane`, "memory.ts", EMPTY_HULL, EMPTY_HULL.replace(">=", ">")],
  [`${FORM}hulls without time`, "memory.ts", EMPTY_HULL, EMPTY_HULL.replace("S", "S.slice(0, 3)")],
  [`${FORM}hulls turned over`, "memory.ts", EMPTY_HULL, EMPTY_HULL.replace(">=", "===")],
  [`${FORM}a hull of any frame`, "memory.ts", "hulls.length === 1", "true"],
  [`${FORM}frames twice, or nameless`, "memory.ts", IN_ORDER, IN_ORDER.replace("<", "<=")],
  [`${FORM}frames as JavaScript sorts`, "memory.ts", IN_ORDER, "before < after"],
  [`${FORM}frames in any order`, "memory.ts", "inOrder(before, frame)", "before !== frame"],
  [`${FORM}growth of nothing`, "kinds/memory_commit.ts", GROWS, "to.size < from.size"],
  [`${FORM}what seals`, "kinds/memory_commit.ts", GROWS, "to.size <= from.size && !same"],
  [`${FORM}what is sealed`, "kinds/memory_commit.ts", GROWS, "to.size <= from.size && !seal"],
  [
    `${FORM}sealing at once`,
    "kinds/memory_commit.ts",
    GROWS,
    "to.size <= from.size",
  ],
  [`${FORM}too many atoms`, "kinds/memory_commit.ts", "to.size > MAX_ATOMS", "false"],
  [
    `${FORM}as many atoms as can be`,
    "kinds/memory_commit.ts",
    "to.size > MAX_ATOMS",
    "to.size >= MAX_ATOMS",
  ],
  [`${FORM}short proofs`, "kinds/memory_commit.ts", LENGTH, LENGTH.replace("===", "<=")],
  [`${FORM}long proofs`, "kinds/memory_commit.ts", LENGTH, LENGTH.replace("===", ">=")],
  [`${FORM}nodes of a proof`, "memory.ts", NOTED, "noted(older > left ? left : older, left)"],
];

interface Case {
  readonly input: WorldInput;
  readonly output: WorldOutput;
}
const cases: Case[] = [];
let stackB: { executePulse: typeof executeByStackB };
/** The stack's decoder, and units with bodies at their bounds, some of which it refuses. */
let decoder: { decodeUnit: typeof decodeUnit };
interface Shaped {
  readonly bytes: Uint8Array;
  readonly refused: boolean;
}
const units: Shaped[] = [];
let mutated: Mutated;
/** The Pulses and units that come to what a mutant changes. */
let casesOf: (mutant: number) => readonly Case[];
let unitsOf: (mutant: number) => readonly Shaped[];

/** One copy of stack B in which any of the mutants can be switched on, and the stories' Pulses. */
beforeAll(async () => {
  mutated = await plantMutants("internal/proofs/world", "stack_b", MUTANTS);
  stackB = await mutated.load("stack_b/execute.ts") as typeof stackB;
  decoder = await mutated.load("stack_b/unit.ts") as typeof decoder;
  for (const body of fc.sample(bodies, { numRuns: 12_000, seed: 20_261_130 })) {
    const bytes = unitAround(body);
    units.push({ bytes, refused: isRefused(decodeUnit, bytes) });
  }
  for (const commit of misshapenCommits()) {
    units.push({ bytes: unitOfCommit(commit), refused: true });
  }
  const stakes = [[shapelyStakes(), false], [misshapenStakes(), true]] as const;
  for (
    const [body, refused] of stakes.flatMap(([all, refused]) =>
      all.map((one) => [one, refused] as const)
    )
  ) {
    units.push({ bytes: unitAround(body), refused });
  }
  const execute: Execute = (world, ordered, advanceMs, closesSession = false) => {
    const options = { advanceMs, closesSession, witness: "whole" } as const;
    const { differences, input, b } = executeByBoth(world, ordered, options);
    expect(differences).toEqual([]);
    cases.push({ input, output: b.output });
  };
  tell(execute);
  tellOfUnbonding(execute);
  cases.push(...await tellOfSpawns());
  casesOf = mutated.noticing(cases, ({ input }) => stackB.executePulse(input));
  unitsOf = mutated.noticing(units, ({ bytes }) => isRefused(decoder.decodeUnit, bytes));
}, 600_000);

afterAll(() => mutated[Symbol.dispose]());

function isRefused(decode: typeof decodeUnit, bytes: Uint8Array): boolean {
  try {
    decode(bytes);
    return false;
  } catch {
    return true;
  }
}

function plain(output: WorldOutput): string {
  const values = Object.values(output) as unknown[];
  return values.map((value) => value instanceof Uint8Array ? value.join() : String(value)).join(
    ";",
  );
}

/** Whether some unit is refused otherwise, or some Pulse comes out otherwise, or not at all. */
function isNoticed(mutant: number): boolean {
  mutated.choose(mutant);
  const [ofCases, ofUnits] = [casesOf(mutant), unitsOf(mutant)];
  // What is broken in a kind's own file shows in the bodies of few units, which are read at once.
  return MUTANTS[mutant]?.[1].startsWith("kinds/") === true
    ? isRefusedOtherwise(ofUnits) || isExecutedOtherwise(ofCases)
    : isExecutedOtherwise(ofCases) || isRefusedOtherwise(ofUnits);
}

function isRefusedOtherwise(some: readonly Shaped[]): boolean {
  const { decodeUnit: decode } = decoder;
  return some.some(({ bytes, refused }) => isRefused(decode, bytes) !== refused);
}

function isExecutedOtherwise(some: readonly Case[]): boolean {
  return some.some(({ input, output }) => {
    try {
      return plain(stackB.executePulse(input).output) !== plain(output);
    } catch {
      return true;
    }
  });
}

describe("a rule of stack B that is changed is noticed", () => {
  it("stack B as it is is noticed nowhere", () => {
    expect(cases.length).toBeGreaterThan(100);
    expect(units.filter(({ refused }) => !refused).length).toBeGreaterThan(800);
    mutated.choose(-1);
    expect(isExecutedOtherwise(cases)).toBe(false);
    expect(isRefusedOtherwise(units)).toBe(false);
  });

  it.each(MUTANTS.map(([what, file], index) => [what, file, index] as const))(
    "in %s (%s)",
    (_what, _file, index) => expect(isNoticed(index)).toBe(true),
  );
});
