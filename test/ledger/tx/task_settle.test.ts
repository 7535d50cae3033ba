import { describe, expect, test } from "vitest";
import type { Action } from "#internal/ledger/mod.ts";
import { bondId } from "../../../internal/ledger/claims/atom.ts";
import { freeOf } from "../../../internal/ledger/objects/bond.ts";
import { taskKind } from "../../../internal/ledger/objects/task.ts";
import {
  adjudicate,
  allOf,
  anyOf,
  bondAtom,
  CAROL,
  dispute,
  DUAL_SIGNATURE,
  issue,
  post,
  release,
  reserve,
  revokeClaim,
} from "../_claims.ts";
import {
  attest,
  bondOf,
  NOBODY,
  OUTPUT,
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
const VERIFIER_BOND = bondId({ account: dana, label: "verifier" });

describe("task_settle", () => {
  test("task_settle pays a result on the worker's bond and reserves of it [L-350 L-351 L-378]", () => {
    const world = new World();
    const task = taskWorld(world);
    const result = world.make("bob", resultOf("bob", task));
    const before = world.balance(bob);
    const action = settle(task, result);
    const unit = world.unit("bob", [action]);
    expect(world.ledger.intent(unit, names)).toBe(
      `Settle task ${short(task)} with result ${short(result)}. Fee 0.0011 USD; ` +
        "valid until Pulse 25.",
    );
    const [receipt] = world.execute([unit]).receipts;
    expect(world.sentence(action)).toBe(
      `Done: task ${short(task)} paid 5 USD to bob; 10 USD of what backs result ` +
        `${short(result)} reserved until Pulse 1006; fee 0.0011 USD.`,
    );
    expect(receipt?.events).toEqual([{
      TaskPaid: {
        amount: usd(5),
        reserved: [[result, usd(10)]],
        result,
        task,
        until: 1006n,
        worker: bob,
      },
    }]);
    expect(world.balance(bob)).toBe(before + usd(5) - 1100n);
    expect(world.read(taskKind, task)?.outcome).toEqual({
      kind: "paid",
      body: { worker: bob, result, at: 6n, until: 1006n },
    });
    expect(bondOf(world, WORKER_BOND)?.reservations).toEqual([
      { claim: result, account: alice, amount: usd(10), until: 1006n, disputed: false },
    ]);
    expect(reasonOf(world.do("bob", settle(task, result)))).toBe(
      "invalid transaction: the task is paid already",
    );
    expect(reasonOf(world.do("alice", refund(task)))).toBe(
      "invalid transaction: the task is paid already",
    );
  });

  test("task_settle takes a small bond of the worker with an attestation [L-349 L-370 L-378]", () => {
    const world = new World();
    const task = taskWorld(world, {}, 1n);
    const bare = world.make("bob", resultOf("bob", task));
    expect(reasonOf(world.do("bob", settle(task, bare)))).toBe(
      "invalid transaction: the result is not accepted: cost of corruption 0 (after detection " +
        "discount 900/1000) is below κ·V = 10",
    );
    const attested = world.make("dana", attest("dana", task));
    const result = world.make("bob", resultOf("bob", task, [attested]));
    const action = settle(task, result, [attested]);
    expect(world.ledger.intent(world.unit("bob", [action]), names)).toContain(
      `with result ${short(result)}, attested by claim ${short(attested)}. Fee`,
    );
    expect(world.do("bob", action).events).toMatchObject([
      { TaskPaid: { reserved: [[result, 1n], [attested, usd(10) - 1n]] } },
    ]);
    const bond = bondOf(world, VERIFIER_BOND);
    expect(bond?.reservations).toMatchObject([{ claim: attested, account: alice }]);
    expect(bond && freeOf(bond, world.pulse)).toBe(usd(10) + 1n);
  });

  test("task_settle of a result found false later compensates the poster [L-352 L-394]", () => {
    const world = new World();
    const task = taskWorld(world, {}, usd(4));
    const attested = world.make("dana", attest("dana", task));
    const result = world.make("bob", resultOf("bob", task, [attested]));
    world.make("bob", settle(task, result, [attested]));
    world.make("alice", dispute(result, "it does not run"));
    world.make("alice", dispute(attested));
    const before = world.balance(alice);
    world.make("carol", adjudicate(result, true));
    expect(world.balance(alice)).toBe(before + usd(4));
    world.make("carol", adjudicate(attested, true));
    expect(world.balance(alice)).toBe(before + usd(10));
    expect(bondOf(world, VERIFIER_BOND)).toMatchObject({ amount: 0n, slashed: usd(20) });
  });

  test("task_settle keeps what is reserved from being released, until it lapses [L-386 L-399]", () => {
    const world = new World();
    const task = taskWorld(world, { reliance: 3n });
    const result = world.make("bob", resultOf("bob", task));
    world.make("bob", settle(task, result));
    expect(reasonOf(world.do("bob", release("task-worker", usd(11))))).toBe(
      "invalid transaction: only 10 USD of the bond is free",
    );
    world.execute([]);
    world.execute([]);
    world.make("bob", release("task-worker", usd(20)));
  });

  test("task_settle is the worker's, or of a bounty anyone's whose result passes first [L-353 L-638]", () => {
    const world = new World();
    postBonds(world);
    world.make("dana", post("task-worker", usd(20)));
    const own = world.make("alice", postTask());
    const danas = world.make("dana", resultOf("dana", own));
    expect(reasonOf(world.do("dana", settle(own, danas)))).toBe(
      "unauthorized: only the worker that the task names may settle it",
    );
    const bounty = world.make("alice", postTask({ worker: null }));
    const first = world.make("dana", resultOf("dana", bounty));
    expect(reasonOf(world.do("bob", settle(bounty, first)))).toBe(
      "unauthorized: only who issued the result may settle the task with it",
    );
    const second = world.make("bob", resultOf("bob", bounty));
    const { receipts } = world.execute([
      world.unit("bob", [settle(bounty, second)]),
      world.unit("dana", [settle(bounty, first)]),
    ]);
    expect(receipts.map(reasonOf)).toEqual([
      undefined,
      "invalid transaction: the task is paid already",
    ]);
    expect(world.read(taskKind, bounty)?.outcome).toMatchObject({ body: { worker: bob } });
  });

  test("task_settle pays up to the deadline, and not after it [L-359 L-393]", () => {
    const world = new World();
    const task = taskWorld(world);
    const result = world.make("bob", resultOf("bob", task));
    const deadline = world.read(taskKind, task)?.deadline ?? 0n;
    waitUntil(world, deadline - 1n);
    expect(reasonOf(world.do("alice", refund(task)))).toBe(
      `invalid transaction: the task can be settled until Pulse ${deadline}`,
    );
    const late = settle(task, result);
    expect(reasonOf(world.do("bob", late))).toBe(
      `invalid transaction: the task could be settled until Pulse ${deadline}`,
    );
    const other = new World();
    const again = taskWorld(other);
    const intime = other.make("bob", resultOf("bob", again));
    waitUntil(other, (other.read(taskKind, again)?.deadline ?? 0n) - 1n);
    expect(other.do("bob", settle(again, intime)).outcome.kind).toBe("success");
  });

  const wrongResults: [string, (task: string) => Action, string][] = [
    ["of another schema", (task) => resultOf("bob", task, [], { schema: "note/v1" }), "no result"],
    ["of another task", () => resultOf("bob", NOBODY), "no result"],
    [
      "with more words",
      (task) => resultOf("bob", task, [], { subject: `task ${task} output ${OUTPUT}.` }),
      "no result",
    ],
    [
      "of an output in capitals",
      (task) =>
        resultOf("bob", task, [], { subject: `task ${task} output ${OUTPUT.toUpperCase()}` }),
      "no result",
    ],
    [
      "without the judge",
      (task) => resultOf("bob", task, [], { adjudicator: null }),
      "adjudicator",
    ],
    [
      "with another judge",
      (task) => resultOf("bob", task, [], { adjudicator: { account: carol, label: "other" } }),
      "adjudicator",
    ],
    ["noticed too surely", (task) => resultOf("bob", task, [], { detection: 901 }), "detection"],
    [
      "on the signature alone",
      (task) => resultOf("bob", task, [], { formula: DUAL_SIGNATURE }),
      "exactly",
    ],
    [
      "on the bond alone",
      (task) => resultOf("bob", task, [], { formula: bondAtom("bob", "task-worker") }),
      "exactly",
    ],
    [
      "on both at once",
      (task) =>
        resultOf("bob", task, [], {
          formula: allOf(DUAL_SIGNATURE, bondAtom("bob", "task-worker")),
        }),
      "exactly",
    ],
    [
      "on more than is required",
      (task) =>
        resultOf("bob", task, [], {
          formula: anyOf(
            DUAL_SIGNATURE,
            bondAtom("bob", "task-worker"),
            bondAtom("bob", "task-worker"),
          ),
        }),
      "exactly",
    ],
  ];
  const reasons: { readonly [word: string]: string } = {
    "no result": "the claim is no result of the task",
    adjudicator: "the result does not name the adjudicator of the task",
    detection: "the result declares a detection factor above 900/1000",
    exactly: "the result does not rest on exactly what the task requires",
  };

  test.each(wrongResults)("task_settle refuses a result %s [L-640]", (_what, claim, word) => {
    const world = new World();
    const task = taskWorld(world);
    const result = world.make("bob", claim(task));
    expect(reasonOf(world.do("bob", settle(task, result)))).toBe(
      `invalid transaction: ${reasons[word]}`,
    );
  });

  test("task_settle takes no judge where the task names none, and no receipt claim for a result", () => {
    const world = new World();
    const task = taskWorld(world, { adjudicator: null });
    const judged = world.make("bob", resultOf("bob", task));
    expect(reasonOf(world.do("bob", settle(task, judged)))).toBe(
      `invalid transaction: ${reasons["adjudicator"]}`,
    );
    const plain = world.make("bob", resultOf("bob", task, [], {}, { adjudicator: null }));
    expect(world.do("bob", settle(task, plain)).outcome.kind).toBe("success");
    expect(reasonOf(world.do("bob", settle(task, NOBODY)))).toBe(
      "invalid transaction: the task is paid already",
    );
    expect(reasonOf(world.do("bob", settle(NOBODY, plain)))).toBe(
      "invalid transaction: there is no task 11111111",
    );
  });

  const wrongAttestations: [string, (task: string) => Action, string][] = [
    ["of another schema", (task) => attest("dana", task, { schema: "note/v1" }), "no attestation"],
    ["of another task", () => attest("dana", NOBODY), "no attestation"],
    [
      "of another output",
      (task) => attest("dana", task, { subject: `task ${task} output ${NOBODY}` }),
      "no attestation",
    ],
    ["for another worker", (task) => attest("dana", task, {}, carol), "no attestation"],
    ["without the judge", (task) => attest("dana", task, { adjudicator: null }), "no attestation"],
    [
      "on the signature alone",
      (task) => attest("dana", task, { formula: DUAL_SIGNATURE }),
      "no attestation",
    ],
    [
      "on two bonds",
      (task) =>
        attest("dana", task, {
          formula: anyOf(
            DUAL_SIGNATURE,
            bondAtom("dana", "verifier"),
            bondAtom("dana", "verifier"),
          ),
        }),
      "no attestation",
    ],
  ];

  test.each(wrongAttestations)("task_settle refuses an attestation %s [L-376]", (_what, claim) => {
    const world = new World();
    const task = taskWorld(world, {}, 1n);
    const attested = world.make("dana", claim(task));
    const result = world.make("bob", resultOf("bob", task, [attested]));
    expect(reasonOf(world.do("bob", settle(task, result, [attested])))).toBe(
      `invalid transaction: claim ${short(attested)} is no attestation of the output`,
    );
  });

  test("task_settle counts attestations of named verifiers only, each once [L-365 L-376]", () => {
    const world = new World();
    postBonds(world, 1n);
    const bounty = postTask({ worker: null }, { verifiers: [bob, dana].sort() });
    const task = world.make("alice", bounty);
    world.make("alice", post("verifier", usd(20)));
    world.make("bob", post("verifier", usd(20)));
    for (const by of ["alice", "bob"]) {
      const attested = world.make(by, attest(by, task));
      const result = world.make("bob", resultOf("bob", task, [attested]));
      expect(reasonOf(world.do("bob", settle(task, result, [attested])))).toBe(
        `invalid transaction: claim ${short(attested)} is not by a verifier of the task`,
      );
    }
    const twice = [
      world.make("dana", attest("dana", task)),
      world.make("dana", attest("dana", task)),
    ];
    const result = world.make("bob", resultOf("bob", task, twice));
    expect(reasonOf(world.do("bob", settle(task, result, twice)))).toBe(
      "invalid transaction: a verifier attests once",
    );
    expect(shapeFault(settle(task, result, [result]))).toBe(
      "a task is settled with distinct claims",
    );
    const own = world.make("dana", attest("dana", task, {}, bob));
    const good = world.make("bob", resultOf("bob", task, [own]));
    expect(reasonOf(world.do("bob", settle(task, good)))).toBe(
      `invalid transaction: ${reasons["exactly"]}`,
    );
    expect(world.do("bob", settle(task, good, [own])).outcome.kind).toBe("success");
  });

  test("task_settle takes no attestation that has ended, whoever backs the rest [L-376]", () => {
    const world = new World();
    const task = taskWorld(world);
    const attested = world.make("dana", attest("dana", task));
    const result = world.make("bob", resultOf("bob", task, [attested]));
    world.make("dana", revokeClaim(attested));
    expect(reasonOf(world.do("bob", settle(task, result, [attested])))).toBe(
      `invalid transaction: claim ${short(attested)} is revoked`,
    );
  });

  test("task_settle weighs every required claim, and reserves nothing of it [L-348 L-363]", () => {
    const world = new World();
    postBonds(world);
    world.make("dana", post("environment", usd(9)));
    const formula = anyOf(DUAL_SIGNATURE, bondAtom("dana", "environment"));
    const claim = world.make("dana", issue({ formula, adjudicator: CAROL }));
    const requires = [claim];
    const task = world.make("alice", postTask({}, { requires }));
    const result = world.make("bob", resultOf("bob", task, [], {}, { requires }));
    expect(reasonOf(world.do("bob", settle(task, result)))).toBe(
      "invalid transaction: the result is not accepted: cost of corruption 8.1 (after detection " +
        "discount 900/1000) is below κ·V = 10",
    );
    const without = world.make("bob", resultOf("bob", task));
    expect(reasonOf(world.do("bob", settle(task, without)))).toBe(
      `invalid transaction: ${reasons["exactly"]}`,
    );
    const cheap = world.make("alice", postTask({ amount: usd(4) }, { requires }));
    const passes = world.make("bob", resultOf("bob", cheap, [], {}, { requires }));
    expect(world.do("bob", settle(cheap, passes)).outcome.kind).toBe("success");
    const vendor = bondId({ account: dana, label: "environment" });
    expect(bondOf(world, vendor)?.reservations).toEqual([]);
  });

  test("task_settle weighs in few steps, and on the safe side beyond them", () => {
    const world = new World();
    postBonds(world, usd(100));
    const labels = ["a", "b", "c", "d", "e", "f"];
    for (const label of labels) world.make("dana", post(label, usd(10)));
    // Two triangles: of each two bonds have to fall, which takes more than 32 steps to see.
    const pairs = ["ab", "bc", "ca", "de", "ef", "fd"];
    const formula = allOf(
      ...pairs.map((pair) => anyOf(...pair.split("").map((label) => bondAtom("dana", label)))),
    );
    const requires = [world.make("dana", issue({ formula }))];
    const settles = (amount: bigint) => {
      const task = world.make("alice", postTask({ amount }, { requires }));
      const result = world.make("bob", resultOf("bob", task, [], {}, { requires }));
      return reasonOf(world.do("bob", settle(task, result)));
    };
    expect(settles(usd(13.5))).toBeUndefined();
    expect(settles(usd(13.500001))).toBe(
      "invalid transaction: the result is not accepted: cost of corruption 27 (after detection " +
        "discount 900/1000) is below κ·V = 27.000002",
    );
  });

  test("task_settle refuses what is reserved already, a cheap judge and claims that ended [L-350]", () => {
    const world = new World();
    const task = taskWorld(world);
    const result = world.make("bob", resultOf("bob", task));
    world.make("bob", reserve(result, dana, usd(11)));
    expect(reasonOf(world.do("bob", settle(task, result)))).toBe(
      "invalid transaction: the result is not accepted: only 9 of backing is unreserved; " +
        "κ·V = 10 is needed",
    );
    const judge = { account: carol, label: "penny" };
    world.make("carol", post("penny", usd(1)));
    const cheap = world.make("alice", postTask({}, { adjudicator: judge }));
    const judged = world.make("bob", resultOf("bob", cheap, [], {}, { adjudicator: judge }));
    expect(reasonOf(world.do("bob", settle(cheap, judged)))).toBe(
      "invalid transaction: the result is not accepted: the adjudicator's cost of corruption 1 " +
        "is below κ·V = 10",
    );
    world.make("bob", revokeClaim(result));
    expect(reasonOf(world.do("bob", settle(task, result)))).toBe(
      "invalid transaction: the result is not accepted: the claim is revoked",
    );
  });

  test("task_settle asks for room on a bond that gives a part", () => {
    const world = new World();
    const task = taskWorld(world);
    const note = world.make(
      "bob",
      issue({
        formula: anyOf(DUAL_SIGNATURE, bondAtom("bob", "task-worker")),
        adjudicator: CAROL,
      }),
    );
    for (let held = 0; held < 64; held++) world.make("bob", reserve(note, dana, 1n, 1000n));
    const [again, room] = [postTask(), postTask({}, { kappa: 1_000_000n })];
    const late = world.make("alice", again);
    const result = world.make("bob", resultOf("bob", late));
    expect(reasonOf(world.do("bob", settle(late, result)))).toBe(
      `invalid transaction: bond ${short(WORKER_BOND)} has 64 reservations`,
    );
    expect(world.make("alice", room)).not.toBe(task);
  });
});
