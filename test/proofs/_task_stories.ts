/** Small histories of tasks in which each of their rules makes a difference, at its bound. */
import type { Action } from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  narrow,
  resume,
  revoke,
  revokeCharter,
  robotOf,
  suspend,
} from "../ledger/_agents.ts";
import type { Formula } from "../ledger/_claims.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  assumed,
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
} from "../ledger/_claims.ts";
import type { World } from "../ledger/_world.ts";
import { accountOf, FUNDS, payTo, usd } from "../ledger/_world.ts";
import type { Execute } from "./_story.ts";
import {
  attestationOf,
  OUTPUT,
  postTask,
  refund,
  resultFormula,
  resultOf,
  settle,
  taskWorld,
  verifiersOf,
} from "./_task_actions.ts";
import type { Does } from "./_decision_stories.ts";
import { tellOfDecisions } from "./_decision_stories.ts";

const [alice, bob, carol, dana] = ["alice", "bob", "carol", "dana"].map((name) =>
  accountOf(name)
) as [string, string, string, string];
const NOTHING = "11".repeat(32);

/** Runs all stories of tasks. */
export function tellOfTasks(execute: Execute): void {
  const does: Does = (world, name, ...actions) =>
    execute(world, [world.unit(name, actions)], 1000n);
  const stories = [
    ofPosts,
    ofBudgets,
    ofCharters,
    ofReceipts,
    ofEndsOfTasks,
    ofWorkers,
    ofResults,
    ofAttestations,
    ofVerifiers,
    ofFormulas,
    ofParts,
    ofFullBonds,
    ofLapsedParts,
    ofFindings,
    ofRefunds,
    ofRefundedBudgets,
  ];
  for (const story of stories) story(does);
  ofOrder(execute);
  tellOfDecisions(does);
}

/** Lets Pulses pass in which nothing happens. */
function pass(world: World, pulses: number): void {
  world.pulse += BigInt(pulses);
}

function ofPosts(does: Does): void {
  const world = taskWorld();
  const spec = "cd".repeat(32);
  does(world, "alice", postTask({ spec }), postTask({ worker: bob, adjudicator: null }));
  does(world, "alice", postTask({ amount: FUNDS }), postTask({ amount: FUNDS - 3000n }));
  does(world, "alice", postTask({ amount: FUNDS - 4400n }));
  const claim = world.make("bob", issue({ validFor: 2n }));
  const other = world.make("carol", issue({ validFor: null }));
  does(world, "dana", postTask({ requires: [other, claim] }));
  does(world, "dana", postTask({ requires: [claim] }));
  does(world, "dana", postTask({ requires: [other, claim] }), postTask({ requires: [NOTHING] }));
  does(world, "dana", postTask({ requires: [claim, NOTHING], amount: FUNDS }));
  does(world, "dana", postTask({ requires: [NOTHING, claim], amount: FUNDS }));
  does(world, "carol", revokeClaim(other));
  does(world, "dana", postTask({ requires: [other] }), postTask({ verifiers: [alice] }));
}

function ofBudgets(does: Does): void {
  const world = taskWorld();
  const robot = robotOf(world, {}, 500n);
  const budget = { charter: robot.charter, allotment: robot.allotment };
  const second = robotOf(taskWorld());
  does(world, "robot", postTask({ budget }), postTask({ budget, worker: bob, amount: 410n }));
  does(world, "robot", postTask({ budget, amount: 411n }));
  does(world, "robot", postTask({ budget, amount: 410n }), postTask({ budget }));
  for (const by of ["alice", "bob"]) does(world, by, postTask({ budget, amount: 1n }));
  does(world, "robot", postTask({ budget: { ...budget, charter: NOTHING } }));
  does(world, "robot", postTask({ budget: { ...budget, allotment: NOTHING } }));
  does(world, "robot", postTask({ budget: second }));
  const other = world.make("alice", charter(robot.agent, {}));
  const allotment = world.make("alice", fund(other, 500n));
  does(world, "robot", postTask({ budget: { ...budget, allotment } }));
  does(world, "robot", postTask({ budget, requires: [NOTHING] }));
  does(world, "alice", suspend(robot.agent));
  does(world, "robot", postTask({ budget: { charter: other, allotment } }));
  does(world, "alice", resume(robot.agent));
  does(world, "robot", postTask({ budget: { charter: other, allotment } }));
  does(world, "alice", revoke(robot.agent));
  does(world, "robot", postTask({ budget: { charter: other, allotment } }));
}

function ofCharters(does: Does): void {
  const world = taskWorld();
  const bucket = { capacity: 100n, refill: 0n, periodMs: 1n };
  const robot = robotOf(world, { bucket, receipts: true }, 10_000_000n);
  const helper = helperOf(world, robot, {
    payees: [bob, carol, accountOf("helper")].sort(),
    maxPayment: 60n,
  });
  const budget = { charter: helper.charter, allotment: helper.allotment };
  does(world, "helper", postTask({ budget, amount: 60n }));
  does(world, "helper", postTask({ budget, amount: 60n, worker: alice }));
  does(world, "helper", postTask({ budget, amount: 61n, worker: bob }));
  does(world, "helper", postTask({ budget, amount: 60n, worker: bob }));
  does(world, "helper", postTask({ budget, amount: 41n, worker: bob }));
  does(world, "helper", postTask({ budget, amount: 39n, worker: carol }));
  const robots = { charter: robot.charter, allotment: robot.allotment };
  does(world, "robot", postTask({ budget: robots, amount: 2n }));
  does(world, "alice", narrow(robot.charter, { payees: [] }));
  does(world, "helper", postTask({ budget, amount: 1n, worker: bob }));
  does(world, "robot", postTask({ budget: robots, amount: 1n }));
  does(world, "alice", narrow(robot.charter, { expires: world.pulse + 3n }));
  does(world, "robot", postTask({ budget: robots, amount: 1n }));
  pass(world, 1);
  does(world, "robot", postTask({ budget: robots, amount: 1n }));
  does(world, "alice", revokeCharter(robot.charter));
  for (const [by, from] of [["robot", robots], ["helper", budget]] as const) {
    does(world, by, postTask({ budget: from, amount: 1n }));
  }
}

/** A receipt's claim is of the task, and can be rested on as any other. */
function ofReceipts(does: Does): void {
  for (const [receipts, own] of [[true, false], [false, true], [false, false]] as const) {
    const world = taskWorld();
    const robot = robotOf(world, { receipts });
    const helper = helperOf(world, robot, { receipts: own });
    const budget = { charter: helper.charter, allotment: helper.allotment };
    does(world, "helper", postTask({ budget, amount: 7n }), postTask({ budget, worker: bob }));
    does(world, "helper", postTask({ budget, amount: usd(11) }));
  }
}

function ofEndsOfTasks(does: Does): void {
  const world = taskWorld();
  const first = world.make("alice", postTask({ pulses: 3n, amount: 40n }));
  const second = world.make("alice", postTask({ pulses: 5n, amount: 40n }));
  const [one, two] = [first, second].map((task) => world.make("bob", resultOf(task)));
  does(world, "alice", refund(second));
  does(world, "bob", settle(first, one ?? ""));
  does(world, "alice", refund(second));
  does(world, "bob", settle(second, two ?? ""));
  does(world, "alice", refund(second), refund(second), refund(first), refund(NOTHING));
  does(world, "bob", settle(second, two ?? ""));
  const last = world.make("alice", postTask({ pulses: 2n, amount: 40n }));
  const result = world.make("bob", resultOf(last));
  does(world, "bob", settle(last, result), settle(last, result));
  pass(world, 3);
  does(world, "alice", refund(last));
}

function ofWorkers(does: Does): void {
  const world = taskWorld();
  world.make("dana", post("task-worker", 100n));
  const task = world.make("alice", postTask({ worker: bob }));
  const bobs = world.make("bob", resultOf(task));
  const danas = world.make("dana", resultOf(task, { by: "dana" }));
  does(world, "dana", settle(task, danas), settle(NOTHING, danas), settle(danas, danas));
  does(world, "bob", settle(task, danas), settle(task, NOTHING), settle(task, bobs, NOTHING));
  does(world, "bob", settle(task, bobs), settle(task, bobs));
  does(world, "dana", settle(task, danas));
  const bounty = world.make("alice", postTask());
  const [result, other] = ["bob", "dana"].map((by) => world.make(by, resultOf(bounty, { by })));
  does(world, "bob", settle(bounty, other ?? ""), settle(bounty, bobs));
  does(world, "dana", settle(bounty, other ?? ""));
  does(world, "bob", settle(bounty, result ?? ""));
}

function ofResults(does: Does): void {
  const world = taskWorld();
  const before = world.make("alice", postTask({ detection: 900, amount: 10n }));
  const unjudged = world.make("alice", postTask({ adjudicator: null, amount: 10n }));
  const task = world.make("alice", postTask({ detection: 900, amount: 10n }));
  const detection = 900;
  const text = `task ${task} output ${OUTPUT}`;
  const subjects = [
    `task ${before} output ${OUTPUT}`,
    `${text} worker ${bob}`,
    `${text} `,
    `${text}\n`,
    ` ${text}`,
    text.slice(0, -1),
    `${text}0`,
    text.replace(OUTPUT, OUTPUT.toUpperCase()),
    text.replace(OUTPUT, OUTPUT.replaceAll("a", "g")),
    text.replace(" output ", " outputs "),
  ];
  const claims: Partial<Parameters<typeof resultOf>[1]>[] = [
    ...subjects.map((subject) => ({ subject })),
    { schema: "task-result/v2" },
    { schema: "task-attestation/v1" },
    { adjudicator: null },
    { adjudicator: { account: dana, label: "judge" } },
    { adjudicator: { account: carol, label: "judges" } },
    { detection: 901 },
    { detection: 899 },
  ];
  for (const some of claims) {
    const result = world.make("bob", resultOf(task, { detection, ...some }));
    does(world, "bob", settle(task, result));
  }
  const judged = world.make("bob", resultOf(unjudged));
  const result = world.make("bob", resultOf(unjudged, { adjudicator: null }));
  const fitting = world.make("bob", resultOf(task, { detection }));
  const faults = { adjudicator: null, detection: 1000 };
  const worse = world.make("bob", resultOf(before, { ...faults, formula: DUAL_SIGNATURE }));
  does(world, "bob", settle(unjudged, judged), settle(before, worse));
  does(world, "bob", settle(unjudged, result), settle(task, fitting));
}

/** Of the texts, formulas and adjudicators that an attestation can have, each beside what it has. */
function ofAttestations(does: Does): void {
  const world = taskWorld();
  world.make("dana", post("more", 40n));
  world.make("erin", post("more", 40n));
  const task = world.make("alice", postTask());
  const other = world.make("alice", postTask());
  const text = `task ${task} output ${OUTPUT}`;
  const tests = bondAtom("dana", "tests");
  const more = bondAtom("dana", "more");
  const formulas: readonly Formula[] = [
    anyOf(DUAL_SIGNATURE, more),
    tests,
    DUAL_SIGNATURE,
    anyOf(tests, DUAL_SIGNATURE),
    anyOf(DUAL_SIGNATURE, tests, tests),
    anyOf(DUAL_SIGNATURE, tests, more),
    allOf(DUAL_SIGNATURE, tests),
    anyOf(DUAL_SIGNATURE, allOf(tests, more)),
    anyOf(DUAL_SIGNATURE, assumed("x")),
    anyOf(allOf(assumed("x"), assumed("y")), tests),
  ];
  const kinds: Partial<Parameters<typeof attestationOf>[2]>[] = [
    {},
    { subject: `${text} worker ${bob}` },
    { subject: `${text} worker ${dana}` },
    { subject: `${text} worker ${bob}0` },
    { subject: text.replace(OUTPUT, "cd".repeat(32)) },
    { subject: text.replace(task, other) },
    { schema: "task-result/v1" },
    { adjudicator: null },
    { adjudicator: { account: carol, label: "judges" } },
    { detection: 900 },
    ...formulas.map((formula) => ({ formula })),
  ];
  for (const some of kinds) {
    const attestation = world.make("dana", attestationOf("dana", task, some));
    const result = world.make("bob", resultOf(task, { attestations: [attestation] }));
    const before = world.state;
    does(world, "bob", settle(task, result, attestation));
    world.state = before;
  }
  const unjudged = world.make("alice", postTask({ adjudicator: null }));
  for (const adjudicator of [CAROL, null]) {
    const attestation = world.make("dana", attestationOf("dana", unjudged, { adjudicator }));
    const attestations = [attestation];
    const result = world.make("bob", resultOf(unjudged, { attestations, adjudicator: null }));
    does(world, "bob", settle(unjudged, result, attestation));
  }
}

function ofVerifiers(does: Does): void {
  const world = taskWorld();
  for (const by of ["alice", "bob"]) world.make(by, post("tests", 5n));
  const terms = { verifiers: verifiersOf("bob", "dana", "erin"), amount: 1n };
  const task = world.make("alice", postTask(terms));
  const attested = (by: string): string => world.make(by, attestationOf(by, task));
  const [danas, erins, own] = ["dana", "erin", "bob"].map(attested) as [string, string, string];
  const [again, others] = ["dana", "alice"].map(attested) as [string, string];
  const ended = attested("erin");
  const early = world.make("bob", resultOf(task, { attestations: [ended] }));
  does(world, "erin", revokeClaim(ended));
  does(world, "bob", settle(task, early, ended));
  const receipt = world.make("robot", agentPay(robotOf(world, { receipts: true }), bob, 1n));
  const sets = [
    [own],
    [others],
    [danas, again],
    [erins, danas, again],
    [danas, own],
    [danas, NOTHING],
    [receipt],
    [danas, erins],
  ];
  for (const attestations of sets) {
    const rests = attestations.includes(NOTHING) ? [danas] : attestations;
    const result = world.make("bob", resultOf(task, { attestations: rests }));
    does(world, "bob", settle(task, result, ...attestations));
  }
}

function ofFormulas(does: Does): void {
  const world = taskWorld();
  world.make("bob", post("other", 100n));
  const [first, second] = ["alice", "carol"].map((by) =>
    world.make(by, issue({ validFor: null }))
  ) as [string, string];
  const requires = [first, second];
  const task = world.make("alice", postTask({ requires }));
  const [danas, erins] = ["dana", "erin"].map((by) => world.make(by, attestationOf(by, task))) as [
    string,
    string,
  ];
  const own = bondAtom("bob", "task-worker");
  const [one, two] = requires.map(claimAtom) as [Formula, Formula];
  const [d, e] = [claimAtom(danas), claimAtom(erins)];
  const formulas: readonly (readonly [Formula, ...string[]])[] = [
    [resultFormula("bob", [second, first], [])],
    [resultFormula("bob", [first], [])],
    [resultFormula("bob", [first, second, first], [])],
    [resultFormula("bob", requires, [danas])],
    [resultFormula("bob", requires, []), danas],
    [resultFormula("bob", requires, [erins, danas]), danas, erins],
    [resultFormula("bob", requires, [danas, erins]), danas],
    [anyOf(DUAL_SIGNATURE, one, two, bondAtom("bob", "other"))],
    [anyOf(DUAL_SIGNATURE, one, two)],
    [anyOf(one, two, own)],
    [allOf(DUAL_SIGNATURE, one, two, own)],
    [anyOf(one, two, own, DUAL_SIGNATURE)],
    [anyOf(DUAL_SIGNATURE, own, one, two)],
    [anyOf(DUAL_SIGNATURE, one, two, allOf(d, own)), danas],
    [anyOf(DUAL_SIGNATURE, one, two, anyOf(own, d)), danas],
    [anyOf(DUAL_SIGNATURE, one, two, own, d), danas],
    [anyOf(DUAL_SIGNATURE, one, two, allOf(own, d, e), own), danas, erins],
    [own],
    [resultFormula("bob", requires, []), ...[]],
    [resultFormula("bob", requires, [danas, erins]), danas, erins],
    [resultFormula("bob", requires, [erins, danas]), erins, danas],
  ];
  for (const [formula, ...attestations] of formulas) {
    const result = world.make("bob", resultOf(task, { formula }));
    const before = world.state;
    does(world, "bob", settle(task, result, ...attestations));
    world.state = before;
  }
}

/** Each bond gives what it has free until nothing is missing, the worker's first. */
function ofParts(does: Does): void {
  for (
    const [amount, taken] of [[90n, 0n], [100n, 0n], [120n, 0n], [170n, 0n], [30n, 80n]] as const
  ) {
    const world = taskWorld();
    const task = world.make("alice", postTask({ amount }));
    const attestations = ["erin", "dana"].map((by) => world.make(by, attestationOf(by, task)));
    if (taken > 0n) {
      const formula = bondAtom("bob", "task-worker");
      const claim = world.make("bob", issue({ formula, adjudicator: CAROL }));
      world.make("bob", reserve(claim, carol, taken));
    }
    const result = world.make("bob", resultOf(task, { attestations }));
    does(world, "bob", settle(task, result, ...attestations), payTo([carol, 1n]));
    does(world, "bob", release("task-worker", 11n), release("task-worker", 10n));
  }
  const world = taskWorld();
  const terms = { amount: 3n, kappa: 1_666_667n, reliance: 2n };
  const tasks = [0, 1].map(() => world.make("alice", postTask(terms)));
  const results = tasks.map((task) => world.make("bob", resultOf(task)));
  for (const [at, task] of tasks.entries()) does(world, "bob", settle(task, results[at] ?? ""));
  does(world, "bob", release("task-worker", 90n), release("task-worker", 88n));
  does(world, "bob", release("task-worker", 94n));
}

/** A bond with as many reservations as it can have is in the way only where it would give a part. */
function ofFullBonds(does: Does): void {
  const world = taskWorld();
  const formula = bondAtom("dana", "tests");
  const claim = world.make("dana", issue({ formula, adjudicator: CAROL, validFor: null }));
  const many = Array.from({ length: 32 }, () => reserve(claim, carol, 1n, 3n));
  world.make("dana", post("large", 9n));
  const task = world.make("alice", postTask({ amount: 1n }));
  const dear = world.make("alice", postTask({ amount: 110n }));
  world.make("dana", { kind: "bond_top_up", body: { label: "tests", amount: 60n } });
  const settling = [task, dear].map((each) => {
    const attestations = [world.make("dana", attestationOf("dana", each))];
    const result = world.make("bob", resultOf(each, { attestations }));
    return settle(each, result, ...attestations);
  });
  for (let i = 0; i < 2; i++) world.execute([world.unit("dana", many)]);
  does(world, "bob", ...settling);
  does(world, "bob", settling[1] as Action);
  pass(world, 2);
  does(world, "bob", settling[1] as Action);
}

/** A bond that gives a part loses its lapsed reservations; one that gives none keeps them. */
function ofLapsedParts(does: Does): void {
  const world = taskWorld();
  for (const [by, label] of [["bob", "task-worker"], ["dana", "tests"]] as const) {
    const formula = bondAtom(by, label);
    const claim = world.make(by, issue({ formula, adjudicator: CAROL, validFor: null }));
    world.make(by, reserve(claim, carol, 9n, 4n));
  }
  const task = world.make("alice", postTask({ amount: 92n }));
  const attestations = [world.make("dana", attestationOf("dana", task))];
  const result = world.make("bob", resultOf(task, { attestations }));
  const alone = world.make("bob", resultOf(task));
  const before = world.state;
  const { pulse } = world;
  for (const passed of [0, 1, 2, 3, 9]) {
    pass(world, passed);
    does(world, "bob", settle(task, result, ...attestations));
    world.state = before;
    does(world, "bob", settle(task, alone));
    world.state = before;
    world.pulse = pulse;
  }
}

/** Who paid is compensated from every part, and from no other. */
function ofFindings(does: Does): void {
  const world = taskWorld();
  const task = world.make("alice", postTask({ amount: 120n, reliance: 7n }));
  const attestation = world.make("dana", attestationOf("dana", task));
  const attestations = [attestation];
  const result = world.make("bob", resultOf(task, { attestations }));
  does(world, "alice", dispute(result));
  does(world, "bob", settle(task, result, attestation), revokeClaim(result));
  does(world, "alice", dispute(attestation, "no"), dispute(result, "not what was asked for"));
  does(world, "carol", adjudicate(result, true), adjudicate(attestation, true));
}

function ofRefunds(does: Does): void {
  const world = taskWorld();
  const task = world.make("alice", postTask({ pulses: 1n }));
  const long = world.make("alice", postTask());
  const [first, second] = [task, long].map((each) => world.make("bob", resultOf(each))) as [
    string,
    string,
  ];
  does(world, "bob", refund(task), settle(long, second), refund(long));
  does(world, "alice", refund(long), refund(task), refund(task));
  does(world, "bob", refund(task), settle(task, first));
  does(world, "alice", payTo([bob, FUNDS - 30_000n]));
}

function ofRefundedBudgets(does: Does): void {
  const world = taskWorld();
  const robot = robotOf(world, { bucket: { capacity: 1000n, refill: 0n, periodMs: 1n } }, usd(100));
  const helper = helperOf(world, robot);
  const posting = (from: typeof helper): Action =>
    postTask({ budget: { charter: from.charter, allotment: from.allotment }, pulses: 1n });
  const tasks = [helper, helper, helper, helper].map((from) => world.make("helper", posting(from)));
  const [first, second, third, fourth] = tasks as [string, string, string, string];
  const own = world.make("robot", posting(robot));
  const early = world.make("helper", posting(helper));
  does(world, "robot", refund(early));
  for (const by of ["bob", "helper", "helper"]) does(world, by, refund(first));
  does(world, "helper", agentPay(helper, bob, 400n), agentPay(helper, bob, 61n));
  for (const by of ["helper", "robot"]) does(world, by, refund(own));
  does(world, "alice", suspend(robot.agent));
  for (const by of ["robot", "alice"]) does(world, by, refund(second));
  does(world, "alice", resume(robot.agent), revoke(helper.agent), revokeCharter(robot.charter));
  does(world, "robot", refund(third));
  does(world, "helper", refund(fourth));
}

/** Tasks wait for what is shared: each of these finds what the unit before it has left. */
function ofOrder(execute: Execute): void {
  const world = taskWorld(3);
  const claim = world.make("carol", issue({ validFor: null }));
  const robot = robotOf(world);
  const helper = helperOf(world, robot);
  const budget = { charter: helper.charter, allotment: helper.allotment };
  const task = world.make("alice", postTask({ amount: 120n }));
  const attestation = world.make("dana", attestationOf("dana", task));
  const attestations = [attestation];
  const result = world.make("bob", resultOf(task, { attestations }));
  const helpers = world.make("helper", postTask({ budget, pulses: 1n }));
  pass(world, 1);
  execute(world, [
    world.unit("carol", [revokeClaim(claim)]),
    world.unit("dana", [postTask({ requires: [claim] })]),
    world.unit("alice", [suspend(robot.agent)]),
    world.unit("robot", [refund(helpers)]),
    world.unit("dana", [revokeClaim(attestation)], { ahead: 1 }),
    world.unit("bob", [settle(task, result, attestation), payTo([alice, 1n])]),
  ], 1000n);
  execute(world, [
    world.unit("alice", [postTask(), payTo([bob, 1n]), refund(helpers)]),
    world.unit("bob", [settle(task, result), settle(task, result, attestation)]),
  ], 1000n);
}
