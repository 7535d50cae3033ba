import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atomId } from "../../../internal/ledger/claims/atom.ts";
import type { Assessment, Reliance } from "../../../internal/ledger/claims/decision.ts";
import { assess, requiredOf } from "../../../internal/ledger/claims/decision.ts";
import type { Bond } from "../../../internal/ledger/objects/bond.ts";
import { bondKind } from "../../../internal/ledger/objects/bond.ts";
import { claimKind } from "#internal/ledger/mod.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  assumed,
  backedClaim,
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
} from "../_claims.ts";
import { agentPay, robotOf } from "../_agents.ts";
import { accountOf, usd, World } from "../_world.ts";

const bob = accountOf("bob");
const FAMILIES = [0, 1].map((family) => atomId({ kind: "signature", body: { family } }));

type Asked = Partial<Omit<Reliance, "distrusted">> & { readonly distrusted?: readonly string[] };

function look(world: World, id: string, asked: Asked = {}): Assessment {
  const claim = world.read(claimKind, id);
  if (claim === undefined) throw new Error();
  const reader = {
    claim: (other: string) => world.read(claimKind, other),
    bond: (other: string) => world.read(bondKind, other),
  };
  return assess(reader, claim, {
    pulse: world.pulse,
    value: usd(1000),
    kappa: 2_000_000n,
    ...asked,
    distrusted: new Set(asked.distrusted),
  });
}

/** Executes empty Pulses up to this one. */
function wait(world: World, pulse: bigint): void {
  while (world.pulse < pulse) world.execute([]);
}

describe("assess()", () => {
  test("assess() accepts a claim on signatures alone as recorded [L-198 L-200 L-202 L-203 L-205 L-208 L-212]", () => {
    const world = new World();
    const { status, decision, atoms } = look(world, world.make("alice", issue()));
    expect(status).toBe("Active");
    expect(decision).toEqual({
      accept: true,
      adjudicatorCap: "infinite",
      coc: { exact: true, high: "infinite", low: "infinite" },
      detectionAdjusted: "infinite",
      effective: "infinite",
      reasons: ["cost of corruption ∞ covers κ·V = 2,000"],
      required: 2_000_000_000n,
      reservable: "infinite",
    });
    expect(atoms.map(({ id, isTrusted, bond, cost }) => [id, isTrusted, bond, cost])).toEqual(
      FAMILIES.map((id) => [id, true, null, "infinite"]),
    );
  });

  test("assess() with both families distrusted rejects as recorded [L-191 L-193 L-206 L-207 L-216]", () => {
    const world = new World();
    const claim = world.make("alice", issue());
    const { decision } = look(world, claim, { kappa: 3_000_000n, distrusted: FAMILIES });
    expect(decision).toEqual({
      accept: false,
      adjudicatorCap: "infinite",
      coc: { exact: true, high: 0n, low: 0n },
      detectionAdjusted: 0n,
      effective: 0n,
      reasons: [
        "cost of corruption 0 (after detection discount 1000/1000) is below κ·V = 3,000",
        "only 0 of backing is unreserved; κ·V = 3,000 is needed",
      ],
      required: 3_000_000_000n,
      reservable: 0n,
    });
  });

  test("assess() with one family distrusted still finds no price for a dual signature [L-217]", () => {
    const world = new World();
    const claim = world.make("alice", issue());
    for (const id of FAMILIES) {
      const { coc } = look(world, claim, { distrusted: [id] }).decision;
      expect(coc.low).toBe("infinite");
    }
  });

  test("assess() counts a bond, trusted or not, without what is on its way out [L-192 L-194 L-398]", () => {
    const world = new World();
    const claim = backedClaim(world);
    const bond = { kind: "bond", body: { account: accountOf("alice"), label: "tests" } } as const;
    const coc = () => look(world, claim, { distrusted: [atomId(bond)] }).decision.coc.low;
    expect(coc()).toBe(usd(100));
    world.make("alice", topUp("tests", usd(20)));
    expect(coc()).toBe(usd(120));
    world.make("alice", release("tests", usd(50)));
    expect(coc()).toBe(usd(70));
  });

  test("assess() caps the cost at the adjudicator's, and says so [L-184 L-403]", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("carol", post("judge", usd(30)));
    const asked = { value: usd(20), kappa: 2_000_000n };
    const { decision, atoms } = look(world, claim, asked);
    expect(decision.adjudicatorCap).toBe(usd(30));
    expect(decision.effective).toBe(usd(30));
    expect(decision.reasons).toEqual([
      "the adjudicator's cost of corruption 30 is below κ·V = 40",
    ]);
    expect(atoms.at(-1)).toMatchObject({ atom: { kind: "adjudicator", body: CAROL } });
    expect(look(world, claim, { ...asked, value: usd(15) }).decision).toMatchObject({
      accept: true,
      reasons: ["cost of corruption 30 covers κ·V = 30"],
    });
  });

  test("assess() takes off what would go unnoticed, of every claim below too [L-202 L-211 L-402]", () => {
    const world = new World();
    const formula = bondAtom("alice", "tests");
    const below = backedClaim(world, { formula, adjudicator: null, detection: 333 });
    const above = world.make("alice", issue({ formula: claimAtom(below), detection: 900 }));
    const { decision } = look(world, above, { value: usd(30), kappa: 1_500_000n });
    expect(decision.coc.low).toBe(usd(100));
    expect(decision.detectionAdjusted).toBe(33_300_000n);
    expect(decision.reasons).toEqual([
      "cost of corruption 33.3 (after detection discount 333/1000) is below κ·V = 45",
    ]);
  });

  test("assess() does not count what is reserved for somebody until it lapses [L-209 L-210 L-399]", () => {
    const world = new World();
    const claim = backedClaim(world);
    world.make("carol", post("judge", usd(1000)));
    const until = world.pulse + 1n + 5n;
    world.make("alice", reserve(claim, bob, usd(60), 5n));
    const asked = { value: usd(50), kappa: 1_000_000n };
    const { decision } = look(world, claim, asked);
    expect(decision.coc.low).toBe(usd(100));
    expect(decision.reservable).toBe(usd(40));
    expect(decision.reasons).toEqual(["only 40 of backing is unreserved; κ·V = 50 is needed"]);
    wait(world, until);
    expect(look(world, claim, asked).decision.accept).toBe(false);
    wait(world, until + 1n);
    expect(look(world, claim, asked).decision.accept).toBe(true);
  });

  test("assess() finds claims below in the place where they stand, as long as they are active [L-402]", () => {
    const world = new World();
    const below = backedClaim(world);
    world.make("bob", post("own", usd(7)));
    const formula = allOf(claimAtom(below), bondAtom("bob", "own"));
    const above = world.make("bob", issue({ formula, validFor: null }));
    expect(look(world, above).decision.coc.low).toBe(usd(107));
    expect(look(world, above).atoms.map(({ atom }) => atom.kind)).toEqual([
      "signature",
      "signature",
      "bond",
      "bond",
      "adjudicator",
    ]);
    world.make("alice", revokeClaim(below));
    expect(look(world, above).decision.coc.low).toBe(usd(7));
    expect(look(world, above).atoms.map(({ atom }) => atom.kind)).toEqual(["claim", "bond"]);
  });

  test("assess() relies on no claim that is revoked, expired, disputed or refuted [L-213]", () => {
    const world = new World();
    const revoked = world.make("alice", issue());
    world.make("alice", revokeClaim(revoked));
    const disputed = backedClaim(world);
    world.make("alice", reserve(disputed, bob, usd(10)));
    world.make("bob", dispute(disputed));
    const asked = { value: 1n, distrusted: [] };
    expect(look(world, disputed, asked).status).toBe("Disputed");
    expect(look(world, disputed, asked).decision.reasons[0]).toBe("the claim is disputed");
    wait(world, world.pulse + 1000n);
    expect(look(world, disputed).status).toBe("Disputed");
    wait(world, world.pulse + 1n);
    expect(look(world, disputed).status).toBe("Active");
    world.make("carol", adjudicate(disputed, true));
    expect(look(world, disputed).status).toBe("Refuted");
    expect(look(world, revoked, asked).decision).toMatchObject({
      accept: false,
      coc: { low: "infinite" },
      reasons: ["the claim is revoked"],
    });
    const short = world.make("alice", issue({ validFor: 2n }));
    wait(world, world.pulse + 2n);
    expect(look(world, short).status).toBe("Active");
    wait(world, world.pulse + 1n);
    expect(look(world, short).status).toBe("Expired");
  });

  test("assess() gives nothing for assumptions, adjudicators without a bond and bonds that are gone", () => {
    const world = new World();
    const judge = { kind: "atom", atom: { kind: "adjudicator", body: CAROL } } as const;
    const claim = world.make("alice", issue({ formula: anyOf(assumed("nobody lies"), judge) }));
    expect(look(world, claim).atoms.map(({ cost }) => cost)).toEqual([0n, 0n]);
    world.make("carol", post("judge", usd(3)));
    expect(look(world, claim).atoms.map(({ cost }) => cost)).toEqual([0n, usd(3)]);
  });

  test("assess() trusts the ledger's own execution unless the reader does not", () => {
    const world = new World();
    const robot = robotOf(world, { receipts: true });
    const receipt = world.make("robot", agentPay(robot, bob, usd(1)));
    const { decision, atoms } = look(world, receipt);
    expect(decision.accept).toBe(true);
    const distrusted = atoms.map(({ id }) => id);
    expect(distrusted).toHaveLength(1);
    expect(look(world, receipt, { distrusted }).decision.coc.low).toBe(0n);
  });

  test("requiredOf() is κ·V, exact and rounded up [L-208]", () => {
    fc.assert(fc.property(fc.bigInt(1n, 2n ** 64n), fc.bigInt(1n, 10n ** 10n), (value, kappa) => {
      const required = requiredOf({ value, kappa });
      expect(required * 1_000_000n >= value * kappa).toBe(true);
      expect((required - 1n) * 1_000_000n < value * kappa).toBe(true);
    }));
  });
});

test("a bond's free part is its stake without what others hold", () => {
  const world = new World();
  const claim = backedClaim(world);
  world.make("alice", reserve(claim, bob, usd(60)));
  world.make("alice", release("tests", usd(15)));
  const id = atomId({ kind: "bond", body: { account: accountOf("alice"), label: "tests" } });
  const bond = world.read(bondKind, id) as Bond;
  expect(world.ledger.viewObject({ kind: "bond", value: bond }, world)).toMatchObject({
    amount: usd(100),
    free: usd(25),
  });
});
