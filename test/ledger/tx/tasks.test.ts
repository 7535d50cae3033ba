import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allotmentKind, claimKind } from "#internal/ledger/mod.ts";
import { resultFormula } from "../../../internal/ledger/claims/task_result.ts";
import { charterKind } from "../../../internal/ledger/objects/charter.ts";
import { taskKind } from "../../../internal/ledger/objects/task.ts";
import { helperOf, narrow, revoke, robotOf, suspend } from "../_agents.ts";
import {
  allOf,
  anyOf,
  bondAtom,
  claimAtom,
  DUAL_SIGNATURE,
  issue,
  revokeClaim,
} from "../_claims.ts";
import type { Rule } from "../_tasks.ts";
import {
  bondOf,
  NOBODY,
  postBonds,
  postTask,
  refund,
  resultOf,
  settle,
  shapeFault,
  short,
  taskWorld,
  waitUntil,
  WORKER_BOND,
} from "../_tasks.ts";
import { accountOf, names, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const carol = accountOf("carol");
const dana = accountOf("dana");

describe("task_post", () => {
  test("task_post puts the poster's money in escrow under a rule that stays [L-347 L-359 L-393]", () => {
    const world = new World();
    const claim = world.make("bob", issue());
    const action = postTask({ spec: "9f86d081".padEnd(64, "0") }, { requires: [claim] });
    const unit = world.unit("alice", [action]);
    expect(world.ledger.intent(unit, names)).toBe(
      `Post a task of 5 USD for bob, described by 9f86d081, to be settled within 50 Pulses, ` +
        `resting on claim ${short(claim)}, attested by dana or not at all, judged by carol with ` +
        "bond judge, noticed at most 900 times in 1000, backed by 2 times the payment, which " +
        "stays reserved for 1000 Pulses. Fee 0.0011 USD; valid until Pulse 21.",
    );
    const before = world.balance(alice);
    const [receipt] = world.execute([unit]).receipts;
    const task = receipt?.made[0] ?? "";
    expect(world.sentence(action)).toBe(
      `Done: task ${short(task)} posted, with 5 USD in escrow; fee 0.0011 USD.`,
    );
    expect(receipt?.events).toEqual([{
      TaskPosted: {
        amount: usd(5),
        charter: null,
        deadline: 52n,
        poster: alice,
        receipt: null,
        task,
        worker: bob,
      },
    }]);
    expect(world.balance(alice)).toBe(before - usd(5) - 1100n);
    const value = world.read(taskKind, task);
    expect(value).toEqual({
      ...(action.body as object),
      poster: alice,
      posted: 2n,
      deadline: 52n,
      outcome: { kind: "open", body: {} },
      pulses: undefined,
    });
    expect(world.ledger.viewObject({ kind: "task", value }, world)).toMatchObject({
      amount: usd(5),
      kappa: 2_000_000n,
      requires: [claim],
      state: "open",
      adjudicator: { account: carol, label: "judge" },
    });
    const late = { pulse: 53n, timeMs: world.timeMs };
    expect(world.ledger.viewObject({ kind: "task", value }, late)).toMatchObject({
      state: "expired",
    });
  });

  test("task_post says what a bounty and the lack of a judge are [L-353]", () => {
    const world = new World();
    const action = postTask({ worker: null }, {
      adjudicator: null,
      verifiers: [],
      detection: 1000,
      kappa: 1_500_000n,
    });
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      "Post a bounty of 5 USD, to be settled within 50 Pulses, judged by nobody, backed by 1.5 " +
        "times the payment, which stays reserved for 1000 Pulses. Fee 0.0011 USD; " +
        "valid until Pulse 20.",
    );
  });

  test.each<[string, Partial<Parameters<typeof postTask>[0]>, Partial<Rule>, string | undefined]>([
    ["nothing", { amount: 0n }, {}, "an amount must be above 0"],
    ["no time", { pulses: 0n }, {}, "a task can be settled for 1 to 1000000000 Pulses"],
    [
      "too much",
      { pulses: 1_000_000_001n },
      {},
      "a task can be settled for 1 to 1000000000 Pulses",
    ],
    ["a claim twice", {}, { requires: [NOBODY, NOBODY] }, "required claims must be distinct"],
    [
      "unordered verifiers",
      {},
      { verifiers: ["22".repeat(32), NOBODY] },
      "verifiers must be distinct and in ascending order",
    ],
    [
      "a verifier twice",
      {},
      { verifiers: [NOBODY, NOBODY] },
      "verifiers must be distinct and in ascending order",
    ],
    ["its worker as verifier", { worker: dana }, {}, "a worker cannot verify its own result"],
    ["no factor", {}, { kappa: 0n }, "a safety factor is 0.000001 to 1000000"],
    [
      "too great a factor",
      {},
      { kappa: 10n ** 12n + 1n },
      "a safety factor is 0.000001 to 1000000",
    ],
    ["no detection", {}, { detection: 0 }, "a detection factor is 1 to 1000 thousandths"],
    ["too much detection", {}, { detection: 1001 }, "a detection factor is 1 to 1000 thousandths"],
    ["no reliance", {}, { reliance: 0n }, "backing stays reserved for 1 to 100000 Pulses"],
    ["long reliance", {}, { reliance: 100_001n }, "backing stays reserved for 1 to 100000 Pulses"],
    [
      "a judge without label",
      {},
      { adjudicator: { account: carol, label: "" } },
      expect.stringMatching(/^a bond's label has/) as unknown as string,
    ],
    [
      "all at its bounds",
      { pulses: 1_000_000_000n },
      { kappa: 10n ** 12n, detection: 1000, reliance: 100_000n, requires: [NOBODY] },
      undefined,
    ],
  ])("task_post with %s is refused or not, as its shape says", (_what, some, rule, fault) => {
    expect(shapeFault(postTask(some, rule))).toEqual(fault);
  });

  test("task_post asks for claims that are there and active [L-348 L-363]", () => {
    const world = new World();
    const claim = world.make("bob", issue());
    world.make("bob", revokeClaim(claim));
    expect(reasonOf(world.do("alice", postTask({}, { requires: [NOBODY] })))).toBe(
      "invalid transaction: there is no claim 11111111",
    );
    expect(reasonOf(world.do("alice", postTask({}, { requires: [claim] })))).toBe(
      `invalid transaction: claim ${short(claim)} is revoked`,
    );
    expect(reasonOf(world.do("alice", postTask({ amount: usd(1e6) })))).toBe(
      "invalid transaction: the balance is too low",
    );
  });

  test("task_post of an agent is a payment within its charter [L-354 L-366 L-631]", () => {
    const world = new World();
    const robot = robotOf(world, {
      payees: [bob],
      maxPayment: usd(6),
      bucket: { capacity: usd(8), refill: 0n, periodMs: 1000n },
      receipts: true,
    });
    const budget = { charter: robot.charter, allotment: robot.allotment };
    const action = postTask({ budget });
    expect(world.ledger.intent(world.unit("robot", [action]), names)).toContain(
      `, from allotment ${short(robot.allotment)} under charter ${short(robot.charter)}. Fee`,
    );
    const receipt = world.do("robot", action);
    const [task = "", claim = ""] = receipt.made;
    expect(receipt.events).toMatchObject([{
      TaskPosted: { charter: robot.charter, receipt: claim, task, poster: accountOf("robot") },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: task ${short(task)} posted, with 5 USD in escrow (receipt claim ${short(claim)}); ` +
        "fee 0.0011 USD.",
    );
    expect(world.read(claimKind, claim)?.subject).toMatchObject({
      kind: "payment",
      body: { payee: task, amount: usd(5), purpose: "escrow of a task", session: null },
    });
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({
      balance: usd(95),
      spent: usd(5),
    });
    expect(world.read(charterKind, robot.charter)?.bucket?.level).toBe(usd(3));

    const fails = (by: string, some: Parameters<typeof postTask>[0]) =>
      reasonOf(world.do(by, postTask({ budget, ...some })));
    const caveat = "charter caveat violated: ";
    expect(fails("robot", { worker: carol })).toBe(`${caveat}payee not allowed`);
    expect(fails("robot", { worker: null })).toBe(`${caveat}payee not allowed`);
    expect(fails("robot", { amount: usd(7) })).toBe(`${caveat}over the per-payment limit`);
    expect(fails("robot", {})).toBe(`${caveat}bucket holds only 3 USD`);
    expect(fails("alice", {})).toBe("unauthorized: only the charter's agent may pay under it");
    const other = { charter: robot.charter, allotment: NOBODY };
    expect(fails("robot", { budget: other })).toBe(
      "invalid transaction: there is no allotment 11111111",
    );
    world.make("alice", suspend(robot.agent));
    expect(fails("robot", {})).toBe(`${caveat}agent suspended`);
  });

  test("task_post of a bounty needs a line of charters without a list of payees", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const budget = { charter: helper.charter, allotment: helper.allotment };
    const bounty = postTask({ budget, worker: null });
    expect(world.do("helper", bounty).outcome.kind).toBe("success");
    world.make("alice", narrow(robot.charter, { payees: [bob] }));
    expect(reasonOf(world.do("helper", bounty))).toBe(
      "charter caveat violated: narrowed above: payee not allowed",
    );
    expect(reasonOf(world.do("helper", postTask({ budget, amount: usd(6) })))).toBe(
      "charter caveat violated: allotment holds only 5 USD",
    );
  });
});

describe("task_refund", () => {
  test("task_refund gives the poster back what nobody earned, once [L-393 L-637]", () => {
    const world = new World();
    const task = taskWorld(world);
    waitUntil(world, world.read(taskKind, task)?.deadline ?? 0n);
    const action = refund(task);
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      `Take back what is in escrow of task ${short(task)}. Fee 0.0011 USD; ` +
        `valid until Pulse ${world.pulse + 20n}.`,
    );
    expect(reasonOf(world.do("bob", action))).toBe(
      "unauthorized: only the poster may take back what is in escrow",
    );
    const before = world.balance(alice);
    const receipt = world.do("alice", action);
    expect(world.sentence(action)).toBe(
      `Done: 5 USD of task ${short(task)} taken back; fee 0.0011 USD.`,
    );
    expect(receipt.events).toEqual([
      { TaskRefunded: { allotment: null, amount: usd(5), poster: alice, task } },
    ]);
    expect(world.balance(alice)).toBe(before + usd(5) - 1100n);
    expect(world.read(taskKind, task)?.outcome).toEqual({
      kind: "refunded",
      body: { at: world.pulse },
    });
    expect(reasonOf(world.do("alice", action))).toBe(
      "invalid transaction: the task is refunded already",
    );
    expect(reasonOf(world.do("bob", settle(task, NOBODY)))).toBe(
      "invalid transaction: the task is refunded already",
    );
  });

  test("task_refund puts an agent's money back into its allotment, by the agent or above", () => {
    const world = new World();
    const robot = robotOf(world, { bucket: { capacity: usd(50), refill: 0n, periodMs: 1n } });
    const budget = { charter: robot.charter, allotment: robot.allotment };
    const [own = "", taken = ""] = [1n, 2n].map((pulses) =>
      world.make("robot", postTask({ budget, pulses }))
    );
    world.execute([]);
    const back = world.do("robot", refund(own));
    expect(back.events).toEqual([{
      TaskRefunded: {
        allotment: robot.allotment,
        amount: usd(5),
        poster: accountOf("robot"),
        task: own,
      },
    }]);
    expect(world.sentence(refund(own))).toBe(
      `Done: 5 USD of task ${short(own)} taken back into allotment ${short(robot.allotment)}; ` +
        "fee 0.0011 USD.",
    );
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({
      balance: usd(95),
      spent: usd(5),
    });
    expect(world.read(charterKind, robot.charter)?.bucket?.level).toBe(usd(40));
    world.make("alice", revoke(robot.agent));
    expect(reasonOf(world.do("bob", refund(taken)))).toBe(
      `unauthorized: only who stands above agent ${short(robot.agent)} may take back its escrow`,
    );
    world.make("alice", refund(taken));
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({
      balance: usd(100),
      spent: 0n,
    });
  });
});

describe("the formula of a result", () => {
  test("resultFormula() costs the least of the required and of all that attest with the worker", () => {
    const claims = fc.uniqueArray(fc.integer({ min: 0, max: 255 }), { maxLength: 16 });
    fc.assert(fc.property(claims, fc.nat(8), (ids, cut) => {
      const all = ids.map((id) => id.toString(16).padStart(2, "0").repeat(32));
      const [requires, attestations] = [all.slice(0, cut), all.slice(cut)];
      const formula = resultFormula({ requires }, bob, attestations);
      const bond = bondAtom("bob", "task-worker");
      expect(formula).toEqual(anyOf(
        DUAL_SIGNATURE,
        ...requires.map(claimAtom),
        attestations.length === 0 ? bond : allOf(bond, ...attestations.map(claimAtom)),
      ));
    }));
  });

  test("tasks pay what they hold and no more, whichever way they end, and bonds hold κ times it", () => {
    const usds = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(usds, usds, fc.boolean(), (amount, factor, ends) => {
        const world = new World();
        postBonds(world, usd(100));
        const before = [alice, bob].map((account) => world.balance(account));
        const kappa = BigInt(factor) * 300_001n;
        const task = world.make("alice", postTask({ amount: usd(amount), pulses: 2n }, { kappa }));
        if (ends) {
          const result = world.make("bob", resultOf("bob", task));
          world.make("bob", settle(task, result));
          const held = (BigInt(amount) * kappa * 1_000_000n + 999_999n) / 1_000_000n;
          expect(bondOf(world, WORKER_BOND)?.reservations).toMatchObject([{ amount: held }]);
          expect(world.balance(bob)).toBe((before[1] ?? 0n) + usd(amount) - 2200n);
        } else {
          waitUntil(world, world.pulse + 2n);
          world.make("alice", refund(task));
          expect(world.balance(alice)).toBe((before[0] ?? 0n) - 2200n);
        }
      }),
      { numRuns: 30 },
    );
  });
});
