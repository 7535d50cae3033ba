import { describe, expect, test } from "vitest";
import { bondId } from "../../../internal/ledger/claims/atom.ts";
import { bondKind } from "../../../internal/ledger/objects/bond.ts";
import type { Action } from "#internal/ledger/mod.ts";
import {
  adjudicate,
  allOf,
  backedClaim,
  bondAtom,
  CAROL,
  issue,
  post,
  release,
  reserve,
  revokeClaim,
  topUp,
} from "../_claims.ts";
import { accountOf, FUNDS, names, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const TESTS = bondId({ account: alice, label: "tests" });
const short = (id: string) => id.slice(0, 8);
const bondOf = (world: World, id = TESTS) => world.read(bondKind, id);

describe("bond_post", () => {
  test("bond_post puts money at stake under a label [L-397 L-398 L-635]", () => {
    const world = new World();
    const action = post("tests", usd(100));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      "Put 100 USD at stake as bond tests. Fee 0.0011 USD; valid until Pulse 20.",
    );
    const receipt = world.do("alice", action);
    expect(receipt.made).toEqual([TESTS]);
    expect(receipt.events).toEqual([{
      BondPosted: { account: alice, amount: usd(100), bond: TESTS, label: "tests" },
    }]);
    expect(world.sentence(action)).toBe(
      "Done: 100 USD at stake as bond tests; fee 0.0011 USD.",
    );
    expect(world.balance(alice)).toBe(FUNDS - usd(100) - 1100n);
    expect(bondOf(world)).toEqual({
      account: alice,
      label: "tests",
      amount: usd(100),
      release: null,
      reservations: [],
      slashed: 0n,
      made: 1n,
    });
  });

  test("bond_post of one label is one bond an account, also when it is empty [L-397]", () => {
    const world = new World();
    world.make("alice", post("tests", 1n));
    expect(world.make("bob", post("tests", 1n))).not.toBe(TESTS);
    expect(world.make("alice", post("others", 1n))).not.toBe(TESTS);
    expect(reasonOf(world.do("alice", post("tests", 1n)))).toBe(
      "invalid transaction: the bond exists already",
    );
    expect(reasonOf(world.do("alice", post("more", FUNDS)))).toBe(
      "invalid transaction: the balance is too low",
    );
  });

  test.each(["", "-tests", "a b", "ä", "x".repeat(33)])("bond_post takes no label %j", (label) => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [post(label, 1n)]))).toThrow(
      TypeError,
    );
  });

  test.each([post("a", 0n), topUp("a", 0n), release("a", 0n)])(
    "a bond changed by nothing is refused at once",
    (action) => {
      const world = new World();
      expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
    },
  );
});

describe("bond_top_up", () => {
  test("bond_top_up puts more at stake in one's own bond [L-398]", () => {
    const world = new World();
    world.make("alice", post("tests", usd(100)));
    const action = topUp("tests", usd(5));
    expect(world.do("alice", action).events).toEqual([{
      BondToppedUp: { account: alice, amount: usd(5), bond: TESTS, label: "tests" },
    }]);
    expect(world.sentence(action)).toBe(
      "Done: 5 USD more at stake as bond tests; fee 0.0011 USD.",
    );
    expect(bondOf(world)?.amount).toBe(usd(105));
    expect(reasonOf(world.do("bob", action))).toBe(
      `invalid transaction: there is no bond ${short(bondId({ account: bob, label: "tests" }))}`,
    );
    expect(reasonOf(world.do("alice", topUp("tests", FUNDS)))).toBe(
      "invalid transaction: the balance is too low",
    );
  });
});

describe("bond_release", () => {
  test("bond_release gives money back after its delay, not before [L-398 L-635]", () => {
    const world = new World();
    world.make("alice", post("tests", usd(100)));
    const action = release("tests", usd(30));
    world.do("alice", action);
    const due = world.pulse + 1000n;
    expect(world.sentence(action)).toBe(
      `Done: 30 USD of bond tests released at Pulse ${due}; fee 0.0011 USD.`,
    );
    expect(bondOf(world)).toMatchObject({ amount: usd(100), release: { amount: usd(30), due } });
    while (world.pulse < due - 2n) world.execute([]);
    const take = release("tests", null);
    expect(reasonOf(world.do("alice", take))).toBe(
      `invalid transaction: the money is released at Pulse ${due}`,
    );
    const before = world.balance(alice);
    expect(world.do("alice", take).events).toEqual([{
      BondReleased: {
        account: alice,
        amount: usd(30),
        bond: TESTS,
        label: "tests",
        left: usd(70),
      },
    }]);
    expect(world.sentence(take)).toBe(
      "Done: 30 USD of bond tests taken, 70 USD left; fee 0.0011 USD.",
    );
    expect(world.balance(alice)).toBe(before + usd(30) - 1100n);
    expect(bondOf(world)).toMatchObject({ amount: usd(70), release: null });
    expect(reasonOf(world.do("alice", take))).toBe(
      "invalid transaction: nothing of the bond is on its way out",
    );
  });

  test("bond_release of more begins the delay anew for all of it", () => {
    const world = new World();
    world.make("alice", post("tests", usd(100)));
    world.make("alice", release("tests", usd(30)));
    world.make("alice", release("tests", usd(70)));
    expect(bondOf(world)?.release).toEqual({ amount: usd(100), due: world.pulse + 1000n });
    expect(reasonOf(world.do("alice", release("tests", 1n)))).toBe(
      "invalid transaction: only 0 USD of the bond is free",
    );
  });

  test("bond_release leaves what is reserved, until that lapses [L-399]", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(60), 3n));
    expect(reasonOf(world.do("alice", release("tests", usd(41))))).toBe(
      "invalid transaction: only 40 USD of the bond is free",
    );
    world.execute([]);
    expect(reasonOf(world.do("alice", release("tests", usd(41))))).toBe(
      "invalid transaction: only 40 USD of the bond is free",
    );
    world.make("alice", release("tests", usd(100)));
    expect(bondOf(world)?.reservations).toEqual([]);
  });
});

describe("bond_reserve", () => {
  test("bond_reserve holds backing of a claim for who relies on it [L-399]", () => {
    const world = new World();
    const claim = backedClaim(world);
    const action = reserve(claim, bob, usd(40));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Reserve 40 USD of what backs claim ${short(claim)} for bob for 50 Pulses. ` +
        "Fee 0.0011 USD; valid until Pulse 22.",
    );
    const { events } = world.do("alice", action);
    const until = world.pulse + 50n;
    expect(events).toEqual([{
      BackingReserved: { account: bob, amount: usd(40), claim, until },
    }]);
    expect(bondOf(world)?.reservations).toEqual([
      { claim, account: bob, amount: usd(40), until, disputed: false },
    ]);
    expect(reasonOf(world.do("alice", reserve(claim, bob, usd(61))))).toBe(
      "invalid transaction: only 60 USD of backing is unreserved",
    );
  });

  test("bond_reserve takes from one bond after the other, each as far as it is free", () => {
    const world = new World();
    for (const [label, amount] of [["b", 5], ["a", 7], ["c", 9]] as const) {
      world.make("alice", post(label, usd(amount)));
    }
    const formula = allOf(...["b", "a", "c"].map((label) => bondAtom("alice", label)));
    const claim = world.make("alice", issue({ formula, adjudicator: CAROL }));
    world.make("alice", reserve(claim, bob, usd(8)));
    const parts = () =>
      ["b", "a", "c"].map((label) =>
        bondOf(world, bondId({ account: alice, label }))?.reservations.map(({ amount }) => amount)
      );
    expect(parts()).toEqual([[usd(5)], [usd(3)], []]);
    world.make("alice", reserve(claim, accountOf("dana"), usd(13)));
    expect(parts()).toEqual([[usd(5)], [usd(3), usd(4)], [usd(9)]]);
  });

  test("bond_reserve keeps at most 64 reservations a bond, lapsed ones apart", () => {
    const world = new World();
    const claim = backedClaim(world);
    const many = (pulses: bigint): Action[] =>
      Array.from({ length: 32 }, () => reserve(claim, bob, 1n, pulses));
    world.execute([world.unit("alice", many(2n))]);
    world.execute([world.unit("alice", many(50n))]);
    expect(reasonOf(world.do("alice", reserve(claim, bob, 1n)))).toBe(
      `invalid transaction: bond ${short(TESTS)} has 64 reservations`,
    );
    world.make("alice", reserve(claim, bob, 1n));
    expect(bondOf(world)?.reservations).toHaveLength(33);
  });

  test("bond_reserve is for the issuer of an active claim that somebody can judge", () => {
    const world = new World();
    const claim = backedClaim(world);
    expect(reasonOf(world.do("bob", reserve(claim, bob, 1n)))).toBe(
      "unauthorized: only who issued the claim may reserve what backs it",
    );
    const unjudged = world.make("alice", issue({ formula: bondAtom("alice", "tests") }));
    expect(reasonOf(world.do("alice", reserve(unjudged, bob, 1n)))).toBe(
      "invalid transaction: the claim names no adjudicator",
    );
    const bare = world.make("alice", issue({ adjudicator: CAROL }));
    expect(reasonOf(world.do("alice", reserve(bare, bob, 1n)))).toBe(
      "invalid transaction: only 0 USD of backing is unreserved",
    );
    world.make("alice", revokeClaim(claim));
    expect(reasonOf(world.do("alice", reserve(claim, bob, 1n)))).toBe(
      "invalid transaction: the claim is revoked",
    );
    world.make("carol", adjudicate(bare, true));
    expect(reasonOf(world.do("alice", reserve(bare, bob, 1n)))).toBe(
      "invalid transaction: the claim is refuted",
    );
  });

  test.each([[0n, 1n], [1n, 0n], [1n, 100_001n]])(
    "bond_reserve of %s for %s Pulses is refused at once",
    (amount, pulses) => {
      const world = new World();
      const action = reserve(TESTS, bob, amount, pulses);
      expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
    },
  );
});
