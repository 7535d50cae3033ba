import { describe, expect, test } from "vitest";
import { charterKind } from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  narrow,
  register,
  revokeCharter,
  robotOf,
} from "../_agents.ts";
import { accountOf, names, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const carol = accountOf("carol");
const short = (id: string) => id.slice(0, 8);
const HOUR_MS = 3_600_000n;

describe("charter_create", () => {
  test("charter_create gives an agent a charter and says every limit of it [L-241 L-625]", () => {
    const world = new World();
    const agent = world.make("alice", register("robot"));
    const action = charter(agent, {
      payees: [carol, bob, bob],
      maxPayment: usd(5),
      bucket: { capacity: usd(100), refill: usd(10), periodMs: 24n * HOUR_MS },
      expires: 900n,
      receipts: true,
    });
    const [first, second] = [bob, carol].sort().map((id) => names(id));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Give agent ${short(agent)} a charter to pay to ${first} and ${second} only, ` +
        "at most 5 USD a payment, at most 100 USD at once, refilled by 10 USD a day, " +
        "until Pulse 900, with receipt claims. Fee 0.0011 USD; valid until Pulse 21.",
    );
    const receipt = world.do("alice", action);
    const [id = ""] = receipt.made;
    expect(receipt.events).toEqual([{
      CharterCreated: { agent, charter: id, giver: alice, parent: null },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: charter ${short(id)} given to agent ${short(agent)}; fee 0.0011 USD.`,
    );
    expect(world.read(charterKind, id)).toMatchObject({
      agent,
      giver: alice,
      parent: null,
      caveats: { payees: [bob, carol].sort(), maxPayment: usd(5), expires: 900n, receipts: true },
      bucket: { level: usd(100), carry: 0n, atMs: world.timeMs },
      revoked: null,
    });
  });

  test.each([
    [{}, "without limits"],
    [{ payees: [] }, "to nobody"],
    [{ bucket: { capacity: 1n, refill: 0n, periodMs: 1n } }, "at most 0.000001 USD in all"],
    [
      { bucket: { capacity: 1n, refill: 1n, periodMs: HOUR_MS } },
      "at most 0.000001 USD at once, refilled by 0.000001 USD an hour",
    ],
    [
      { bucket: { capacity: 1n, refill: 1n, periodMs: 36n * HOUR_MS } },
      "at most 0.000001 USD at once, refilled by 0.000001 USD every 36 hours",
    ],
  ])("charter_create of %o is to pay %s", (some, words) => {
    const world = new World();
    const unit = world.unit("alice", [charter("11".repeat(32), some)]);
    expect(world.ledger.intent(unit, names)).toContain(` a charter to pay ${words}. Fee`);
  });

  test("charter_create by an agent is under one of its own, by a person under none [L-243]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const other = world.make("alice", register("other"));
    const foreign = world.make("alice", charter(other, {}));
    expect(world.read(charterKind, helper.charter)).toMatchObject({
      parent: robot.charter,
      giver: accountOf("robot"),
    });
    expect(reasonOf(world.do("robot", charter(helper.agent, {})))).toBe(
      "invalid transaction: an agent's charter must be under its own",
    );
    expect(reasonOf(world.do("robot", charter(helper.agent, {}, foreign)))).toBe(
      "unauthorized: the charter above is not the giver's",
    );
    expect(reasonOf(world.do("robot", charter(helper.agent, {}, helper.charter)))).toBe(
      "unauthorized: the charter above is not the giver's",
    );
    expect(reasonOf(world.do("alice", charter(helper.agent, {}, robot.charter)))).toBe(
      "invalid transaction: a person's charter is under no other",
    );
    expect(world.do("alice", charter(helper.agent, {})).outcome.kind).toBe("success");
    world.make("alice", revokeCharter(robot.charter));
    expect(reasonOf(world.do("robot", charter(helper.agent, {}, robot.charter)))).toBe(
      "invalid transaction: the charter above is revoked",
    );
  });

  test("charter_create is for who stands above the agent", () => {
    const world = new World();
    const { agent } = robotOf(world);
    for (const name of ["bob", "robot"]) {
      expect(reasonOf(world.do(name, charter(agent, {})))).toBe(
        `unauthorized: only who stands above agent ${short(agent)} may give it a charter`,
      );
    }
    const nobody = charter("11".repeat(32), {});
    expect(reasonOf(world.do("alice", nobody))).toBe(
      "invalid transaction: there is no identity 11111111",
    );
  });

  test("charter_create of one that has expired already fails", () => {
    const world = new World();
    const agent = world.make("alice", register("robot"));
    expect(reasonOf(world.do("alice", charter(agent, { expires: 1n })))).toBe(
      "invalid transaction: the charter would have expired already",
    );
    expect(world.do("alice", charter(agent, { expires: 3n })).outcome.kind).toBe("success");
  });

  test.each([
    { maxPayment: 0n },
    { bucket: { capacity: 0n, refill: 1n, periodMs: 1n } },
    { bucket: { capacity: 1n, refill: 1n, periodMs: 0n } },
    { payees: Array.from({ length: 65 }, (_, n) => n.toString(16).padStart(64, "0")) },
  ])("charter_create with %o is refused at once", (some) => {
    const world = new World();
    const unit = world.unit("alice", [charter("11".repeat(32), some)]);
    expect(() => world.ledger.encodeSigned(unit)).toThrow(TypeError);
  });

  test("charter_create with payees out of order or twice is refused at once", () => {
    const world = new World();
    const action = charter("11".repeat(32), { payees: [bob, carol] });
    if (action.kind !== "charter_create") throw new Error();
    const { payees } = action.body.caveats;
    for (const wrong of [[...payees ?? []].reverse(), [bob, bob]]) {
      const body = { ...action.body, caveats: { ...action.body.caveats, payees: wrong } };
      const unit = world.unit("alice", [{ kind: "charter_create", body }]);
      expect(() => world.ledger.encodeSigned(unit)).toThrow(TypeError);
    }
  });
});

describe("charter_narrow", () => {
  test("charter_narrow adds caveats that bind with the old ones [L-630]", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [bob, carol], maxPayment: usd(5), expires: 900n });
    const action = narrow(robot.charter, {
      payees: [carol, accountOf("mallory")],
      maxPayment: usd(9),
      expires: 800n,
    });
    world.do("alice", action);
    expect(world.sentence(action)).toBe(
      `Done: charter ${short(robot.charter)} narrowed, with everything below it; fee 0.0011 USD.`,
    );
    expect(world.last?.receipts[0]?.events).toEqual([{
      CharterNarrowed: { charter: robot.charter, by: alice },
    }]);
    expect(world.read(charterKind, robot.charter)).toMatchObject({
      caveats: { payees: [carol], maxPayment: usd(5), expires: 800n, receipts: false },
      narrowed: world.pulse,
    });
    expect(reasonOf(world.do("alice", action))).toBe(
      "invalid transaction: the charter is as narrow already",
    );
    expect(
      world.ledger.intent(world.unit("alice", [narrow(robot.charter, { payees: [bob] })]), names),
    )
      .toMatch(/^Narrow charter [0-9a-f]{8} and all below it to pay to bob only\. Fee/);
  });

  test("charter_narrow of the bucket keeps what was spent", () => {
    const world = new World();
    const robot = robotOf(world, { bucket: { capacity: usd(10), refill: 0n, periodMs: 1n } });
    world.make("robot", agentPay(robot, bob, usd(7)));
    world.make(
      "alice",
      narrow(robot.charter, { bucket: { capacity: usd(8), refill: usd(1), periodMs: 5n } }),
    );
    expect(world.read(charterKind, robot.charter)).toMatchObject({
      caveats: { bucket: { capacity: usd(8), refill: 0n, periodMs: 1n } },
      bucket: { level: usd(3) },
    });
    world.make(
      "alice",
      narrow(robot.charter, { bucket: { capacity: usd(2), refill: 0n, periodMs: 1n } }),
    );
    expect(world.read(charterKind, robot.charter)?.bucket?.level).toBe(usd(2));
  });

  test("charter_narrow is for whoever stands above, an agent in between too [L-630]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const action = narrow(helper.charter, { maxPayment: usd(1) });
    for (const name of ["bob", "helper"]) {
      expect(reasonOf(world.do(name, action))).toBe(
        `unauthorized: only who stands above agent ${short(helper.agent)} may narrow its charter`,
      );
    }
    expect(world.do("robot", action).outcome.kind).toBe("success");
    expect(world.do("alice", narrow(helper.charter, { receipts: true })).outcome.kind).toBe(
      "success",
    );
    world.make("alice", revokeCharter(helper.charter));
    expect(reasonOf(world.do("alice", narrow(helper.charter, { maxPayment: 1n })))).toBe(
      "invalid transaction: the charter is revoked",
    );
  });

  test("charter_narrow by nothing is refused at once", () => {
    const world = new World();
    const unit = world.unit("alice", [narrow("11".repeat(32), {})]);
    expect(() => world.ledger.encodeSigned(unit)).toThrow(TypeError);
  });
});

describe("charter_revoke", () => {
  test("charter_revoke ends a charter and those below it [L-223 L-623]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const action = revokeCharter(robot.charter);
    expect(reasonOf(world.do("robot", action))).toBe(
      `unauthorized: only who stands above agent ${short(robot.agent)} may revoke its charter`,
    );
    world.do("alice", action);
    expect(world.sentence(action)).toBe(
      `Done: charter ${short(robot.charter)} revoked by alice, with everything below it; ` +
        "fee 0.0011 USD.",
    );
    expect(reasonOf(world.do("helper", agentPay(helper, bob, 1n)))).toBe(
      "charter caveat violated: narrowed above: revoked",
    );
    expect(reasonOf(world.do("alice", action))).toBe(
      "invalid transaction: the charter is revoked already",
    );
    expect(reasonOf(world.do("alice", fund(robot.charter, 1n)))).toBe(
      "invalid transaction: the charter is revoked",
    );
  });
});
