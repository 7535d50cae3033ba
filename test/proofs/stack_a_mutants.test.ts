import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { createLedger, Ledger } from "#internal/ledger/mod.ts";
import { executeByStackA } from "#internal/proofs/mod.ts";
import type { WorldInput, WorldOutput } from "#internal/proofs/mod.ts";
import type { Mutant, Mutated } from "./_mutants.ts";
import { plantMutants } from "./_mutants.ts";
import { tellOfSpawns } from "./_spawn_stories.ts";
import { STAKING_RULES } from "./_staking_rules.ts";
import { tell } from "./_stories.ts";
import { executeByBoth } from "./_two_stacks.ts";

const FLOOR = "BASE_FEE + (SIGNATURE_FEE * BigInt(signatures) + n - 1n) / n";
const FIXED = 'fixedBy(kindNamed(kinds, kind), body) === "outcome"';
const LASTS = "pulse <= disputed.since + DISPUTE_PULSES";
const SPAWNED = "tx/spawn_agents.ts";
const GIVEN = "makeCharter(view, { agent, parent: charter, caveats: budget.caveats })";
const ALLOTTED = "makeAllotment(view, { charter: made, source, amount: budget.amount })";
const BEYOND =
  "unit.members.length === 1 && session !== null && call !== null ? NAMED_CALL_FEE : 0n";

/** Files of internal/ledger. What each breaks is a rule, not only how one is written down. */
const MUTANTS: readonly Mutant[] = [
  ["a member's fee", "fees.ts", FLOOR, `1n + ${FLOOR}`],
  ["the fee's rounding", "fees.ts", FLOOR, FLOOR.replace(" + n - 1n", "")],
  ["the share of signatures", "fees.ts", FLOOR, "BASE_FEE + SIGNATURE_FEE * BigInt(signatures)"],
  [
    "a void slot's fee",
    "pulse.ts",
    "this.#consume(account, sequence, VOID_FEE)",
    "this.#consume(account, sequence, 0n)",
  ],
  ["the slot consumed", "pulse.ts", "sequence + 1n", "sequence + 2n"],
  ["what a failure costs", "pulse.ts", "balance < fee ? balance : fee", "balance < fee ? 0n : fee"],
  ["what a memo's payment takes", "tx/pay_memo.ts", "view.debit(asset, amount)", "undefined"],
  [
    "whom a memo's payment pays",
    "tx/pay_memo.ts",
    "view.credit(payee, asset, amount)",
    "view.credit(view.actor, asset, amount)",
  ],
  [
    "the memo",
    "tx/pay_memo.ts",
    "{ asset, memo, outputs: [[payee, amount]] }",
    "{ asset, memo: payee, outputs: [[payee, amount]] }",
  ],
  ["where fees go", "pulse.ts", "asset.fees + this.#fees", "asset.fees"],
  ["fees beyond the floor", "tx/agent_pay.ts", BEYOND, "0n"],
  ["what is beyond in a batch", "tx/agent_pay.ts", BEYOND, BEYOND.replace(/^.*1 && /, "")],
  ["the order of the phases", "pulse.ts", "[...first, ...rest]", "[...rest, ...first]"],
  ["lanes that wait", "phases.ts", "!accounts.some((account) => past.has(account))", "true"],
  ["what certificates fix", "phases.ts", FIXED, `(${FIXED} || kind === "agent_suspend")`],
  ["where accounts are kept", "account_key.ts", "known.get(account)", "account"],
  [
    "the shards",
    "state.ts",
    "Number.parseInt(id.slice(0, 4), 16)",
    "Number.parseInt(id.slice(4, 8), 16)",
  ],
  ["the depth of agents", "tx/_new_agents.ts", "depth <= MAX_AGENT_DEPTH", "true"],
  ["an agent's account", "tx/_new_agents.ts", "account === principal", "false"],
  ["accounts above", "tx/_new_agents.ts", "value.account === account", "false"],
  [
    "levels of suspension",
    "tx/agent_suspend.ts",
    "suspension.level === level",
    "suspension.level > level",
  ],
  [
    "what is lifted",
    "tx/agent_resume.ts",
    "suspension.level < level",
    "suspension.level <= level",
  ],
  ["resuming the revoked", "tx/agent_resume.ts", "value.revoked === null", "true"],
  ["revoking once", "tx/agent_revoke.ts", "value.revoked === null", "true"],
  ["who is the person", "delegation.ts", "agent.value.principal === view.actor", "false"],
  ["the standing of agents", "delegation.ts", 'standing !== "good"', 'standing === "revoked"'],
  ["a refill", "bucket.ts", "bucket.level + earned / terms.periodMs", "bucket.level"],
  ["the carry", "bucket.ts", "earned % terms.periodMs", "0n"],
  ["the capacity", "bucket.ts", "level >= terms.capacity", "level > terms.capacity + 5n"],
  [
    "the slower refill",
    "bucket.ts",
    "a.refill * b.periodMs <= b.refill * a.periodMs",
    "a.refill <= b.refill",
  ],
  ["the carry over periods", "bucket.ts", "from.periodMs === to.periodMs", "true"],
  ["narrowing in vain", "tx/charter_narrow.ts", "!same(caveats, charter.caveats)", "true"],
  ["narrowing the revoked", "tx/charter_narrow.ts", "charter.revoked === null", "true"],
  ["revoking a charter once", "tx/charter_revoke.ts", "charter.revoked === null", "true"],
  ["who adds", "tx/allotment_fund.ts", "allotment.giver === view.actor", "true"],
  ["from where is added", "tx/allotment_fund.ts", "allotment.source === source", "true"],
  ["where money comes from", "tx/allotment_fund.ts", "from.charter === charter.parent", "true"],
  ["what a source holds", "tx/_new_agents.ts", "amount <= from.balance", "true"],
  [
    "who reclaims",
    "tx/allotment_reclaim.ts",
    "level <= giverLevel(line, allotment.giver)",
    "true",
  ],
  ["who pays", "tx/_budget.ts", "line[0].value.account === view.actor", "true"],
  ["which allotment", "tx/_budget.ts", "allotment.charter === spending.charter", "true"],
  ["the standing of who pays", "tx/_budget.ts", "standing === undefined", "true"],
  ["what the allotment holds", "tx/_budget.ts", "spending.amount <= allotment.balance", "true"],
  [
    "receipts for those above",
    "tx/_budget.ts",
    "chain.some(({ value }) => value.caveats.receipts)",
    "chain[0]?.value.caveats.receipts === true",
  ],
  ["keys of those who left", "tx/rotate_key.ts", 'status !== "left"', "true"],
  ["one change at a time", "tx/rotate_key.ts", "validator.next === null", "true"],
  ["the end of the session", "tx/rotate_key.ts", "view.endSession()", "0"],
  [
    "the notice",
    "tx/rotate_key.ts",
    "view.pulse + ROTATION_PULSES",
    "view.pulse",
  ],
  ["what was spent", "tx/_budget.ts", "allotment.spent + spending.amount", "allotment.spent"],
  ["when reservations lapse", "objects/bond.ts", "until >= pulse", "until > pulse"],
  ["what stays at stake", "objects/bond.ts", "amount - (release?.amount ?? 0n)", "amount"],
  ["when money is out", "tx/bond_release.ts", "view.pulse >= release.due", "true"],
  ["what was on its way", "tx/bond_release.ts", "(bond.release?.amount ?? 0n) + amount", "amount"],
  ["what a bond gives", "claims/reservation.ts", "left < rest ? left : rest", "rest"],
  ["what all give", "claims/reservation.ts", "amount > free", "false"],
  [
    "how many a bond has",
    "claims/reservation.ts",
    "bond.reservations.length === MAX_RESERVATIONS",
    "false",
  ],
  ["the end of a dispute", "objects/claim.ts", LASTS, "true"],
  ["its last Pulse", "objects/claim.ts", LASTS, LASTS.replace("<=", "<")],
  ["claims on signatures", "tx/claim_issue.ts", "isStatelessFormula(formula)", "false"],
  ["others' bonds", "tx/claim_issue.ts", "named.account === view.actor", "true"],
  ["the depth of claims", "tx/claim_issue.ts", "depth <= MAX_DEPTH", "true"],
  ["the width of claims", "tx/claim_issue.ts", "atoms += below.atoms - 1", "0"],
  [
    "disputing again",
    "tx/claim_dispute.ts",
    "own.some((reservation) => !reservation.disputed)",
    "true",
  ],
  ["making it longer once", "tx/claim_dispute.ts", "isOwn(one) && !one.disputed", "isOwn(one)"],
  ["what is long enough", "tx/claim_dispute.ts", "one.until > end ? one.until : end", "end"],
  ["who judges", "tx/claim_adjudicate.ts", "judge === view.actor", "true"],
  ["one credit each", "tx/claim_adjudicate.ts", "(owed.get(account) ?? 0n) + part", "part"],
  [
    "slashing what is on its way",
    "tx/claim_adjudicate.ts",
    "bond.amount - amount",
    "bond.amount - (bond.release?.amount ?? 0n) - amount",
  ],
  ["what a bond lost before", "tx/claim_adjudicate.ts", "bond.slashed + taken", "taken"],
  ["claims that have ended", "tx/_backing.ts", 'status === "Active"', "true"],
  ["the deadline of tasks", "tx/task_post.ts", "view.pulse + pulses", "pulses"],
  ["whose money a task has", "tx/task_post.ts", "spent === undefined", "false"],
  ["receipts of tasks", "tx/task_post.ts", "budget && spent?.receipts", "null"],
  [
    "payees of bounties",
    "objects/charter.ts",
    "payment.payee === null || !payees.includes(payment.payee)",
    "payment.payee !== null && !payees.includes(payment.payee)",
  ],
  [
    "payees of tasks",
    "objects/charter.ts",
    "payment.payee === null || !payees.includes(payment.payee)",
    "payment.payee === null",
  ],
  ["tasks that are over", "tx/_tasks.ts", 'outcome.kind === "open"', "true"],
  ["whose task it is", "tx/task_settle.ts", "task.worker === view.actor", "true"],
  [
    "the last Pulse of tasks",
    "tx/task_settle.ts",
    "view.pulse <= task.deadline",
    "view.pulse < task.deadline",
  ],
  ["results that are late", "tx/task_settle.ts", "view.pulse <= task.deadline", "true"],
  ["whose result it is", "tx/task_settle.ts", "claim.issuer === view.actor", "true"],
  ["the schema of results", "tx/task_settle.ts", "claim.schema === schema", "true"],
  [
    "the words of results",
    "claims/task_result.ts",
    "text === resultText({ task, output })",
    "true",
  ],
  [
    "the judge of results",
    "tx/task_settle.ts",
    "isSameJudge(trust.adjudicator, task.rule.adjudicator)",
    "true",
  ],
  ["whose bond judges", "tx/task_settle.ts", "a?.account === b?.account", "true"],
  ["which bond judges", "tx/task_settle.ts", "a?.label === b?.label", "true"],
  ["what results declare", "tx/task_settle.ts", "trust.detection <= task.rule.detection", "true"],
  [
    "what they may declare",
    "tx/task_settle.ts",
    "trust.detection <= task.rule.detection",
    "trust.detection < task.rule.detection",
  ],
  [
    "the judge of attestations",
    "tx/task_settle.ts",
    "!isSameJudge(stated.trust.adjudicator, adjudicator)",
    "false",
  ],
  [
    "attestations for one",
    "tx/task_settle.ts",
    "attestationText(what, worker)",
    "attestationText(what)",
  ],
  ["attestations of another output", "tx/task_settle.ts", "!texts.includes(stated.text)", "false"],
  [
    "what attestations rest on",
    "claims/task_result.ts",
    "isSameFormula(formula, attestationFormula(bond))",
    "true",
  ],
  ["who attests", "tx/task_settle.ts", "rule.verifiers.includes(claim.issuer)", "true"],
  ["workers that attest", "tx/task_settle.ts", "claim.issuer !== view.actor", "true"],
  ["attesting again", "tx/task_settle.ts", "!seen.has(claim.issuer)", "true"],
  [
    "what results rest on",
    "claims/formula.ts",
    "equalBytes(encode(formulaCodec, a), encode(formulaCodec, b))",
    "true",
  ],
  ["what tasks require", "claims/task_result.ts", "requires.map(claimFormula)", "[]"],
  [
    "the backing of results",
    "claims/task_result.ts",
    "allOf(bond, ...attestations.map(claimFormula))",
    "anyOf(bond, ...attestations.map(claimFormula))",
  ],
  [
    "the bond of workers",
    "claims/task_result.ts",
    "{ account: worker, label: TASK_BOND_LABEL }",
    '{ account: worker, label: "worker" }',
  ],
  [
    "steps of the decision",
    "claims/decision.ts",
    "corruptionOf(resting.whole, reliance.maxSteps)",
    "corruptionOf(resting.whole)",
  ],
  [
    "steps of what is free",
    "claims/decision.ts",
    "corruptionOf(resting.free, reliance.maxSteps)",
    "corruptionOf(resting.free)",
  ],
  ["the decision on results", "tx/task_settle.ts", "decision.accept", "true"],
  ["what is required", "claims/decision.ts", "value * kappa + KAPPA_ONE - 1n", "value * kappa"],
  ["who backs first", "tx/task_settle.ts", "[own, ...attesting]", "[...attesting, own]"],
  ["who is compensated", "tx/task_settle.ts", "task.poster", "view.actor"],
  [
    "how long backing is held",
    "tx/task_settle.ts",
    "view.pulse + task.rule.reliance",
    "view.pulse",
  ],
  ["who takes back", "tx/task_refund.ts", "poster === view.actor", "true"],
  ["taking back early", "tx/task_refund.ts", "view.pulse > task.deadline", "true"],
  [
    "taking back in the last Pulse",
    "tx/task_refund.ts",
    "view.pulse > task.deadline",
    "view.pulse >= task.deadline",
  ],
  ["what a refund takes off", "tx/task_refund.ts", "allotment.spent - amount", "allotment.spent"],
  ["what opening a log costs", "tx/memory_open.ts", "100n", "0n"],
  ["whose log is opened", "tx/memory_open.ts", "agent !== null", "false"],
  ["whose log grows", "tx/memory_commit.ts", "value.owner === view.actor", "true"],
  ["which agent's log grows", "tx/memory_commit.ts", "value.agent === agent", "true"],
  ["the agent that commits", "tx/memory_commit.ts", "agent !== null", "false"],
  ["sealed logs", "tx/memory_commit.ts", "value.sealed === null", "true"],
  ["the size a log grows from", "tx/memory_commit.ts", "value.size === from.size", "true"],
  ["the root a log grows from", "tx/memory_commit.ts", "value.root === from.root", "true"],
  ["proofs of growth", "tx/memory_commit.ts", "verifyGrowth(from, to, proof)", "true"],
  ["the count of commits", "tx/memory_commit.ts", "value.head + 1n", "value.head + 2n"],
  ["when a log was sealed", "tx/memory_commit.ts", "seal ? view.pulse : null", "null"],
  ["what a commit adds", "tx/memory_commit.ts", "to.size - from.size", "to.size"],
  ["whose the charter above is", "tx/_new_agents.ts", "above.agent === giver", "true"],
  ["the end of the charter above", "tx/_new_agents.ts", "end === undefined", "true"],
  ["charters born dead", "tx/_new_agents.ts", "expires < view.pulse", "expires <= view.pulse"],
  ["accounts of the spawned", SPAWNED, "checkAccount(view, place, account)", "0"],
  ["the spawners' charter", SPAWNED, "checkCharterAbove(view, charter, parent ?? undefined)", "0"],
  ["budgets born dead", SPAWNED, "checkExpiry(view, budget.caveats)", "0"],
  ["where budgets come from", SPAWNED, "from.charter === charter", "true"],
  ["what budgets take", SPAWNED, "drawFrom(view, source, from, total)", "0"],
  ["what budgets cost", SPAWNED, "view.debit(USD, total)", "0"],
  ["what all budgets cost", SPAWNED, "sum + (budget?.amount ?? 0n)", "budget?.amount ?? 0n"],
  ["what the spawned are under", SPAWNED, GIVEN, GIVEN.replace(": charter", ": null")],
  ["where spawned money is from", SPAWNED, ALLOTTED, ALLOTTED.replace("source", "source: null")],
  ["what a storage deal costs", "tx/storage_post.ts", "100n", "0n"],
  ["until when it is accepted", "tx/_deals.ts", "acceptBy >= view.pulse", "true"],
  ["its last Pulse", "tx/_deals.ts", "acceptBy >= view.pulse", "acceptBy > view.pulse"],
  ["proving open deals", "tx/_deals.ts", 'phase.kind !== "open"', "true"],
  ["proving closed deals", "tx/_deals.ts", 'phase.kind !== "closed"', "true"],
  ["accepting twice", "tx/storage_accept.ts", 'phase.kind !== "active"', "true"],
  ["accepting what is closed", "tx/storage_accept.ts", 'phase.kind !== "closed"', "true"],
  ["who accepts", "tx/storage_accept.ts", "provider === null || provider === view.actor", "true"],
  ["what is put up", "tx/storage_accept.ts", "collateral === value.collateral", "true"],
  ["who proves", "tx/storage_prove.ts", "value.provider === view.actor", "true"],
  ["which round is proven", "tx/storage_prove.ts", "round === current", "true"],
  ["proving twice", "tx/storage_prove.ts", "round !== record.last", "true"],
  ["leaves that are shown", "tx/storage_prove.ts", "showsLeaves(value, places, leaves)", "true"],
  ["rounds that count", "tx/storage_prove.ts", "record.proven + 1n", "record.proven"],
  ["who closes what is open", "tx/storage_close.ts", "view.actor === client", "true"],
  [
    "who closes",
    "tx/storage_close.ts",
    "isClient || deal.provider === view.actor",
    "true",
  ],
  ["closing twice", "tx/storage_close.ts", 'phase.kind !== "closed"', "true"],
  [
    "what a part of a micro-USD is",
    "tx/storage_close.ts",
    "collateral * missed + rounds - 1n",
    "collateral * missed",
  ],
  ["what is abandoned", "tx/storage_close.ts", "abandoned ? collateral : share", "share"],
  ["what is paid", "tx/storage_close.ts", "price * record.proven", "0n"],
  ["what a provider gets back", "tx/storage_close.ts", "collateral - forfeited", "collateral"],
  ["what is forfeited", "tx/storage_close.ts", "view.forfeit(USD, end.forfeited)", "0"],
  [
    "the first round",
    "storage/rounds.ts",
    "(accepted / BEACON_PULSES + 1n) * BEACON_PULSES",
    "((accepted + BEACON_PULSES - 1n) / BEACON_PULSES) * BEACON_PULSES",
  ],
  ["the round before it begins", "storage/rounds.ts", "pulse >= start", "pulse > start"],
  ["the last round", "storage/rounds.ts", "passed < rounds ? passed : rounds", "passed"],
  [
    "rounds that were missed",
    "storage/rounds.ts",
    "finished - proven + (last > finished ? 1n : 0n)",
    "finished - last",
  ],
  [
    "three in a row",
    "storage/rounds.ts",
    "finished - last >= ABANDONED_ROUNDS",
    "finished - last > ABANDONED_ROUNDS",
  ],
  [
    "two in a row",
    "storage/rounds.ts",
    "finished - last >= ABANDONED_ROUNDS",
    "finished - last >= ABANDONED_ROUNDS - 1n",
  ],
  [
    "the leaf that is drawn",
    "storage/challenge.ts",
    "hash.subarray(0, DRAWN_BYTES)",
    "hash.subarray(0, DRAWN_BYTES / 2)",
  ],
  [
    "how long leaves are",
    "storage/challenge.ts",
    "data.length === leafLength(file.size, place)",
    "true",
  ],
  ["how many are shown", "storage/challenge.ts", "shown.length === places.length", "true"],
  ["Pulses that keep beacons", "objects/beacon.ts", "pulse % BEACON_PULSES === 0n", "true"],
  ["when beacons are kept", "pulse.ts", "this.#keepBeacon()", "0"],
  ["whose beacon it is", "tx_view.ts", "kept?.pulse === pulse", "kept !== undefined"],
  ...STAKING_RULES,
];

interface Case {
  readonly input: WorldInput;
  /** What stack B makes of it. */
  readonly output: WorldOutput;
}
const cases: Case[] = [];
let mutated: Mutated;
let ledger: Ledger;
let noticing: (mutant: number) => readonly Case[];

beforeAll(async () => {
  mutated = await plantMutants("internal/ledger", ".", MUTANTS);
  const unit = await mutated.load("mod.ts") as { createLedger: typeof createLedger };
  ledger = unit.createLedger();
  tell((world, ordered, advanceMs, closesSession = false) => {
    const { input, b } = executeByBoth(world, ordered, {
      advanceMs,
      closesSession,
      witness: "whole",
    });
    cases.push({ input, output: b.output });
  });
  cases.push(...await tellOfSpawns());
  noticing = mutated.noticing(cases, ({ input }) => executeByStackA(ledger, input));
}, 600_000);

afterAll(() => mutated[Symbol.dispose]());

/** Whether some Pulse of those comes out otherwise than by stack B, or not at all. */
function isNoticed(mutant: number, among: readonly Case[]): boolean {
  mutated.choose(mutant);
  return among.some(({ input, output }) => {
    try {
      return plain(executeByStackA(ledger, input)) !== plain(output);
    } catch {
      return true;
    }
  });
}

function plain(output: WorldOutput): string {
  const values: unknown[] = Object.values(output);
  return values.map((one) => one instanceof Uint8Array ? one.join() : String(one)).join(";");
}

describe("a rule of stack A that is changed is noticed by stack B", () => {
  it("stack A as it is is noticed nowhere", () => {
    expect(cases.length).toBeGreaterThan(100);
    expect(isNoticed(-1, cases)).toBe(false);
  });

  it.each(MUTANTS.map(([what, file], index) => [what, file, index] as const))(
    "in %s (%s)",
    (_what, _file, index) => expect(isNoticed(index, noticing(index))).toBe(true),
  );
});
