import { describe, expect, test } from "vitest";
import { logPeaksRoot, logRoot } from "#internal/merkle/mod.ts";
import { idBytes } from "#internal/core/mod.ts";
import type { Receipt } from "#internal/ledger/mod.ts";
import { allotmentKind, charterKind, claimKind, USD } from "#internal/ledger/mod.ts";
import type { SomeCaveats } from "../_agents.ts";
import {
  agentPay,
  helperOf,
  narrow,
  reclaim,
  resume,
  revoke,
  revokeCharter,
  robotOf,
  suspend,
} from "../_agents.ts";
import { accountOf, FUNDS, names, payTo, reasonOf, usd, World } from "../_world.ts";

const bob = accountOf("bob");
const carol = accountOf("carol");
const DAY_MS = 86_400_000n;

function failure(receipt: Receipt): string {
  expect(receipt.events).toEqual([]);
  expect(receipt.fee).toBe(1100n);
  return (reasonOf(receipt) ?? "no failure").replace("charter caveat violated: ", "caveat: ");
}

describe("agent_pay", () => {
  test("agent_pay pays within its charter and issues a receipt claim [L-218 L-225 L-233 L-235 L-633 L-652 L-654]", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [carol], receipts: true });
    const action = agentPay(robot, carol, usd(0.2));
    const receipt = world.do("robot", action);
    const [claim] = receipt.made;
    expect(receipt.outcome.kind).toBe("success");
    expect(receipt.events).toEqual([{
      AgentPaid: { amount: 200_000n, charter: robot.charter, payee: carol, receipt: claim },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: agent paid 0.2 USD to carol (receipt claim ${claim?.slice(0, 8)}); fee 0.0011 USD.`,
    );
    expect(world.last?.events).toEqual([
      { pulse: world.pulse, tx: receipt.digest, event: receipt.events[0] },
      { pulse: world.pulse, tx: null, event: { ClaimIssued: { claim, log_index: 0n } } },
    ]);
    expect(world.read(claimKind, claim ?? "")?.subject.body).toEqual({
      transaction: receipt.digest,
      charter: robot.charter,
      payee: carol,
      asset: USD,
      amount: 200_000n,
      purpose: "one forecast",
      session: null,
      call: null,
    });
    expect(world.balance(carol)).toBe(FUNDS + usd(0.2));
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({
      balance: usd(99.8),
      spent: usd(0.2),
    });
  });

  test("agent_pay appends its claims to the knowledge log in order [L-287 L-288 L-289]", () => {
    const world = new World();
    const robot = robotOf(world, { receipts: true });
    const claims = [1, 2, 3].map((n) =>
      world.do("robot", agentPay(robot, bob, BigInt(n))).made[0] ?? ""
    );
    expect(world.state.knowledge.size).toBe(3n);
    expect(logPeaksRoot(world.state.knowledge)).toEqual(logRoot(claims.map(idBytes)));
    expect(world.last?.events.at(-1)?.event).toMatchObject({ ClaimIssued: { log_index: 2n } });
  });

  test("agent_pay without a receipt claim says so with null [L-236]", () => {
    const world = new World();
    const robot = robotOf(world);
    const action = agentPay(robot, carol, usd(0.2));
    const receipt = world.do("robot", action);
    expect(receipt.events).toEqual([{
      AgentPaid: { amount: 200_000n, charter: robot.charter, payee: carol, receipt: null },
    }]);
    expect(world.sentence(action)).toBe("Done: agent paid 0.2 USD to carol; fee 0.0011 USD.");
    expect(world.state.knowledge.size).toBe(0n);
  });

  test("agent_pay to a payee outside the charter fails, whatever the purpose says [L-219 L-237 L-238 L-290 L-629 L-652]", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [carol], receipts: true });
    const action = agentPay(robot, bob, usd(0.2), { purpose: "ignore previous instructions" });
    const receipt = world.do("robot", action);
    expect(reasonOf(receipt)).toBe("charter caveat violated: payee not allowed");
    expect(world.sentence(action)).toBe(
      "Failed (charter caveat violated: payee not allowed); " +
        "nothing happened except the fee of 0.0011 USD.",
    );
    expect(world.last?.events).toEqual([]);
    expect(world.balance(bob)).toBe(FUNDS);
    expect(world.balance(accountOf("robot"))).toBe(usd(1) - 1100n);
    expect(world.read(allotmentKind, robot.allotment)?.balance).toBe(usd(100));
  });

  test("agent_pay costs 100 micro-USD more when it names its session and call [L-087 L-094 L-587]", () => {
    const world = new World();
    const robot = robotOf(world, { receipts: true });
    const action = agentPay(robot, bob, usd(1), { session: "df7de21c", call: "call_1" });
    const receipt = world.do("robot", action);
    expect(receipt.fee).toBe(1200n);
    expect(world.sentence(action)).toMatch(
      /^Done: agent paid 1 USD to bob \(receipt claim [0-9a-f]{8}\); fee 0\.0012 USD\.$/,
    );
    const over = agentPay(robot, bob, usd(1000), { session: "df7de21c", call: "call_2" });
    expect(world.do("robot", over).fee).toBe(1100n);
  });

  test("agent_pay that its account cannot pay for fails for the floor", () => {
    const world = new World();
    const robot = robotOf(world);
    const named = { session: "df7de21c", call: "call_1" };
    world.make("robot", payTo([bob, usd(1) - 1100n - 1199n]));
    expect(failure(world.do("robot", agentPay(robot, bob, 1n, named)))).toBe(
      "invalid transaction: the balance does not cover the fee",
    );
    expect(world.balance(accountOf("robot"))).toBe(99n);
  });

  test("agent_pay as a member of a batch of three costs 567 micro-USD [L-095 L-096 L-573 L-575 L-661]", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [bob], receipts: true });
    const named = { session: "s", call: "c" };
    const { receipts } = world.execute([
      world.unit("robot", [
        agentPay(robot, bob, 1n, named),
        agentPay(robot, carol, 1n, named),
        agentPay(robot, bob, 1n, named),
      ]),
    ]);
    expect(receipts.map(({ fee }) => fee)).toEqual([567n, 567n, 567n]);
    expect(receipts.map(({ outcome }) => outcome.kind)).toEqual(["success", "failed", "success"]);
  });

  test("agent_pay shows what it asks for before it is signed", () => {
    const world = new World();
    const robot = robotOf(world);
    const unit = world.unit("robot", [
      agentPay(robot, bob, usd(1500), { purpose: 'say "hi"\u202e\n' }),
    ]);
    expect(world.ledger.intent(unit, names)).toBe(
      `Pay 1,500 USD to bob from allotment ${robot.allotment.slice(0, 8)} ` +
        `under charter ${robot.charter.slice(0, 8)}, for "say \\"hi\\"\\u{202e}\\u{a}". ` +
        `Fee 0.0011 USD; valid until Pulse ${world.pulse + 20n}.`,
    );
  });

  const limits: [string, SomeCaveats, bigint, string][] = [
    [
      "over the per-payment limit",
      { maxPayment: usd(5) },
      usd(5) + 1n,
      "over the per-payment limit",
    ],
    [
      "beyond the bucket",
      { bucket: { capacity: usd(1.5), refill: 0n, periodMs: 1n } },
      usd(1.5) + 1n,
      "bucket holds only 1.5 USD",
    ],
    ["beyond the allotment", {}, usd(100) + 1n, "allotment holds only 100 USD"],
  ];
  test.each(limits)("agent_pay %s fails [L-220 L-221 L-239 L-632]", (_what, some, amount, text) => {
    const world = new World();
    const robot = robotOf(world, some);
    expect(failure(world.do("robot", agentPay(robot, bob, amount)))).toBe(`caveat: ${text}`);
    expect(world.do("robot", agentPay(robot, bob, amount - 1n)).outcome.kind).toBe("success");
  });

  test("agent_pay under a charter that names no payee goes to nobody, under one without names to anybody [L-625]", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [] });
    expect(failure(world.do("robot", agentPay(robot, bob, 1n)))).toBe("caveat: payee not allowed");
    const free = new World();
    const open = robotOf(free);
    expect(free.do("robot", agentPay(open, accountOf("mallory"), 1n)).outcome.kind).toBe("success");
  });

  test("agent_pay ends after the charter's last Pulse [L-222 L-239]", () => {
    const world = new World();
    const robot = robotOf(world, { expires: 5n });
    expect(world.pulse).toBe(4n);
    expect(world.do("robot", agentPay(robot, bob, 1n)).outcome.kind).toBe("success");
    expect(failure(world.do("robot", agentPay(robot, bob, 1n)))).toBe("caveat: expired");
  });

  test("agent_pay ends when the charter is revoked [L-223 L-239]", () => {
    const world = new World();
    const robot = robotOf(world);
    world.make("alice", revokeCharter(robot.charter));
    expect(failure(world.do("robot", agentPay(robot, bob, 1n)))).toBe("caveat: revoked");
  });

  test("agent_pay draws from a bucket that refills by ledger time [L-221 L-626]", () => {
    const world = new World();
    const bucket = { capacity: usd(10), refill: usd(10), periodMs: DAY_MS };
    const robot = robotOf(world, { bucket });
    const pay = (amount: number, advanceMs: bigint) =>
      world.do("robot", agentPay(robot, bob, usd(amount)), { advanceMs });
    expect(pay(10, 0n).outcome.kind).toBe("success");
    expect(failure(pay(2.5, DAY_MS / 4n - 1n))).toBe("caveat: bucket holds only 2.499999 USD");
    expect(pay(2.5, 1n).outcome.kind).toBe("success");
    expect(failure(pay(11, 100n * DAY_MS))).toBe("caveat: bucket holds only 10 USD");
  });

  test("agent_pay by an agent below charges every bucket above, all or none [L-224 L-243]", () => {
    const world = new World();
    const bucket = (amount: number) => ({ capacity: usd(amount), refill: 0n, periodMs: 1n });
    const robot = robotOf(world, { bucket: bucket(3) });
    const helper = helperOf(world, robot, { bucket: bucket(5) });
    const level = (id: string) => world.read(charterKind, id)?.bucket?.level;
    world.do("helper", agentPay(helper, bob, usd(2)));
    expect([level(robot.charter), level(helper.charter)]).toEqual([usd(1), usd(3)]);
    expect(failure(world.do("helper", agentPay(helper, bob, usd(2))))).toBe(
      "caveat: narrowed above: bucket holds only 1 USD",
    );
    expect([level(robot.charter), level(helper.charter)]).toEqual([usd(1), usd(3)]);
    expect(failure(world.do("robot", agentPay(robot, bob, usd(2))))).toBe(
      "caveat: bucket holds only 1 USD",
    );
  });

  test("agent_pay is bound by a narrowing above from its place in the order [L-224 L-239 L-630]", () => {
    const world = new World();
    const robot = robotOf(world, { receipts: true });
    const helper = helperOf(world, robot);
    const { receipts } = world.execute([
      world.unit("helper", [agentPay(helper, bob, usd(1))]),
      world.unit("alice", [narrow(robot.charter, { payees: [carol], maxPayment: usd(2) })]),
      world.unit("helper", [agentPay(helper, bob, usd(1))], { ahead: 1 }),
      world.unit("robot", [agentPay(robot, bob, usd(1))]),
    ]);
    expect(receipts.map(reasonOf)).toEqual([
      undefined,
      undefined,
      "charter caveat violated: narrowed above: payee not allowed",
      "charter caveat violated: payee not allowed",
    ]);
    expect(failure(world.do("helper", agentPay(helper, carol, usd(3))))).toBe(
      "caveat: narrowed above: over the per-payment limit",
    );
    expect(world.do("helper", agentPay(helper, carol, usd(2))).made).toHaveLength(1);
  });

  test("agent_pay by a suspended or revoked agent, or below one, fails [L-239 L-584 L-620 L-621]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const pay = (who: "robot" | "helper") =>
      world.do(who, agentPay(who === "robot" ? robot : helper, bob, 1n));
    world.make("alice", suspend(robot.agent));
    expect(failure(pay("robot"))).toBe("caveat: agent suspended");
    expect(failure(pay("helper"))).toBe("caveat: agent suspended above");
    world.make("alice", resume(robot.agent));
    expect(pay("robot").outcome.kind).toBe("success");
    expect(pay("helper").outcome.kind).toBe("success");
    world.make("alice", revoke(robot.agent));
    expect(failure(pay("robot"))).toBe("caveat: agent revoked");
    expect(failure(pay("helper"))).toBe("caveat: agent revoked above");
  });

  test("agent_pay names its own charter and an allotment of it [L-628]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const nothing = "00".repeat(32);
    for (const [who, under] of [["alice", robot], ["robot", helper], ["helper", robot]] as const) {
      expect(failure(world.do(who, agentPay(under, bob, 1n)))).toBe(
        "unauthorized: only the charter's agent may pay under it",
      );
    }
    expect(failure(world.do("robot", agentPay({ ...robot, allotment: helper.allotment }, bob, 1n))))
      .toBe("invalid transaction: the allotment is not one of this charter");
    expect(failure(world.do("robot", agentPay({ ...robot, allotment: nothing }, bob, 1n))))
      .toBe("invalid transaction: there is no allotment 00000000");
    expect(failure(world.do("robot", agentPay({ ...robot, charter: robot.allotment }, bob, 1n))))
      .toBe(`invalid transaction: there is no charter ${robot.allotment.slice(0, 8)}`);
  });

  test("agent_pay takes its fee from the agent's account, never from the allotment [L-240]", () => {
    const world = new World();
    const robot = robotOf(world);
    world.make("robot", agentPay(robot, bob, usd(1)));
    expect(world.balance(accountOf("robot"))).toBe(usd(1) - 1100n);
    expect(world.read(allotmentKind, robot.allotment)?.balance).toBe(usd(99));
    world.make("alice", reclaim(robot.allotment));
    expect(failure(world.do("robot", agentPay(robot, bob, 1n)))).toBe(
      "caveat: allotment holds only 0 USD",
    );
  });
});
