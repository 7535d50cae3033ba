import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { idBytes } from "#internal/core/mod.ts";
import { accountOf } from "../../internal/proofs/world/stack_b/policy.ts";
import { decodeUnit } from "../../internal/proofs/world/stack_b/unit.ts";
import type { Funded, People } from "./_spawn_stories.ts";
import {
  FEE,
  NO_CAVEATS,
  people,
  robotOf,
  SPAWN,
  spawn,
  spawning,
  tellOfSpawns,
} from "./_spawn_stories.ts";
import { unitOf, USD } from "./_stack_b.ts";
import { executeByStackB } from "#internal/proofs/mod.ts";
import { FUNDS, Story } from "./_stack_b_story.ts";

let all: People;
beforeAll(async () => {
  all = await people();
});

let story: Story;
let robot: Funded;
beforeEach(async () => {
  story = new Story(Object.values(all));
  robot = await robotOf(story, all);
});

describe("executeByStackB() on several agents at once", () => {
  it("makes identity, charter and allotment agent by agent, and tells of them in that order [L-624]", async () => {
    const { bob, helper } = all;
    const payees = [bob.account];
    const agents = [spawn("fetch", null, 400n, { payees }), spawn("helper", helper.account)];
    const { receipt, reason } = await story.act(all.robot, SPAWN, spawning(agents, robot));
    expect(reason).toBeNull();
    expect(receipt.fee).toBe(FEE);
    const [fetch = "", charter = "", allotment = "", second = "", ...more] = receipt.made;
    expect(more).toEqual([]);
    const principal = all.alice.account;
    const { parent, source } = robot;
    const giver = all.robot.account;
    const account = accountOf(all.robot.policy, idBytes(fetch));
    expect(receipt.events).toEqual([
      { AgentRegistered: { account, agent: fetch, name: "fetch", parent, principal } },
      { CharterCreated: { agent: fetch, charter, giver, parent: robot.charter } },
      { AllotmentFunded: { allotment, amount: 400n, charter, giver, source } },
      {
        AgentRegistered: {
          account: helper.account,
          agent: second,
          name: "helper",
          parent,
          principal,
        },
      },
    ]);
    const made = story.pulse;
    expect(story.object("identity", fetch)).toEqual({
      name: "fetch",
      principal,
      parent,
      account,
      keyless: true,
      depth: 2,
      registered: made,
      suspensions: [],
      revoked: null,
    });
    expect(story.object("identity", second)).toMatchObject({ keyless: false, depth: 2 });
    expect(story.object("charter", charter)).toEqual({
      agent: fetch,
      giver,
      parent: robot.charter,
      caveats: { ...NO_CAVEATS, payees },
      bucket: null,
      made,
      narrowed: null,
      revoked: null,
    });
    const bornWith = { charter, giver, source, asset: USD, balance: 400n, spent: 0n, made };
    expect(story.object("allotment", allotment)).toEqual(bornWith);
    expect(story.object("allotment", source)).toMatchObject({ balance: 600n, spent: 0n });
    expect(story.balance(all.robot)).toBe(FUNDS - FEE);
  });

  it("a person's budgets come from the account, under no charter, their buckets full", async () => {
    const { alice, bob, helper } = all;
    const before = story.balance(alice);
    const bucket = { capacity: 9n, refill: 1n, periodMs: 5n };
    const agents = [spawn("one", bob.account, 70n, { bucket }), spawn("two", helper.account, 5n)];
    const { receipt } = await story.act(alice, SPAWN, spawning(agents));
    expect(story.balance(alice)).toBe(before - FEE - 75n);
    const [one = "", charter = "", allotment = ""] = receipt.made;
    const principal = alice.account;
    expect(story.object("identity", one)).toMatchObject({ principal, parent: null, depth: 1 });
    expect(story.object("charter", charter)).toMatchObject({
      parent: null,
      bucket: { level: 9n, carry: 0n, atMs: story.timeMs },
    });
    expect(story.object("allotment", allotment)).toMatchObject({ source: null, balance: 70n });
  });

  it("nothing happens when one of them cannot be, but that the fee is paid [L-624]", async () => {
    const { alice, helper } = all;
    const one = spawn("one", helper.account, 100n);
    const reasonOf = async (agents: readonly object[], under: Partial<Funded>) => {
      const { receipt, reason } = await story.act(all.robot, SPAWN, spawning(agents, under));
      expect(receipt).toMatchObject({ events: [], made: [], fee: FEE });
      expect(story.object("allotment", robot.source).balance).toBe(1000n);
      return reason;
    };
    const above = "an agent cannot act with the account of who stands above it";
    for (const { account } of [alice, all.robot]) {
      expect(await reasonOf([one, spawn("two", account)], robot)).toBe(
        `invalid transaction: ${above}`,
      );
    }
    expect(await reasonOf([one, spawn("two", null, 1n, { expires: 1n })], robot)).toBe(
      "invalid transaction: the charter would have expired already",
    );
    expect(await reasonOf([one, spawn("two", null, 901n)], robot)).toBe(
      "charter caveat violated: allotment holds only 0.001 USD",
    );
    const rest = story.balance(all.robot) - FEE;
    const { source: _, ...withoutSource } = robot;
    expect(await reasonOf([one, spawn("two", null, rest - 99n)], withoutSource)).toBe(
      "invalid transaction: the balance is too low",
    );
  });

  it("a unit that does not say where its budgets come from is none", async () => {
    const { parent, charter, source } = robot;
    const [paid, bare] = [spawn("one", null, 1n), spawn("one", null)];
    const decoded = (body: object) =>
      unitOf(all.robot, 9n, [{ tag: SPAWN, body }]).then(decodeUnit);
    await expect(decoded(spawning(new Array(32).fill(paid), robot))).resolves.toBeDefined();
    const max = 2n ** 64n - 1n;
    await expect(decoded(spawning([spawn("one", null, max)]))).resolves.toBeDefined();
    const refused = [
      spawning([]),
      spawning(new Array(33).fill(bare)),
      spawning([paid], { parent }),
      spawning([paid], { parent, source }),
      spawning([paid], { charter }),
      spawning([paid], { charter, source }),
      spawning([paid], { source }),
      spawning([bare], robot),
      spawning([bare], { parent, charter }),
      spawning([bare, spawn("-", null)]),
      spawning([paid, spawn("two", null, 0n)]),
      spawning([paid, spawn("two", null, 1n, { maxPayment: 0n })]),
      spawning([paid, spawn("two", null, max)]),
    ];
    for (const body of refused) await expect(decoded(body)).rejects.toThrow("Cannot");
  });

  it("the stories reach every reason that the protocol names", async () => {
    const reasons = new Set<string>();
    for (const { input } of await tellOfSpawns()) {
      for (const { kind, outcome } of executeByStackB(input).receipts) {
        if (kind === SPAWN) reasons.add(outcome.kind === "failed" ? outcome.body : outcome.kind);
      }
    }
    const known = [...reasons].map((one) => one.replace(/[0-9a-f]{8}|[0-9.]+ USD/g, "…"));
    expect([...new Set(known)].sort()).toEqual([
      "charter caveat violated: allotment holds only …",
      "invalid transaction: agents can be at most 8 deep",
      "invalid transaction: an agent cannot act with the account of who stands above it",
      "invalid transaction: the balance is too low",
      "invalid transaction: the charter above is expired",
      "invalid transaction: the charter above is revoked",
      "invalid transaction: the charter would have expired already",
      "invalid transaction: the money must come from an allotment of the charter above",
      "invalid transaction: there is no allotment …",
      "invalid transaction: there is no charter …",
      "invalid transaction: there is no identity …",
      "success",
      "unauthorized: agent … is not in good standing: agent revoked",
      "unauthorized: agent … is not in good standing: agent suspended",
      "unauthorized: the account is not that of agent …",
      "unauthorized: the charter above is not the giver's",
    ]);
  });
});
