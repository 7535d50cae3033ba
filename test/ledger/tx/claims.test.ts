import { describe, expect, test } from "vitest";
import { claimId, claimKind } from "#internal/ledger/mod.ts";
import { bondId } from "../../../internal/ledger/claims/atom.ts";
import { assetKind, USD } from "../../../internal/ledger/objects/asset.ts";
import { bondKind } from "../../../internal/ledger/objects/bond.ts";
import { agentPay, robotOf } from "../_agents.ts";
import type { Formula } from "../_claims.ts";
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
} from "../_claims.ts";
import { accountOf, names, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const carol = accountOf("carol");
const dana = accountOf("dana");
const TESTS = bondId({ account: alice, label: "tests" });
const NOBODY = "11".repeat(32);
const short = (id: string) => id.slice(0, 8);
const many = (count: number, formula: Formula): Formula[] =>
  Array.from({ length: count }, () => formula);

describe("claim_issue", () => {
  test("claim_issue states something on the signature alone [L-165 L-167 L-178 L-181]", () => {
    const world = new World();
    const action = issue();
    const unit = world.unit("dana", [action]);
    expect(world.ledger.intent(unit, names)).toBe(
      'State "Invoice 88 was paid in full" as note/v1, resting on the signature alone, ' +
        "for 2000 Pulses. Fee 0.0011 USD; valid until Pulse 20.",
    );
    const { receipts: [receipt], events, roots } = world.execute([unit]);
    const claim = receipt?.made[0] ?? "";
    expect(world.sentence(action)).toBe(`Done: claim ${short(claim)} submitted; fee 0.0011 USD.`);
    expect(receipt?.events).toEqual([]);
    expect(events).toEqual([{
      pulse: 1n,
      tx: null,
      event: { ClaimIssued: { claim, log_index: 0n } },
    }]);
    expect(roots.knowledgeSize).toBe(1n);
    const value = world.read(claimKind, claim);
    expect(value).toMatchObject({
      issuer: dana,
      issued: 1n,
      validUntil: 2001n,
      depth: 0,
      atoms: 2,
    });
    expect(value && claimId(value)).toBe(claim);
    expect(world.ledger.viewObject({ kind: "claim", value }, world)).toMatchObject({
      subject: "Invoice 88 was paid in full",
      schema: "note/v1",
      formula: "all of (ml-dsa-44, slh-dsa-sha2-128f)",
      status: "Active",
      detection_permille: 1000,
    });
  });

  test("claim_issue states the same twice in a Pulse, as two claims that cannot fail", () => {
    const world = new World();
    const { receipts } = world.execute([world.unit("dana", [issue(), issue()])]);
    expect(receipts.map(({ outcome }) => outcome.kind)).toEqual(["success", "success"]);
    expect(receipts[0]?.made).not.toEqual(receipts[1]?.made);
  });

  test("claim_issue is fixed by its certificate when it rests on signatures only", () => {
    const world = new World();
    world.make("alice", post("tests", 1n));
    const bonded = issue({ formula: bondAtom("alice", "tests") });
    // In certified order the bonded one is first; it waits for the second phase all the same.
    const { receipts } = world.execute([
      world.unit("alice", [bonded]),
      world.unit("bob", [issue()]),
      world.unit("alice", [issue()], { ahead: 1 }),
    ]);
    expect(receipts.map(({ outcome }) => outcome.kind)).toEqual(
      many(3, DUAL_SIGNATURE).map(() => "success"),
    );
    const kind = world.ledger.kinds.find(({ name }) => name === "claim_issue");
    const fixes = kind?.certificateFixes as (body: unknown) => string;
    expect([issue(), bonded, issue({ formula: assumed("x") })].map(({ body }) => fixes(body)))
      .toEqual(["outcome", "execution", "execution"]);
  });

  test("claim_issue rests on its issuer's bond, with a judge and a chance to be noticed [L-166]", () => {
    const world = new World();
    world.make("alice", post("tests", usd(1)));
    const formula = anyOf(DUAL_SIGNATURE, bondAtom("alice", "tests"));
    const action = issue({ formula, adjudicator: CAROL, detection: 900, validFor: null });
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      'State "Invoice 88 was paid in full" as note/v1, resting on any of (all of (ml-dsa-44, ' +
        "slh-dsa-sha2-128f), bond alice:tests), judged by carol with bond judge, noticed 900 " +
        "times in 1000, without end. Fee 0.0011 USD; valid until Pulse 21.",
    );
    expect(world.do("alice", action).outcome.kind).toBe("success");
    expect(reasonOf(world.do("bob", action))).toBe(
      "unauthorized: a claim can rest on bonds of its issuer only",
    );
    expect(reasonOf(world.do("alice", issue({ formula: bondAtom("alice", "none") })))).toBe(
      `invalid transaction: there is no bond ${short(bondId({ account: alice, label: "none" }))}`,
    );
  });

  test("claim_issue rests on earlier claims while they are active, eight deep [L-402]", () => {
    const world = new World();
    let claim = world.make("alice", issue());
    for (let depth = 1; depth <= 8; depth++) {
      claim = world.make("bob", issue({ formula: claimAtom(claim) }));
      expect(world.read(claimKind, claim)).toMatchObject({ depth, atoms: 2 });
    }
    expect(reasonOf(world.do("bob", issue({ formula: claimAtom(claim) })))).toBe(
      "invalid transaction: claims can be at most 8 deep",
    );
    world.make("bob", revokeClaim(claim));
    expect(reasonOf(world.do("bob", issue({ formula: claimAtom(claim) })))).toBe(
      `invalid transaction: claim ${short(claim)} is revoked`,
    );
    expect(reasonOf(world.do("bob", issue({ formula: claimAtom(NOBODY) })))).toBe(
      "invalid transaction: there is no claim 11111111",
    );
  });

  test("claim_issue rests on at most 128 atoms, those of claims below counted", () => {
    const world = new World();
    const wide = world.make("alice", issue({ formula: allOf(...many(32, assumed("a"))) }));
    const four = allOf(...many(4, claimAtom(wide)));
    expect(world.read(claimKind, world.make("bob", issue({ formula: four })))?.atoms).toBe(128);
    expect(reasonOf(world.do("bob", issue({ formula: allOf(four, assumed("b")) })))).toBe(
      "invalid transaction: a claim can rest on at most 128 atoms",
    );
  });

  const nested = (depth: number): Formula =>
    depth === 0 ? assumed("a") : allOf(nested(depth - 1), assumed("b"));

  test("claim_issue takes formulas up to their bounds", () => {
    const world = new World();
    const labels = Array.from({ length: 8 }, (_, at) => `b${at}`);
    for (const label of labels) world.make("alice", post(label, 1n));
    for (
      const formula of [
        nested(4),
        allOf(...many(32, assumed("x"))),
        allOf(...labels.flatMap((label) => many(2, bondAtom("alice", label)))),
      ]
    ) {
      expect(world.do("alice", issue({ formula })).outcome.kind).toBe("success");
    }
  });

  test.each([
    ["no schema", { schema: "" }],
    ["a schema with a space", { schema: "a b" }],
    ["nothing stated", { subject: "" }],
    ["never noticed", { detection: 0 }],
    ["noticed too often", { detection: 1001 }],
    ["over at once", { validFor: 0n }],
    ["valid too long", { validFor: 1_000_000_001n }],
    ["a judge without a label", { adjudicator: { account: bob, label: "" } }],
    ["groups five deep", { formula: nested(5) }],
    ["33 atoms", { formula: allOf(allOf(...many(31, assumed("x"))), ...many(2, assumed("x"))) }],
    ["a group of one", { formula: allOf(assumed("x")) }],
    ["a group of which none is needed", {
      formula: { ...allOf(assumed("x"), assumed("y")), needed: 0 },
    }],
    ["a group of which too many are", {
      formula: { ...allOf(assumed("x"), assumed("y")), needed: 3 },
    }],
    ["an unnamed assumption", { formula: assumed("") }],
    ["a family that is not", { formula: atomFormula({ kind: "signature", body: { family: 2 } }) }],
    ["nine bonds", {
      formula: allOf(...Array.from({ length: 9 }, (_, at) => bondAtom("alice", `${at}`))),
    }],
  ])("claim_issue with %s is refused at once", (_what, some) => {
    const world = new World();
    const unit = world.unit("alice", [issue(some as Parameters<typeof issue>[0])]);
    expect(() => world.ledger.encodeSigned(unit)).toThrow(TypeError);
  });
});

describe("claim_revoke", () => {
  test("claim_revoke takes one's own claim back, once [L-404]", () => {
    const world = new World();
    const claim = backedClaim(world);
    expect(reasonOf(world.do("bob", revokeClaim(claim)))).toBe(
      "unauthorized: only who issued the claim may revoke it",
    );
    const action = revokeClaim(claim);
    expect(world.do("alice", action).events).toEqual([{ ClaimRevoked: { by: alice, claim } }]);
    expect(world.sentence(action)).toBe(`Done: claim ${short(claim)} revoked; fee 0.0011 USD.`);
    expect(world.read(claimKind, claim)?.revoked).toBe(world.pulse);
    expect(reasonOf(world.do("alice", action))).toBe(
      "invalid transaction: the claim is revoked already",
    );
    world.make("carol", adjudicate(claim, true));
    expect(reasonOf(world.do("alice", action))).toBe(
      "invalid transaction: the claim is refuted already",
    );
  });

  test("claim_revoke does not touch what the ledger itself claims", () => {
    const world = new World();
    const robot = robotOf(world, { receipts: true });
    const receipt = world.make("robot", agentPay(robot, bob, 1n));
    expect(reasonOf(world.do("robot", revokeClaim(receipt)))).toBe(
      "invalid transaction: the ledger itself made the claim",
    );
    expect(reasonOf(world.do("robot", adjudicate(receipt, true)))).toBe(
      "invalid transaction: the claim names no adjudicator",
    );
  });
});

describe("claim_dispute", () => {
  test("claim_dispute makes a claim wait for its adjudicator, and holds what is reserved [L-213]", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(40), 5n));
    world.make("alice", reserve(claim, dana, usd(9), 5n));
    const action = dispute(claim, "it was never paid");
    expect(world.ledger.intent(world.unit("bob", [action]), names)).toBe(
      `Dispute claim ${short(claim)}, because "it was never paid". ` +
        "Fee 0.0011 USD; valid until Pulse 24.",
    );
    const { events } = world.do("bob", action);
    const until = world.pulse + 1000n;
    expect(events).toEqual([{
      ClaimDisputed: { by: bob, claim, reason: "it was never paid", until },
    }]);
    expect(world.sentence(action)).toBe(`Done: claim ${short(claim)} disputed; fee 0.0011 USD.`);
    expect(world.read(claimKind, claim)?.disputed).toEqual({ by: bob, since: world.pulse });
    const held = world.read(bondKind, TESTS)?.reservations ?? [];
    expect(held.map((one) => [one.until === until, one.disputed])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(reasonOf(world.do("bob", action))).toBe(
      "invalid transaction: the claim is disputed by the account already",
    );
    expect(world.do("dana", dispute(claim)).outcome.kind).toBe("success");
    expect(world.read(claimKind, claim)?.disputed?.by).toBe(dana);
  });

  test("claim_dispute never shortens a reservation", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(40), 5000n));
    const until = world.pulse + 5000n;
    world.make("bob", dispute(claim));
    expect(world.read(bondKind, TESTS)?.reservations[0]?.until).toBe(until);
  });

  test("claim_dispute is for whom backing of the claim is reserved, as long as it is", () => {
    const world = new World();
    const claim = backedClaim(world);
    const fault = "unauthorized: only for whom backing of the claim is reserved may dispute it";
    expect(reasonOf(world.do("bob", dispute(claim)))).toBe(fault);
    const formula = bondAtom("alice", "tests");
    const other = world.make("alice", issue({ formula, adjudicator: CAROL }));
    world.make("alice", reserve(other, bob, 1n, 2n));
    expect(reasonOf(world.do("bob", dispute(claim)))).toBe(fault);
    world.execute([]);
    expect(reasonOf(world.do("bob", dispute(other)))).toBe(fault);
    const unjudged = world.make("alice", issue({ formula }));
    expect(reasonOf(world.do("bob", dispute(unjudged)))).toBe(
      "invalid transaction: the claim names no adjudicator",
    );
    world.make("carol", adjudicate(other, true));
    expect(reasonOf(world.do("bob", dispute(other)))).toBe(
      "invalid transaction: the claim is refuted already",
    );
  });
});

describe("claim_adjudicate", () => {
  const treasury = (world: World) => world.read(assetKind, USD)?.treasury;

  test("claim_adjudicate pays who relied, and the rest to the treasury [L-352 L-394 L-404]", () => {
    const world = new World();
    const claim = backedClaim(world);
    const formula = bondAtom("alice", "tests");
    const other = world.make("alice", issue({ formula, adjudicator: CAROL }));
    world.make("alice", reserve(claim, bob, usd(20)));
    world.make("alice", reserve(other, bob, usd(8)));
    world.make("alice", reserve(claim, dana, usd(5)));
    world.make("alice", reserve(claim, bob, usd(2)));
    world.make("alice", release("tests", usd(10)));
    const before = [bob, dana, alice].map((account) => world.balance(account));
    const action = adjudicate(claim, true, "the invoice is open");
    expect(world.ledger.intent(world.unit("carol", [action]), names)).toBe(
      `Find claim ${short(claim)} false, and slash the bonds behind it, because ` +
        `"the invoice is open". Fee 0.0011 USD; valid until Pulse ${world.pulse + 20n}.`,
    );
    expect(world.do("carol", action).events).toEqual([{
      ClaimRefuted: {
        by: carol,
        claim,
        compensated: [[bob, usd(22)], [dana, usd(5)]],
        reason: "the invoice is open",
        slashed: usd(92),
        treasury: usd(65),
      },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: claim ${short(claim)} found false, 92 USD slashed; fee 0.0011 USD.`,
    );
    expect([bob, dana, alice].map((account) => world.balance(account))).toEqual([
      (before[0] ?? 0n) + usd(22),
      (before[1] ?? 0n) + usd(5),
      before[2],
    ]);
    expect(treasury(world)).toBe(usd(65));
    expect(world.read(bondKind, TESTS)).toMatchObject({
      amount: usd(8),
      release: null,
      slashed: usd(92),
      reservations: [{ claim: other, account: bob, amount: usd(8) }],
    });
    expect(world.read(claimKind, claim)?.refuted).toEqual({ by: carol, since: world.pulse });
    expect(reasonOf(world.do("carol", action))).toBe(
      "invalid transaction: the claim is refuted already",
    );
    world.make("carol", adjudicate(other, true));
    expect(world.balance(bob)).toBe((before[0] ?? 0n) + usd(30));
    expect(world.read(bondKind, TESTS)?.amount).toBe(0n);
    world.make("alice", topUp("tests", usd(3)));
    expect(world.read(bondKind, TESTS)?.amount).toBe(usd(3));
  });

  test("claim_adjudicate slashes every bond that the claim names, and none of claims below", () => {
    const world = new World();
    const below = backedClaim(world);
    for (const label of ["b", "c"]) world.make("bob", post(label, usd(4)));
    const formula = anyOf(
      claimAtom(below),
      bondAtom("bob", "b"),
      allOf(bondAtom("bob", "c"), assumed("x")),
    );
    const claim = world.make("bob", issue({ formula, adjudicator: CAROL }));
    world.make("carol", adjudicate(claim, true));
    expect(treasury(world)).toBe(usd(8));
    expect(world.read(bondKind, TESTS)?.amount).toBe(usd(100));
  });

  test("claim_adjudicate pays nothing for a reservation that has lapsed", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("alice", reserve(claim, bob, usd(20), 1n));
    world.execute([]);
    const before = world.balance(bob);
    world.make("carol", adjudicate(claim, true));
    expect(world.balance(bob)).toBe(before);
    expect(treasury(world)).toBe(usd(100));
  });

  test("claim_adjudicate upholds a claim against its dispute, while that waits [L-213]", () => {
    const world = new World();
    const claim = backedClaim(world);
    const uphold = adjudicate(claim, false, "it was paid");
    expect(reasonOf(world.do("carol", uphold))).toBe(
      "invalid transaction: the claim is not disputed",
    );
    world.make("alice", reserve(claim, bob, usd(20)));
    world.make("bob", dispute(claim));
    expect(world.do("carol", uphold).events).toEqual([{
      ClaimUpheld: { by: carol, claim, reason: "it was paid" },
    }]);
    expect(world.sentence(uphold)).toBe(`Done: claim ${short(claim)} upheld; fee 0.0011 USD.`);
    expect(world.read(claimKind, claim)?.disputed).toBeNull();
    expect(world.read(bondKind, TESTS)?.reservations[0]?.disputed).toBe(true);
    world.make("alice", reserve(claim, dana, usd(1)));
    world.make("dana", dispute(claim));
    const since = world.pulse;
    while (world.pulse < since + 1000n) world.execute([]);
    expect(reasonOf(world.do("carol", uphold))).toBe(
      "invalid transaction: the claim is not disputed",
    );
  });

  test("claim_adjudicate is for the adjudicator that the claim names [L-403]", () => {
    const world = new World();
    const claim = backedClaim(world);
    for (const by of ["alice", "bob"]) {
      expect(reasonOf(world.do(by, adjudicate(claim, true)))).toBe(
        "unauthorized: only the claim's adjudicator may judge it",
      );
    }
    expect(reasonOf(world.do("carol", adjudicate(NOBODY, true)))).toBe(
      "invalid transaction: there is no claim 11111111",
    );
  });
});
