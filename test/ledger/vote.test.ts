import { describe, expect, test } from "vitest";
import type { SignedUnit, VoteContext } from "#internal/ledger/mod.ts";
import { assetId } from "#internal/ledger/mod.ts";
import { fund, robotOf } from "./_agents.ts";
import { accountOf, CHAIN, FUNDS, payTo, usd, World } from "./_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");

function context(world: World, more: Partial<VoteContext> = {}): VoteContext {
  return { chain: CHAIN, head: world.pulse, reservedOf: () => 0n, ...more };
}

function refusal(world: World, unit: SignedUnit, more: Partial<VoteContext> = {}): string {
  const votable = world.ledger.checkForVote(world.state, unit, context(world, more));
  return votable.ok ? "ok" : `${votable.code}: ${votable.reason}`;
}

describe("Ledger.checkForVote()", () => {
  test("Ledger.checkForVote() refuses a unit of another chain", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, 1n])]);
    expect(refusal(world, unit)).toBe("ok");
    expect(refusal(world, unit, { chain: bob })).toMatch(/^chain: it is for the chain [0-9a-f]{8}/);
  });

  test("Ledger.checkForVote() takes what is valid beyond the head, at most 10,000 Pulses [L-100 L-101]", () => {
    const world = new World();
    const until = (validUntil: bigint) => world.unit("alice", [payTo([bob, 1n])], { validUntil });
    expect(refusal(world, until(7n), { head: 7n })).toBe("expired: it was valid until Pulse 7");
    expect(refusal(world, until(8n), { head: 7n })).toBe("ok");
    expect(refusal(world, until(10_007n), { head: 7n })).toBe("ok");
    expect(refusal(world, until(10_008n), { head: 7n })).toBe(
      "far: it is valid for more than 10000 Pulses ahead",
    );
  });

  test("Ledger.checkForVote() refuses a slot that is used", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, 1n])]);
    world.execute([unit]);
    expect(refusal(world, unit)).toMatch(/^slot: slot 0 of [0-9a-f]{8} is used, 1 is next$/);
    expect(refusal(world, world.unit("alice", [payTo([bob, 1n])], { ahead: 5 }))).toBe("ok");
  });

  test("Ledger.checkForVote() refuses a fee above what the unit allows", () => {
    const world = new World();
    const unit = (maxFee: bigint) => world.unit("alice", [payTo([bob, 1n])], { maxFee });
    expect(refusal(world, unit(1100n))).toBe("ok");
    expect(refusal(world, unit(1099n))).toBe("fee: its fee is 0.0011 USD, it allows 0.001099 USD");
  });

  test("Ledger.checkForVote() counts what certified predecessors may still spend [L-162]", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, usd(5)])]);
    const left = FUNDS - usd(5) - 1100n;
    expect(refusal(world, unit, { reservedOf: (key) => key === alice ? left : 0n })).toBe("ok");
    expect(refusal(world, unit, { reservedOf: (key) => key === alice ? left + 1n : 0n })).toBe(
      `balance: the balance of ${
        alice.slice(0, 8)
      } is 10000 USD of which 9994.998901 are promised ` +
        "already, 5.0011 USD are needed with the fee",
    );
  });

  test("Ledger.checkForVote() adds up a batch, account by account [L-573]", () => {
    const world = new World();
    const unit = world.unit("alice", [payTo([bob, usd(1)]), payTo([bob, usd(2)])]);
    expect(world.ledger.checkForVote(world.state, unit, context(world))).toEqual({
      ok: true,
      spend: new Map([[alice, usd(3) + 2n * 700n]]),
    });
  });

  test("Ledger.checkForVote() reserves escrows as well, drawn from above nothing", () => {
    const world = new World();
    const robot = robotOf(world);
    const spend = (unit: SignedUnit) => {
      const votable = world.ledger.checkForVote(world.state, unit, context(world));
      return votable.ok ? [...votable.spend.values()] : votable.reason;
    };
    expect(spend(world.unit("alice", [fund(robot.charter, usd(7))]))).toEqual([usd(7) + 1100n]);
    const source = robot.allotment;
    expect(spend(world.unit("robot", [fund(robot.charter, usd(7), { source })]))).toEqual([1100n]);
  });

  test("Ledger.checkForVote() keeps another asset apart", () => {
    const world = new World();
    const asset = assetId("EUR");
    const unit = world.unit("alice", [{ kind: "pay", body: { asset, outputs: [[bob, 1n]] } }]);
    expect(refusal(world, unit)).toMatch(/^balance: the balance of [0-9a-f]{8} is 0/);
  });

  test("Ledger.checkForVote() refuses what has no shape, whoever made it", () => {
    const world = new World();
    expect(refusal(world, world.unit("alice", [payTo()]))).toBe("shape: a payment has no outputs");
    const unit = world.unit("alice", [payTo([bob, 1n])]);
    const unsigned = { ...unit, authorization: { ...unit.authorization, signatures: [] } };
    expect(refusal(world, unsigned)).toMatch(/^authorization: /);
  });
});
