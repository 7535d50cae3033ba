/** Settlements in which each rule of the decision makes a difference, at its bound. */
import type { Action } from "#internal/ledger/mod.ts";
import { agentPay, robotOf } from "../ledger/_agents.ts";
import type { Formula } from "../ledger/_claims.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  assumed,
  atomFormula,
  bondAtom,
  CAROL,
  claimAtom,
  dispute,
  DUAL_SIGNATURE,
  issue,
  post,
  release,
  reserve,
  revokeClaim,
  topUp,
} from "../ledger/_claims.ts";
import type { World } from "../ledger/_world.ts";
import { accountOf } from "../ledger/_world.ts";
import type { Terms } from "./_task_actions.ts";
import { attestationOf, postTask, resultOf, settle, taskWorld } from "./_task_actions.ts";

/** Executes a unit of some transactions in a Pulse of its own, and compares. */
export type Does = (world: World, name: string, ...actions: Action[]) => void;

const [alice, carol, dana] = ["alice", "carol", "dana"].map((name) => accountOf(name)) as [
  string,
  string,
  string,
];
/** More than any of these formulas costs, so that the reason says what it costs. */
const MORE = 900_000n;

/** Runs all stories of decisions. */
export function tellOfDecisions(does: Does): void {
  const stories = [
    ofRequired,
    ofDetection,
    ofAdjudicators,
    ofReleasedStakes,
    ofFreeBacking,
    ofEndedResults,
    ofEndedAttestations,
    ofAtoms,
    ofGroups,
    ofOpenedClaims,
    ofOpenedTerms,
    ofSearches,
    ofSearchesForFree,
  ];
  for (const story of stories) story(does);
}

/** Lets Pulses pass in which nothing happens. */
function pass(world: World, pulses: number): void {
  world.pulse += BigInt(pulses);
}

/** A world in which bob has much more at stake than any claim costs that a task requires. */
function wealthyWorld(): World {
  const world = taskWorld();
  world.make("bob", topUp("task-worker", 2n * MORE));
  return world;
}

/** The settlement of a new task, judged by nobody, by a result that rests on the claims. */
function settling(world: World, requires: readonly string[], terms: Terms = {}): Action {
  const { adjudicator = null } = terms;
  const posting = postTask({ amount: MORE, ...terms, adjudicator, requires: [...requires] });
  const task = world.make("alice", posting);
  return settle(task, world.make("bob", resultOf(task, { requires, adjudicator })));
}

function ofRequired(does: Does): void {
  const world = taskWorld();
  const terms: readonly Terms[] = [
    { amount: 50n, kappa: 2_000_000n },
    { amount: 50n, kappa: 2_000_001n },
    { amount: 33n, kappa: 3_030_303n },
    { amount: 33n, kappa: 3_030_304n },
    { amount: 100_000_000n, kappa: 1n },
    { amount: 100_000_001n, kappa: 1n },
    { amount: 1n, kappa: 1n },
    { amount: 1n, kappa: 1_000_000_000_000n },
    { amount: 2n, kappa: 1_000_000_000_000n },
  ];
  for (const each of terms) {
    const before = world.state;
    does(world, "bob", settling(world, [], each));
    world.state = before;
  }
}

function ofDetection(does: Does): void {
  const world = taskWorld();
  const amounts = [[89n, 895], [89n, 899], [90n, 899], [90n, 900], [1n, 9], [1n, 10]] as const;
  for (const [amount, detection] of amounts) {
    const task = world.make("alice", postTask({ amount }));
    const result = world.make("bob", resultOf(task, { detection }));
    const before = world.state;
    does(world, "bob", settle(task, result));
    world.state = before;
  }
}

function ofAdjudicators(does: Does): void {
  const world = wealthyWorld();
  world.make("dana", post("judge", 50n));
  const judge = { account: dana, label: "judge" };
  const formula = bondAtom("dana", "judge");
  const claim = world.make("dana", issue({ formula, adjudicator: CAROL, validFor: null }));
  world.make("dana", reserve(claim, carol, 5n, 900n));
  const judged = (amount: bigint): Action => settling(world, [], { amount, adjudicator: judge });
  const acts = [50n, 51n].map(judged);
  for (const each of acts) does(world, "bob", each);
  const next = [40n, 41n].map(judged);
  does(world, "dana", release("judge", 10n));
  for (const each of next) does(world, "bob", each);
  const unknown = { account: dana, label: "nobody" };
  does(world, "bob", settling(world, [], { amount: 1n, adjudicator: unknown }));
  does(world, "bob", settling(world, [], { amount: 1000n, adjudicator: null }));
}

/** What is on its way out of a bond is at stake no more. */
function ofReleasedStakes(does: Does): void {
  const world = taskWorld();
  const acts = [90n, 91n].map((amount) => settling(world, [], { amount }));
  does(world, "bob", release("task-worker", 10n));
  for (const each of acts.toReversed()) does(world, "bob", each);
}

/** What is held for others backs nothing else while it is held. */
function ofFreeBacking(does: Does): void {
  const world = taskWorld();
  const formula = bondAtom("bob", "task-worker");
  const claim = world.make("bob", issue({ formula, adjudicator: CAROL, validFor: null }));
  const acts = [90n, 91n].map((amount) => settling(world, [], { amount }));
  does(world, "bob", reserve(claim, carol, 10n, 4n));
  const { state: before } = world;
  for (const each of acts.toReversed()) does(world, "bob", each);
  world.state = before;
  does(world, "bob", acts[1] as Action);
  does(world, "bob", acts[1] as Action);
  does(world, "bob", acts[1] as Action);
  const inner = wealthyWorld();
  inner.make("alice", post("a", 100n));
  const below = inner.make("alice", issue({ formula: bondAtom("alice", "a"), adjudicator: CAROL }));
  inner.make("alice", reserve(below, carol, 30n, 200n));
  for (const amount of [71n, 70n]) does(inner, "bob", settling(inner, [below], { amount }));
}

function ofEndedResults(does: Does): void {
  const world = taskWorld();
  const task = world.make("alice", postTask({ amount: 10n }));
  const dear = world.make("alice", postTask({ amount: 1000n }));
  const short = world.make("bob", resultOf(task, { validFor: 3n }));
  const [revoked, disputed, refuted, tooDear] = [task, task, task, dear].map((each) =>
    world.make("bob", resultOf(each))
  ) as [string, string, string, string];
  const { state, pulse } = world;
  for (const passed of [0, 1]) {
    pass(world, -2 + passed);
    does(world, "bob", settle(task, short));
    Object.assign(world, { state, pulse });
  }
  world.make("bob", revokeClaim(tooDear));
  world.make("bob", revokeClaim(revoked));
  world.make("bob", reserve(disputed, alice, 1n, 50n));
  world.make("alice", dispute(disputed));
  for (const each of [revoked, disputed]) does(world, "bob", settle(task, each));
  world.make("carol", adjudicate(refuted, true));
  does(world, "bob", settle(task, refuted), settle(dear, tooDear));
}

/** An attestation that has ended stands for nothing, though its bond may still give a part. */
function ofEndedAttestations(does: Does): void {
  const world = taskWorld();
  for (const amount of [100n, 101n, 130n, 131n]) {
    const task = world.make("alice", postTask({ amount }));
    const attestations = ["dana", "erin"].map((by) => world.make(by, attestationOf(by, task)));
    const result = world.make("bob", resultOf(task, { attestations }));
    does(world, "dana", revokeClaim(attestations[0] ?? ""));
    const before = world.state;
    does(world, "bob", settle(task, result, ...attestations));
    world.state = before;
  }
}

const judgeAtom = (name: string, label: string): Formula =>
  atomFormula({ kind: "adjudicator", body: { account: accountOf(name), label } });

/** What each kind of atom costs, beside one that costs something. */
function ofAtoms(does: Does): void {
  const world = wealthyWorld();
  world.make("alice", post("a", 100n));
  const a = bondAtom("alice", "a");
  const receipt = world.make("robot", agentPay(robotOf(world, { receipts: true }), alice, 1n));
  const formulas = [
    a,
    judgeAtom("alice", "a"),
    allOf(a, judgeAtom("alice", "a")),
    judgeAtom("alice", "nothing"),
    assumed("x"),
    assumed("ledger:execution"),
    anyOf(a, DUAL_SIGNATURE),
    anyOf(a, assumed("ledger:execution")),
    allOf(a, assumed("x")),
    anyOf(a, claimAtom(receipt)),
    allOf(a, claimAtom(receipt)),
  ];
  for (const formula of formulas) {
    const claim = world.make("alice", issue({ formula, validFor: null }));
    const before = world.state;
    does(world, "bob", settling(world, [claim]));
    world.state = before;
  }
  does(world, "bob", settling(world, [receipt]));
}

function ofGroups(does: Does): void {
  const world = wealthyWorld();
  const amounts = [100n, 20n, 300n, 7n];
  for (const [at, amount] of amounts.entries()) world.make("alice", post(`b${at}`, amount));
  const [a, b, c, d] = amounts.map((_, at) => bondAtom("alice", `b${at}`)) as [
    Formula,
    Formula,
    Formula,
    Formula,
  ];
  const formulas = [
    ...[1, 2, 3, 4].map((needed) => ({ ...allOf(a, b, c, d), needed })),
    allOf(a, a),
    allOf(anyOf(a, b), anyOf(b, c), anyOf(c, a)),
    allOf(anyOf(a, b), anyOf(a, c), d),
    anyOf(allOf(a, b), allOf(a, d), allOf(b, c)),
    allOf(a, anyOf(a, d), anyOf(b, d)),
  ];
  for (const formula of formulas) {
    const claim = world.make("alice", issue({ formula, validFor: null }));
    const before = world.state;
    does(world, "bob", settling(world, [claim]));
    world.state = before;
  }
}

/** A claim below is opened while it is active, at whatever depth. */
function ofOpenedClaims(does: Does): void {
  const world = wealthyWorld();
  for (const label of ["a", "b"]) world.make("alice", post(label, 100n));
  world.make("carol", post("c", 70n));
  const rest = { adjudicator: CAROL, validFor: null };
  const low = world.make("carol", issue({ formula: bondAtom("carol", "c"), ...rest }));
  const lowest = claimAtom(low);
  const middle = world.make(
    "alice",
    issue({ formula: allOf(bondAtom("alice", "a"), lowest), ...rest, validFor: 60n }),
  );
  const formula = allOf(claimAtom(middle), lowest, bondAtom("alice", "b"));
  const top = world.make("alice", issue({ formula, ...rest }));
  const acts = [top, middle, low].map((claim) => settling(world, [claim]));
  const both = settling(world, [low, top]);
  const tries = (): void => {
    for (const each of [...acts, both]) does(world, "bob", each);
  };
  tries();
  const { pulse } = world;
  pass(world, 60);
  tries();
  world.pulse = pulse;
  world.make("carol", reserve(low, alice, 1n));
  world.make("alice", dispute(low));
  tries();
  world.make("carol", adjudicate(low, false));
  does(world, "carol", revokeClaim(low));
  tries();
  does(world, "alice", revokeClaim(top));
  tries();
}

/** Detection and adjudicators are those of all that is opened, and of nothing else. */
function ofOpenedTerms(does: Does): void {
  const world = wealthyWorld();
  for (const [by, label] of [["alice", "a"], ["dana", "j"], ["erin", "j"]] as const) {
    world.make(by, post(label, by === "alice" ? 1000n : by === "dana" ? 60n : 50n));
  }
  const [ofDana, ofErin] = ["dana", "erin"].map((by) => ({ account: accountOf(by), label: "j" }));
  const a = bondAtom("alice", "a");
  const stated = (formula: Formula, adjudicator = ofDana ?? null, detection = 1000): string =>
    world.make("alice", issue({ formula, adjudicator, detection, validFor: null }));
  const low = stated(a, ofErin, 700);
  const middle = stated(claimAtom(low), ofDana, 800);
  const chosen = stated(anyOf(claimAtom(middle), a), null, 950);
  const judged = settling(world, [chosen], { amount: 55n });
  const noticed = settling(world, [chosen], { amount: 750n });
  const alone = [middle, low].map((claim) => settling(world, [claim], { amount: 55n }));
  const enough = settling(world, [chosen], { amount: 50n });
  const other = stated(a, ofDana, 990);
  const both = stated(anyOf(claimAtom(low), claimAtom(other)), null);
  alone.push(...[55n, 750n].map((amount) => settling(world, [both], { amount })));
  for (const each of [judged, noticed, ...alone]) does(world, "bob", each);
  const before = world.state;
  does(world, "bob", enough);
  world.state = before;
  does(world, "alice", revokeClaim(low));
  for (const each of [judged, noticed, ...alone]) does(world, "bob", each);
  does(world, "alice", revokeClaim(middle));
  for (const each of [judged, noticed, enough]) does(world, "bob", each);
}

/** Pairs of atoms of which one each has to be corrupted, by two digits below the count of `costs`. */
export interface Pairs {
  /** Micro-USD, at most 8. */
  readonly costs: readonly number[];
  /** At most 28 digits. */
  readonly pairs: string;
}

/** A search of 31 steps, and one that would take 33. */
const SEARCHES: readonly Pairs[] = [
  { costs: [51, 54, 51, 48, 45, 40, 54, 45], pairs: "4653503723751016" },
  { costs: [53, 54, 49, 61, 46, 58, 60, 41], pairs: "6437054370616704" },
];

/** How long a search may be, which atoms are decided in it, and in which order. */
function ofSearches(does: Does): void {
  for (const search of SEARCHES) tellOfSearch(does, search);
}

/** Settlements that are refused with what the pairs cost. */
export function tellOfSearch(does: Does, { costs, pairs }: Pairs): void {
  const world = wealthyWorld();
  for (const [at, cost] of costs.entries()) world.make("alice", post(`b${at}`, BigInt(cost)));
  world.make("alice", post("once", 10n));
  const nothing = judgeAtom("alice", "nothing");
  const either = pairs.match(/../g) ?? [];
  const parts = either.map((pair) =>
    anyOf(...pair.split("").map((digit) => judgeAtom("alice", `b${digit}`)))
  );
  const formulas = [
    allOf(...parts),
    allOf(nothing, nothing, ...parts),
    allOf(judgeAtom("alice", "once"), ...parts),
    anyOf(DUAL_SIGNATURE, allOf(...parts)),
    allOf(...parts.toReversed()),
  ];
  for (const formula of formulas) {
    const claim = world.make("alice", issue({ formula, validFor: null }));
    const before = world.state;
    does(world, "bob", settling(world, [claim]));
    world.state = before;
  }
}

/** Two triangles of bonds, half of each of them reserved: what is free is searched for in as few steps. */
function ofSearchesForFree(does: Does): void {
  const world = wealthyWorld();
  const labels = ["a", "b", "c", "d", "e", "f"];
  for (const label of labels) {
    world.make("alice", post(label, 20n));
    const formula = bondAtom("alice", label);
    const held = world.make("alice", issue({ formula, adjudicator: CAROL, validFor: null }));
    world.make("alice", reserve(held, carol, 10n, 10_000n));
  }
  const pairs = ["ab", "bc", "ca", "de", "ef", "fd"];
  const formula = allOf(
    ...pairs.map((pair) => anyOf(...pair.split("").map((label) => bondAtom("alice", label)))),
  );
  const claim = world.make("alice", issue({ formula, validFor: null }));
  for (const amount of [31n, 30n]) does(world, "bob", settling(world, [claim], { amount }));
}
