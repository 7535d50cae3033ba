/** Random histories of tasks, of the claims that they require, and of what becomes of what backs them. */
import fc from "fast-check";
import type { Action, Claim, Ordered } from "#internal/ledger/mod.ts";
import { claimKind } from "#internal/ledger/mod.ts";
import { taskKind } from "../../internal/ledger/objects/task.ts";
import type { Funded } from "../ledger/_agents.ts";
import { resume, robotOf, suspend } from "../ledger/_agents.ts";
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
  issue,
  post,
  release,
  reserve,
  revokeClaim,
  topUp,
} from "../ledger/_claims.ts";
import type { World } from "../ledger/_world.ts";
import { accountOf, usd } from "../ledger/_world.ts";
import {
  attestationOf,
  postTask,
  refund,
  resultOf,
  settle,
  taskWorld,
  verifiersOf,
  WORKSHOP,
} from "./_task_actions.ts";

const LABELS = ["a", "b", "c", "judge"] as const;
const NOTHING = "11".repeat(32);

/** Numbers from which an action is chosen among what there is by then. */
interface Draw {
  readonly what: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly amount: bigint;
}

/** A Pulse's worth of draws, and how many empty Pulses are before it. */
export interface DrawnTasks {
  readonly passed: number;
  readonly draws: readonly Draw[];
}

/** Long enough for tasks and reservations to end. */
export const taskHistories: fc.Arbitrary<DrawnTasks[]> = fc.array(
  fc.record({
    passed: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, 3, 9),
    draws: fc.array(
      fc.record({
        what: fc.nat(29),
        a: fc.nat(60),
        b: fc.nat(60),
        c: fc.nat(60),
        amount: fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: 1n, max: 150n })),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 6, maxLength: 20 },
);

function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}

function idsOf(world: World, kind: string): string[] {
  return [...world.state.entries()].filter(([, object]) => object.kind === kind).map(([id]) => id);
}

/** One of the ids; now and then one of nothing. */
function some(ids: readonly string[], at: number): string {
  return at % 13 === 0 || ids.length === 0 ? NOTHING : pick(ids, at);
}

/** Claims of a schema, with their ids. */
function claimsOf(world: World, schema?: string): (readonly [string, Claim])[] {
  return idsOf(world, claimKind.name).flatMap((id) => {
    const claim = world.read(claimKind, id);
    return claim && (schema ?? claim.schema) === claim.schema ? [[id, claim] as const] : [];
  });
}

function textOf({ subject }: Claim): string {
  return subject.kind === "note" ? subject.body.text : "";
}

/** A formula over bonds, judges and claims in which the same atoms stand in several places. */
function formulaOf(world: World, { a, b, c }: Draw): Formula {
  const bond = (at: number) => bondAtom("alice", pick(LABELS.slice(0, 3), at));
  const judge = (at: number) =>
    atomFormula({
      kind: "adjudicator",
      body: { account: accountOf(pick(["alice", "carol"], at)), label: pick(LABELS, at) },
    });
  const claim = claimAtom(some(claimsOf(world, "note/v1").map(([id]) => id), c));
  const four = allOf(bond(b), bond(b + 1), judge(c), claim);
  const formulas: readonly Formula[] = [
    bond(b),
    anyOf(claim, bond(b), allOf(bond(c), bond(b + 1))),
    allOf(anyOf(bond(b), judge(c)), anyOf(judge(c), judge(b)), anyOf(judge(b), bond(b))),
    four.kind === "group" ? { ...four, needed: 2 } : four,
    allOf(claim, assumed("x"), anyOf(bond(c), judge(b))),
    allOf(anyOf(bond(b), bond(b + 1)), anyOf(bond(b + 1), bond(b + 2)), anyOf(bond(b + 2), claim)),
  ];
  return pick(formulas, a);
}

function postingOf(world: World, robot: Funded, { a, b, c, amount }: Draw): [string, Action] {
  const notes = claimsOf(world, "note/v1").map(([id]) => id);
  const requires = [...new Set([some(notes, b), some(notes, c)])].slice(0, a % 3);
  const verifiers = verifiersOf("dana", "erin", "carol").slice(0, b % 4);
  const terms = {
    requires,
    verifiers,
    adjudicator: c % 4 === 0 ? null : CAROL,
    worker: a % 4 === 0 && !verifiers.includes(accountOf("bob")) ? accountOf("bob") : null,
    kappa: pick([1_000_000n, 500_001n, 2_000_000n], b),
    detection: c % 5 === 0 ? 900 : 1000,
    reliance: BigInt(1 + b % 9),
    pulses: BigInt(2 + c % 25),
    amount,
  };
  if (a % 3 > 0) return ["alice", postTask(terms)];
  const budget = { charter: robot.charter, allotment: robot.allotment };
  return ["robot", postTask({ ...terms, budget })];
}

/** A result or an attestation of a task, as the task wants it but for now and then. */
function claimOf(world: World, { what, a, b, c }: Draw): [string, Action] {
  const id = some(idsOf(world, taskKind.name), a);
  const rule = world.read(taskKind, id)?.rule;
  const adjudicator = c % 9 === 0 ? null : rule?.adjudicator ?? null;
  if (what % 2 === 0) {
    const by = pick(["dana", "erin", "carol"], b);
    const subject = `task ${id} output ${"ab".repeat(32)} worker ${accountOf("bob")}`;
    return [by, attestationOf(by, id, { adjudicator, ...c % 3 === 0 && { subject } })];
  }
  const about = claimsOf(world, "task-attestation/v1").filter(([, one]) =>
    textOf(one).startsWith(`task ${id}`)
  );
  const attestations = about.map(([each]) => each).slice(0, b % 3);
  const requires = rule?.requires ?? [];
  const detection = c % 7 === 0 ? 800 : rule?.detection ?? 1000;
  return ["bob", resultOf(id, { requires, attestations, adjudicator, detection })];
}

/** The settlement of a task with a result of it, and what the result says that attests it. */
function settlementOf(world: World, { a, b, c }: Draw): [string, Action] {
  const all = claimsOf(world, "task-result/v1");
  const open = all.filter(([, one]) =>
    world.read(taskKind, textOf(one).slice(5, 69))?.outcome.kind === "open"
  );
  const results = c % 8 === 0 || open.length === 0 ? all : open;
  const [result, claim] = results.length === 0 ? [NOTHING, undefined] : pick(results, a);
  const text = claim === undefined ? "" : textOf(claim);
  const task = b % 11 === 0 ? some(idsOf(world, taskKind.name), b) : text.slice(5, 69) || NOTHING;
  const required = new Set(world.read(taskKind, task)?.rule.requires);
  const said = claim === undefined ? "" : JSON.stringify(claim.basis.body);
  const attestations = claimsOf(world).map(([id]) => id)
    .filter((id) => said.includes(id) && !required.has(id))
    .sort((one, other) => said.indexOf(one) - said.indexOf(other));
  const shown = c % 9 === 0 ? attestations.slice(1) : attestations;
  return [b % 10 === 0 ? "dana" : "bob", settle(task, result, ...shown)];
}

function refundOf(world: World, { b, c }: Draw): [string, Action] {
  const task = some(idsOf(world, taskKind.name), b);
  const isRobots = world.read(taskKind, task)?.poster === accountOf("robot");
  return [isRobots && c % 2 === 0 ? "robot" : c % 5 === 0 ? "dana" : "alice", refund(task)];
}

/** What becomes of claims and of what is at stake. */
function otherOf(world: World, robot: Funded, one: Draw): [string, Action] {
  const { what, a, b, c, amount } = one;
  const claims = claimsOf(world);
  const [id, claim] = claims.length === 0 ? [NOTHING, undefined] : pick(claims, a);
  const issuer = WORKSHOP.find((name) => accountOf(name) === claim?.issuer) ?? "bob";
  if (what === 22) return [issuer, reserve(id, accountOf("carol"), amount, BigInt(1 + c % 9))];
  if (what === 23) return ["alice", dispute(id, "why")];
  if (what === 24) return ["carol", adjudicate(id, b % 3 === 0, "because")];
  if (what === 25) return [issuer, b % 2 === 0 ? revokeClaim(id) : issue({ validFor: 3n })];
  if (what === 26) return ["bob", release("task-worker", amount)];
  if (what === 27) return ["alice", b % 2 === 0 ? suspend(robot.agent) : resume(robot.agent)];
  if (what === 28) return ["bob", topUp("task-worker", amount)];
  return [pick(["dana", "erin"], b), topUp("tests", amount)];
}

function actionOf(world: World, robot: Funded, one: Draw): [string, Action] {
  const { what, b, c } = one;
  if (what <= 3) return postingOf(world, robot, one);
  if (what <= 6) {
    const adjudicator = b % 3 === 0 ? { account: accountOf("alice"), label: "c" } : null;
    const detection = c % 4 === 0 ? 700 : 1000;
    const validFor = c % 3 === 0 ? BigInt(1 + c) : null;
    const formula = formulaOf(world, one);
    return ["alice", issue({ formula, adjudicator, detection, validFor })];
  }
  if (what <= 13) return claimOf(world, one);
  if (what <= 18) return settlementOf(world, one);
  return what <= 21 ? refundOf(world, one) : otherOf(world, robot, one);
}

/** A Pulse's units of one transaction each. */
export function tasksOrderedOf(
  world: World,
  robot: Funded,
  { passed, draws }: DrawnTasks,
): Ordered[] {
  world.pulse += BigInt(passed);
  const ahead = new Map<string, number>();
  return draws.map((one): Ordered => {
    const [name, action] = actionOf(world, robot, one);
    const taken = ahead.get(name) ?? 0;
    ahead.set(name, taken + 1);
    const signed = world.unit(name, [action], { ahead: taken });
    return { type: "unit", signed, forced: false };
  });
}

/** The workshop, alice's bonds, and her robot with a charter that asks for receipts. */
export function busyWorkshop(shards: number): { readonly world: World; readonly robot: Funded } {
  const world = taskWorld(shards);
  for (const [at, label] of LABELS.slice(0, 3).entries()) {
    world.make("alice", post(label, BigInt(60 + 35 * at)));
  }
  const formula = allOf(bondAtom("alice", "a"), bondAtom("alice", "b"));
  const requires = [world.make("alice", issue({ formula, adjudicator: CAROL, validFor: null }))];
  for (const terms of [{ amount: 120n }, { amount: 80n, requires, worker: accountOf("bob") }]) {
    const task = world.make("alice", postTask(terms));
    const attestations = ["dana", "erin"].map((by) => world.make(by, attestationOf(by, task)));
    const rests = { requires: terms.requires ?? [] };
    world.make("bob", resultOf(task, rests));
    world.make("bob", resultOf(task, { ...rests, attestations }));
  }
  const bucket = { capacity: 500n, refill: 20n, periodMs: 1000n };
  return { world, robot: robotOf(world, { bucket, receipts: true }, usd(0.001)) };
}
