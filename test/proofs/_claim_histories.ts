/** Random histories of bonds and of claims that rest on them and on each other. */
import fc from "fast-check";
import type { Action, Claim, Ordered } from "#internal/ledger/mod.ts";
import { claimKind } from "#internal/ledger/mod.ts";
import { bondKind } from "../../internal/ledger/objects/bond.ts";
import type { Formula } from "../ledger/_claims.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  assumed,
  bondAtom,
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
import { accountOf, World } from "../ledger/_world.ts";

const ACTORS = ["alice", "bob", "carol", "dana"] as const;
const LABELS = ["a", "b", "c"] as const;
const NOTHING = "11".repeat(32);

/** Numbers from which an action is chosen among what there is by then. */
interface Draw {
  readonly who: number;
  readonly what: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly amount: bigint;
}

/** A Pulse's worth of draws, and how many empty Pulses are before it. */
export interface DrawnClaims {
  readonly passed: number;
  readonly draws: readonly Draw[];
}

/** Long enough for claims, reservations and disputes to end. */
export const claimHistories: fc.Arbitrary<DrawnClaims[]> = fc.array(
  fc.record({
    passed: fc.constantFrom(0, 0, 0, 0, 1, 2, 5, 950, 1000),
    draws: fc.array(
      fc.record({
        who: fc.nat(ACTORS.length - 1),
        what: fc.nat(19),
        a: fc.nat(60),
        b: fc.nat(60),
        c: fc.nat(60),
        amount: fc.oneof(fc.bigInt({ min: 1n, max: 5n }), fc.bigInt({ min: 1n, max: 100n })),
      }),
      { minLength: 1, maxLength: 10 },
    ),
  }),
  { minLength: 1, maxLength: 14 },
);

function pick<T>(from: readonly T[], at: number): T {
  return from[at % from.length] as T;
}

function claimsOf(world: World): string[] {
  return [...world.state.entries()].filter(([, { kind }]) => kind === claimKind.name)
    .map(([id]) => id);
}

/** A claim of the state, the newest as often as any other; now and then one of nothing. */
function someClaim(world: World, at: number): string {
  const all = claimsOf(world);
  return at % 13 === 0 || all.length === 0 ? NOTHING : pick(all, at);
}

function formulaOf(world: World, by: string, { a, b, c }: Draw): Formula {
  const bond = (at: number) => bondAtom(at % 11 === 0 ? "bob" : by, pick(LABELS, at));
  const claim = claimAtom(someClaim(world, c));
  const formulas: readonly Formula[] = [
    DUAL_SIGNATURE,
    anyOf(DUAL_SIGNATURE, bond(b)),
    allOf(bond(b), bond(c)),
    anyOf(claim, bond(b), allOf(bond(c), bond(b + 1))),
    allOf(claim, assumed("x")),
    allOf(bond(b), bond(b + 1), anyOf(claim, bond(b + 2))),
  ];
  return pick(formulas, a);
}

function actionOf(world: World, by: string, one: Draw): Action {
  const { what, a, b, c, amount } = one;
  const label = pick(LABELS, b);
  const claim = someClaim(world, a);
  if (what <= 1) return post(label, amount * 3n);
  if (what === 2) return topUp(label, amount);
  if (what <= 4) return release(label, c % 2 === 0 ? null : amount);
  if (what <= 8) return reserve(claim, accountOf(pick(ACTORS, b)), amount, BigInt(1 + c % 9));
  if (what <= 12) {
    const adjudicator = b % 5 === 0 ? null : { account: accountOf(pick(ACTORS, b)), label: "j" };
    const validFor = c % 3 === 0 ? null : BigInt(1 + c);
    return issue({ formula: formulaOf(world, by, one), adjudicator, validFor });
  }
  if (what === 13) return revokeClaim(claim);
  if (what <= 16) return dispute(claim, "why");
  return adjudicate(claim, c % 2 === 0, "because");
}

/** The account that may do it, if any. */
function mayDo(world: World, action: Action): string | undefined {
  if (!("claim" in action.body)) return undefined;
  const { claim: id } = action.body;
  const claim = world.read(claimKind, id);
  if (!claim) return undefined;
  if (action.kind === "claim_adjudicate") return adjudicatorOf(claim);
  if (action.kind !== "claim_dispute") return claim.issuer;
  const bonds = [...world.state.entries()].flatMap(([key]) => world.read(bondKind, key) ?? []);
  return bonds.flatMap((bond) => bond.reservations).find((each) => each.claim === id)?.account;
}

function adjudicatorOf({ basis }: Claim): string | undefined {
  return basis.kind === "trust" ? basis.body.adjudicator?.account : undefined;
}

/** A Pulse's units, one or two members each; actors are mostly who may do it. */
export function claimsOrderedOf(world: World, { passed, draws }: DrawnClaims): Ordered[] {
  world.pulse += BigInt(passed);
  const ahead = new Map<string, number>();
  return draws.map((one): Ordered => {
    const drawn = pick(ACTORS, one.who);
    const action = actionOf(world, drawn, one);
    const may = one.c % 6 === 0 ? undefined : mayDo(world, action);
    const name = ACTORS.find((each) => accountOf(each) === may) ?? drawn;
    const second = { ...one, what: (one.what + one.c) % 20, a: one.a + 1 };
    const actions = [action, ...one.b % 4 === 0 ? [actionOf(world, name, second)] : []];
    const taken = ahead.get(name) ?? 0;
    ahead.set(name, taken + actions.length);
    return {
      type: "unit",
      signed: world.unit(name, actions, { ahead: taken }),
      forced: false,
    };
  });
}

/** A world in which alice and bob have bonds, and alice claims on them. */
export function claimingWorld(shards: number): World {
  const world = new World({ shards });
  for (const name of ["alice", "bob"]) {
    for (const label of LABELS.slice(0, 2)) world.make(name, post(label, 90n));
  }
  const judge = { account: accountOf("carol"), label: "j" };
  for (const name of ["alice", "bob"]) {
    const formula = allOf(bondAtom(name, "b"), anyOf(bondAtom(name, "a"), DUAL_SIGNATURE));
    const claim = world.make(name, issue({ formula, adjudicator: judge, validFor: null }));
    world.make(name, reserve(claim, accountOf("dana"), 20n, 2000n));
  }
  return world;
}
