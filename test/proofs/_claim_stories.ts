/** Small histories of bonds and claims in which each of their rules makes a difference, at its bound. */
import type { Action, Ordered, SignedUnit } from "#internal/ledger/mod.ts";
import type { Formula } from "../ledger/_claims.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  assumed,
  atomFormula,
  backedClaim,
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
import { agentPay, robotOf } from "../ledger/_agents.ts";
import { accountOf, FUNDS, usd, World } from "../ledger/_world.ts";

const bob = accountOf("bob");
const dana = accountOf("dana");
const NOBODY = "11".repeat(32);

/** Executes a Pulse in a world, and compares. */
type Execute = (
  world: World,
  ordered: readonly (SignedUnit | Ordered)[],
  advanceMs: bigint,
) => void;

/** Runs all stories. */
export function tellOfClaims(execute: Execute): void {
  const does: Does = (world, name, ...actions) =>
    execute(world, [world.unit(name, actions)], 1000n);
  const stories = [
    ofReleases,
    ofReservations,
    ofFullBonds,
    ofBonds,
    ofIssues,
    ofEnds,
    ofDisputes,
    ofPartsInDisputes,
    ofEndsOfDisputes,
    ofFindings,
  ];
  for (const story of stories) story(does);
  ofPhases(execute);
  ofClaimsOfTheSamePulse(execute);
}

type Does = (world: World, name: string, ...actions: Action[]) => void;

/** Lets Pulses pass in which nothing happens. */
function pass(world: World, pulses: number): void {
  world.pulse += BigInt(pulses);
}

function ofBonds(does: Does): void {
  const world = new World();
  does(world, "alice", post("a", FUNDS));
  does(world, "alice", post("a", usd(5)), post("a", 1n), post("A", 2n), topUp("a", 3n));
  does(world, "alice", topUp("a", FUNDS));
  does(world, "bob", topUp("a", 1n), release("a", 1n), release("a", null), post("a", 1n));
}

function ofReleases(does: Does): void {
  const world = new World();
  world.make("alice", post("a", 100n));
  does(world, "alice", release("a", null), release("a", 101n), release("a", 40n));
  pass(world, 500);
  does(world, "alice", release("a", 61n));
  does(world, "alice", release("a", 60n));
  pass(world, 998);
  does(world, "alice", release("a", null));
  does(world, "alice", topUp("a", 7n), release("a", null), release("a", null));
  does(world, "alice", release("a", 7n), release("a", 1n), release("a", null));
}

function ofReservations(does: Does): void {
  const world = new World();
  for (const [label, amount] of [["b", 5n], ["a", 7n], ["c", 9n]] as const) {
    world.make("alice", post(label, amount));
  }
  const [b, a, c] = ["b", "a", "c"].map((label) => bondAtom("alice", label)) as [
    Formula,
    Formula,
    Formula,
  ];
  const formula = anyOf(b, allOf(a, b), allOf(c, DUAL_SIGNATURE));
  const claim = world.make("alice", issue({ formula, adjudicator: CAROL }));
  does(world, "bob", reserve(claim, bob, 1n));
  does(world, "alice", reserve(NOBODY, bob, 1n), reserve(claim, bob, 22n));
  does(world, "alice", reserve(claim, bob, 8n, 3n), reserve(claim, dana, 13n, 2n));
  does(world, "alice", reserve(claim, dana, 1n), release("b", 1n));
  does(world, "alice", reserve(claim, dana, 1n), release("c", 10n), release("c", 9n));
  does(world, "alice", reserve(claim, bob, 13n), reserve(claim, bob, 4n));
  does(world, "alice", topUp("b", 1n), reserve(claim, bob, 1n));
  const full = backedClaim(world);
  const many = Array.from({ length: 32 }, () => reserve(full, bob, 1n, 2n));
  does(world, "alice", ...many);
  does(world, "alice", ...many, reserve(full, bob, 1n));
  does(world, "alice", reserve(full, bob, 1n), reserve(full, bob, 1n, 100_000n));
  does(world, "alice", reserve(full, bob, 1n, 100_000n));
  const unjudged = world.make("alice", issue({ formula: a }));
  does(world, "alice", reserve(unjudged, bob, 1n));
}

/** A full bond is in the way only where it would give a part. */
function ofFullBonds(does: Does): void {
  const world = new World();
  world.make("alice", post("full", 70n));
  world.make("alice", post("b", 5n));
  const full = bondAtom("alice", "full");
  const claim = world.make("alice", issue({ formula: full, adjudicator: CAROL }));
  const many = Array.from({ length: 32 }, () => reserve(claim, bob, 1n));
  for (let i = 0; i < 2; i++) world.execute([world.unit("alice", many)]);
  const formula = allOf(bondAtom("alice", "b"), full);
  const other = world.make("alice", issue({ formula, adjudicator: CAROL }));
  does(world, "alice", reserve(other, bob, 5n), reserve(other, bob, 1n));
  does(world, "alice", topUp("b", 2n), release("full", 6n), reserve(other, bob, 2n));
}

function ofIssues(does: Does): void {
  const world = new World();
  const fours = (formula: Formula): Formula => allOf(formula, formula, formula, formula);
  does(world, "alice", issue(), issue(), issue({ validFor: null, subject: "x", detection: 1 }));
  does(world, "alice", post("a", 1n), issue({ formula: bondAtom("alice", "a") }));
  does(world, "bob", issue({ formula: allOf(bondAtom("alice", "a"), claimAtom(NOBODY)) }));
  does(world, "alice", issue({ formula: bondAtom("alice", "b"), schema: "a/b_c-d.e" }));
  const judge = atomFormula({ kind: "adjudicator", body: CAROL });
  const two = { ...allOf(judge, assumed("ledger:execution"), DUAL_SIGNATURE), needed: 2 };
  does(world, "alice", issue({ formula: two, adjudicator: CAROL, validFor: 1_000_000_000n }));
  let claim = world.make("alice", issue({ validFor: 12n }));
  for (let depth = 1; depth <= 7; depth++) {
    claim = world.make("bob", issue({ formula: anyOf(claimAtom(claim), assumed("x")) }));
  }
  does(world, "bob", issue({ formula: claimAtom(claim) }));
  const last = world.make("bob", issue({ formula: claimAtom(claim) }));
  does(world, "bob", issue({ formula: allOf(claimAtom(last), claimAtom(NOBODY)) }));
  does(world, "bob", issue({ formula: claimAtom(last) }));
  const wide = world.make("alice", issue({ formula: fours(fours(DUAL_SIGNATURE)) }));
  does(world, "bob", issue({ formula: fours(claimAtom(wide)) }));
  does(world, "bob", issue({ formula: allOf(fours(claimAtom(wide)), assumed("x")) }));
  const robot = robotOf(world, { receipts: true });
  const receipt = world.make("robot", agentPay(robot, bob, 1n));
  does(world, "bob", issue({ formula: allOf(claimAtom(receipt), claimAtom(wide)) }));
  does(world, "robot", revokeClaim(receipt), adjudicate(receipt, true), reserve(receipt, bob, 1n));
}

function ofEnds(does: Does): void {
  const world = new World();
  const claim = world.make("alice", issue({ validFor: 2n, adjudicator: CAROL }));
  const on = issue({ formula: claimAtom(claim) });
  pass(world, 1);
  does(world, "alice", on);
  does(world, "alice", on, reserve(claim, bob, 1n), revokeClaim(claim), revokeClaim(claim));
  does(world, "alice", on, revokeClaim(NOBODY));
  does(world, "bob", revokeClaim(claim), reserve(claim, bob, 1n));
  does(world, "carol", adjudicate(claim, false), adjudicate(claim, true), adjudicate(claim, true));
  does(world, "alice", on, revokeClaim(claim), dispute(claim));
  const later = world.make("alice", issue({ adjudicator: CAROL }));
  does(world, "carol", adjudicate(later, true, "why"));
  does(world, "alice", revokeClaim(later));
}

function ofDisputes(does: Does): void {
  const world = new World();
  const claim = backedClaim(world);
  const formula = allOf(bondAtom("alice", "tests"), claimAtom(claim));
  const other = world.make("alice", issue({ formula, adjudicator: CAROL, validFor: null }));
  does(world, "bob", dispute(claim), dispute(NOBODY));
  world.make("alice", reserve(claim, bob, usd(3), 4n));
  world.make("alice", reserve(other, dana, usd(4), 1500n));
  world.make("alice", reserve(claim, dana, usd(5), 1n));
  does(world, "bob", dispute(other), dispute(claim, "why"), dispute(claim));
  does(world, "dana", dispute(claim));
  does(world, "alice", reserve(claim, bob, 1n), issue({ formula: claimAtom(claim) }));
  does(world, "carol", adjudicate(claim, false, "because"), adjudicate(claim, false));
  does(world, "dana", dispute(other));
  does(world, "carol", adjudicate(other, false));
  world.make("alice", reserve(other, dana, usd(4), 900n));
  world.make("alice", reserve(other, bob, usd(6), 950n));
  does(world, "dana", dispute(other));
  pass(world, 20);
  does(world, "bob", dispute(other));
  pass(world, 979);
  does(world, "alice", issue({ formula: claimAtom(other) }), release("tests", usd(90)));
  pass(world, 19);
  does(world, "carol", adjudicate(other, false));
  does(world, "alice", issue({ formula: claimAtom(other) }), release("tests", usd(96)));
  const unjudged = world.make("alice", issue({ formula }));
  does(world, "alice", dispute(unjudged));
}

/** What was reserved for one account at several times, in two bonds, beside what has lapsed. */
function ofPartsInDisputes(does: Does): void {
  const world = new World();
  for (const label of ["a", "b"]) world.make("alice", post(label, 10n));
  const [a, b] = [bondAtom("alice", "a"), bondAtom("alice", "b")];
  const claim = world.make("alice", issue({ formula: allOf(a, b), adjudicator: CAROL }));
  const onB = world.make("alice", issue({ formula: b, adjudicator: CAROL }));
  world.make("alice", reserve(onB, dana, 4n, 1n));
  world.make("alice", reserve(claim, bob, 3n, 50n));
  does(world, "bob", dispute(claim, "first"));
  does(world, "carol", adjudicate(claim, false));
  world.make("alice", reserve(claim, bob, 2n, 50n));
  does(world, "bob", dispute(claim, "second"), dispute(claim, "third"));
  does(world, "carol", adjudicate(claim, true, "both"));
}

/** A dispute ends by itself after 1000 Pulses, and can be decided until then whatever the status. */
function ofEndsOfDisputes(does: Does): void {
  const world = new World();
  const claim = backedClaim(world, { validFor: null });
  const formula = bondAtom("alice", "tests");
  const short = world.make("alice", issue({ formula, adjudicator: CAROL, validFor: 9n }));
  const back = world.make("alice", issue({ formula, adjudicator: CAROL }));
  for (const each of [claim, short, back]) world.make("alice", reserve(each, bob, 1n));
  world.make("alice", revokeClaim(back));
  does(world, "bob", dispute(claim), dispute(short), dispute(back));
  pass(world, 20);
  does(world, "carol", adjudicate(short, false), adjudicate(back, false));
  const on = issue({ formula: claimAtom(claim) });
  pass(world, 978);
  does(world, "alice", on, reserve(claim, bob, 1n));
  does(world, "alice", on, reserve(claim, bob, 1n));
  does(world, "carol", adjudicate(claim, false));
  does(world, "bob", dispute(claim));
}

function ofFindings(does: Does): void {
  const world = new World();
  const claim = backedClaim(world);
  for (const [label, amount] of [["b", 5n], ["c", 9n]] as const) {
    world.make("alice", post(label, amount));
  }
  const formula = anyOf(
    claimAtom(claim),
    allOf(bondAtom("alice", "c"), bondAtom("alice", "tests")),
    bondAtom("alice", "c"),
  );
  const other = world.make("alice", issue({ formula, adjudicator: CAROL, validFor: 1n }));
  world.make("alice", reserve(claim, dana, usd(2), 30n));
  world.make("alice", reserve(claim, bob, usd(8), 1n));
  const third = world.make("alice", issue({ formula, adjudicator: CAROL }));
  for (const [account, amount] of [[bob, 4n], [dana, 6n], [bob, usd(11)]] as const) {
    world.make("alice", reserve(third, account, amount));
  }
  world.make("alice", release("tests", usd(50)));
  does(world, "bob", adjudicate(third, true));
  does(world, "carol", adjudicate(other, true), adjudicate(NOBODY, true));
  does(world, "alice", topUp("c", 20n), release("c", 21n), release("tests", null));
  does(world, "alice", release("tests", 1n), release("c", 3n));
  does(world, "carol", adjudicate(third, true, "why"), adjudicate(claim, true));
  does(world, "alice", topUp("tests", 2n), release("tests", 3n));
}

/** Claims on signatures alone are done before the rest, but not before what their lane has to do. */
function ofPhases(execute: Execute): void {
  const world = new World();
  const claim = backedClaim(world);
  const on = issue({ formula: claimAtom(claim) });
  execute(world, [
    world.unit("carol", [on]),
    world.unit("dana", [issue()]),
    world.unit("carol", [issue()], { ahead: 1 }),
    world.unit("alice", [issue(), revokeClaim(claim)]),
    world.unit("bob", [on, issue()]),
    world.unit("dana", [on], { ahead: 1 }),
  ], 1000n);
}

/**
 * What rests on a claim of a later unit of its own Pulse finds it only if that one is done first, as
 * a claim on signatures alone is.
 */
function ofClaimsOfTheSamePulse(execute: Execute): void {
  for (const formula of [DUAL_SIGNATURE, assumed("x"), allOf(DUAL_SIGNATURE, assumed("x"))]) {
    const world = new World();
    const issuing = world.unit("dana", [issue({ formula })]);
    const [receipt] = new World().execute([issuing]).receipts;
    const on = issue({ formula: claimAtom(receipt?.made[0] ?? NOBODY) });
    execute(world, [world.unit("bob", [on]), issuing], 1000n);
  }
}
