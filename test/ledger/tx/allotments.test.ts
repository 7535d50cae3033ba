import { describe, expect, test } from "vitest";
import { allotmentKind } from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  narrow,
  reclaim,
  register,
  revoke,
  revokeCharter,
  robotOf,
  suspend,
} from "../_agents.ts";
import { accountOf, FUNDS, names, payTo, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const short = (id: string) => id.slice(0, 8);

describe("allotment_fund", () => {
  test("allotment_fund puts money in escrow under a charter [L-242 L-627]", () => {
    const world = new World();
    const agent = world.make("alice", register("robot"));
    const id = world.make("alice", charter(agent, {}));
    const before = world.balance(alice);
    const action = fund(id, usd(100));
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Put 100 USD into a new allotment of charter ${short(id)}. ` +
        "Fee 0.0011 USD; valid until Pulse 22.",
    );
    const receipt = world.do("alice", action);
    const [allotment = ""] = receipt.made;
    expect(receipt.events).toEqual([{
      AllotmentFunded: { allotment, amount: usd(100), charter: id, giver: alice, source: null },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: allotment ${short(allotment)} of charter ${short(id)} funded with 100 USD; ` +
        "fee 0.0011 USD.",
    );
    expect(world.balance(alice)).toBe(before - usd(100) - 1100n);
    expect(world.read(allotmentKind, allotment)).toMatchObject({ balance: usd(100), spent: 0n });
  });

  test("allotment_fund adds to one that the same account gave [L-627 L-628]", () => {
    const world = new World();
    const robot = robotOf(world);
    const second = world.make("alice", fund(robot.charter, usd(1)));
    expect(second).not.toBe(robot.allotment);
    const action = fund(robot.charter, usd(5), { allotment: robot.allotment });
    expect(world.do("alice", action).made).toEqual([]);
    expect(world.sentence(action)).toBe(
      `Done: allotment ${short(robot.allotment)} of charter ${short(robot.charter)} ` +
        "funded with 5 USD; fee 0.0011 USD.",
    );
    expect(world.read(allotmentKind, robot.allotment)?.balance).toBe(usd(105));
    const helper = helperOf(world, robot);
    expect(reasonOf(world.do("alice", fund(helper.charter, 1n, { allotment: helper.allotment }))))
      .toBe("unauthorized: only who gave the allotment may add to it, from where it came");
    expect(reasonOf(world.do("robot", fund(helper.charter, 1n, { allotment: helper.allotment }))))
      .toBe("unauthorized: only who gave the allotment may add to it, from where it came");
    expect(reasonOf(world.do("alice", fund(helper.charter, 1n, { allotment: robot.allotment }))))
      .toBe("invalid transaction: the allotment is not one of this charter");
  });

  test("allotment_fund by an agent draws on its allotment of the charter above [L-243 L-627]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const own = { allotment: helper.allotment, source: robot.allotment };
    expect(world.read(allotmentKind, robot.allotment)?.balance).toBe(usd(90));
    expect(reasonOf(world.do("robot", fund(helper.charter, usd(91), own)))).toBe(
      "charter caveat violated: allotment holds only 90 USD",
    );
    expect(world.do("robot", fund(helper.charter, usd(90), own)).outcome.kind).toBe("success");
    expect(world.read(allotmentKind, helper.allotment)?.balance).toBe(usd(100));
    expect(reasonOf(world.do("alice", fund(helper.charter, 1n, { source: robot.allotment }))))
      .toBe(`unauthorized: the account is not that of agent ${short(robot.agent)}`);
    expect(reasonOf(world.do("robot", fund(helper.charter, 1n, { source: helper.allotment }))))
      .toBe("invalid transaction: the money must come from an allotment of the charter above");
  });

  test("allotment_fund from above stops with the charter above and the giver's standing", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const action = fund(helper.charter, 1n, { source: robot.allotment });
    world.make("alice", narrow(robot.charter, { expires: world.pulse }));
    expect(reasonOf(world.do("robot", action))).toBe(
      "charter caveat violated: narrowed above: expired",
    );
    world.make("alice", suspend(robot.agent));
    expect(reasonOf(world.do("robot", action))).toBe(
      `unauthorized: agent ${short(robot.agent)} is not in good standing: agent suspended`,
    );
  });

  test("allotment_fund is for who stands above, and never spends more than there is", () => {
    const world = new World();
    const robot = robotOf(world);
    expect(reasonOf(world.do("bob", fund(robot.charter, 1n)))).toBe(
      `unauthorized: only who stands above agent ${short(robot.agent)} may fund its charter`,
    );
    expect(reasonOf(world.do("alice", fund(robot.charter, FUNDS)))).toBe(
      "invalid transaction: the balance is too low",
    );
  });

  test.each([
    fund("11".repeat(32), 0n),
    fund("11".repeat(32), 1n, { allotment: "22".repeat(32), source: "22".repeat(32) }),
  ])("allotment_fund of nothing, or from itself, is refused at once", (action) => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
  });
});

describe("allotment_reclaim", () => {
  test("allotment_reclaim gives the rest back to who gave it [L-627]", () => {
    const world = new World();
    const robot = robotOf(world);
    world.make("robot", agentPay(robot, bob, usd(15)));
    const before = world.balance(alice);
    const part = reclaim(robot.allotment, usd(5));
    expect(world.ledger.intent(world.unit("alice", [part]), names)).toMatch(
      /^Reclaim 5 USD from allotment [0-9a-f]{8}\. Fee/,
    );
    expect(world.do("alice", part).events).toEqual([{
      AllotmentReclaimed: {
        allotment: robot.allotment,
        amount: usd(5),
        giver: alice,
        left: usd(80),
        source: null,
      },
    }]);
    const rest = reclaim(robot.allotment);
    expect(world.ledger.intent(world.unit("alice", [rest]), names)).toMatch(
      /^Reclaim what is left from allotment/,
    );
    world.do("alice", rest);
    expect(world.sentence(rest)).toBe(
      `Done: 80 USD reclaimed from allotment ${short(robot.allotment)}, 0 USD left; ` +
        "fee 0.0011 USD.",
    );
    expect(world.balance(alice)).toBe(before + usd(85) - 2200n);
    expect(reasonOf(world.do("alice", rest))).toBe("invalid transaction: the allotment is empty");
  });

  test("allotment_reclaim by an agent returns money to the allotment it came from [L-627]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    expect(reasonOf(world.do("robot", reclaim(helper.allotment, usd(11))))).toBe(
      "invalid transaction: the allotment holds only 10 USD",
    );
    world.make("robot", reclaim(helper.allotment, usd(4)));
    expect(world.read(allotmentKind, helper.allotment)?.balance).toBe(usd(6));
    expect(world.read(allotmentKind, robot.allotment)?.balance).toBe(usd(94));
  });

  test("allotment_reclaim is for who gave it or stands above, also of what ended [L-627]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const direct = world.make("alice", fund(helper.charter, usd(1)));
    expect(reasonOf(world.do("bob", reclaim(helper.allotment)))).toBe(
      `unauthorized: only who stands above agent ${short(helper.agent)} may reclaim its allotment`,
    );
    expect(reasonOf(world.do("robot", reclaim(direct)))).toBe(
      "unauthorized: only who gave the allotment, or stands above, may reclaim it",
    );
    world.make("alice", revokeCharter(robot.charter));
    world.make("alice", revoke(robot.agent));
    expect(reasonOf(world.do("robot", reclaim(helper.allotment)))).toBe(
      `unauthorized: agent ${short(robot.agent)} is not in good standing: agent revoked`,
    );
    world.make("alice", reclaim(helper.allotment));
    world.make("alice", reclaim(robot.allotment));
    world.make("alice", reclaim(direct));
    expect(
      [robot.allotment, helper.allotment, direct].map((id) =>
        world.read(allotmentKind, id)?.balance
      ),
    )
      .toEqual([0n, 0n, 0n]);
  });

  test("allotment_reclaim leaves nothing behind: a whole agent comes and goes for its fees", () => {
    const world = new World();
    const robot = robotOf(world);
    world.make("alice", reclaim(robot.allotment));
    world.make("robot", payTo([alice, usd(1) - 1100n]));
    expect(world.balance(alice)).toBe(FUNDS - 6n * 1100n);
  });
});
