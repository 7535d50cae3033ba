import { describe, expect, test } from "vitest";
import { idBytes } from "#internal/core/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import {
  allotmentKind,
  beaconKind,
  caveatsOf,
  charterKind,
  identityKind,
  USD,
} from "#internal/ledger/mod.ts";
import type { Funded, SomeSpawn } from "../_agents.ts";
import {
  agentPay,
  narrow,
  placeOf,
  reclaim,
  revoke,
  revokeCharter,
  robotOf,
  spawn,
  suspend,
} from "../_agents.ts";
import { accountOf, names, payTo, policyOf, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const short = (id: string) => id.slice(0, 8);
const keylessOf = (wallet: string, agent: string) => accountOf(wallet, idBytes(agent));
const THREE: readonly SomeSpawn[] = ["fetch", "clean", "label"]
  .map((name) => ({ name: `coder-${name}`, amount: usd(4), caveats: { payees: [bob] } }));

/** robot, and three keyless agents below it with fee money, in the order of {@link THREE}. */
function spawned(): { world: World; robot: Funded; below: readonly Funded[] } {
  const world = new World();
  const robot = robotOf(world);
  const { made } = world.do("robot", spawn(placeOf(robot), THREE));
  const below = [0, 3, 6].map((at) => ({
    agent: made[at] as string,
    charter: made[at + 1] as string,
    allotment: made[at + 2] as string,
  }));
  world.make(
    "robot",
    payTo(...below.map(({ agent }) => [keylessOf("robot", agent), 10_000n] as const)),
  );
  return { world, robot, below };
}

describe("spawn_agents", () => {
  test("spawn_agents makes agents, charters and allotments in one transaction [L-570 L-624 L-618]", () => {
    const world = new World();
    const robot = robotOf(world);
    const action = spawn(placeOf(robot), [...THREE.slice(0, 1), {
      name: "helper",
      account: accountOf("helper"),
    }]);
    expect(world.ledger.intent(world.unit("robot", [action]), names)).toBe(
      `Spawn 2 agents under agent ${short(robot.agent)}: coder-fetch, without a key of its own, ` +
        "with 4 USD to pay to bob only; helper, acting with the account helper, " +
        `all under charter ${short(robot.charter)}, from allotment ${short(robot.allotment)}. ` +
        "Fee 0.0011 USD; valid until Pulse 24.",
    );
    const receipt = world.do("robot", action);
    const [fetch = "", under = "", money = "", helper = ""] = receipt.made;
    expect(receipt.made).toHaveLength(4);
    const { pulse } = world;
    const identity = {
      principal: alice,
      parent: robot.agent,
      depth: 2,
      registered: pulse,
      suspensions: [],
      revoked: null,
    };
    const account = keylessOf("robot", fetch);
    expect(world.read(identityKind, fetch)).toEqual({
      ...identity,
      name: "coder-fetch",
      account,
      keyless: true,
    });
    expect(world.read(identityKind, helper)).toEqual({
      ...identity,
      name: "helper",
      account: accountOf("helper"),
      keyless: false,
    });
    const giver = accountOf("robot");
    expect(world.read(charterKind, under)).toEqual({
      agent: fetch,
      giver,
      parent: robot.charter,
      caveats: caveatsOf({ payees: [bob] }),
      bucket: null,
      made: pulse,
      narrowed: null,
      revoked: null,
    });
    expect(world.read(allotmentKind, money)).toEqual({
      charter: under,
      giver,
      source: robot.allotment,
      asset: USD,
      balance: usd(4),
      spent: 0n,
      made: pulse,
    });
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({
      balance: usd(96),
      spent: 0n,
    });
    const registered = { parent: robot.agent, principal: alice };
    expect(receipt.events).toEqual([
      { AgentRegistered: { account, agent: fetch, name: "coder-fetch", ...registered } },
      { CharterCreated: { agent: fetch, charter: under, giver, parent: robot.charter } },
      {
        AllotmentFunded: {
          allotment: money,
          amount: usd(4),
          charter: under,
          giver,
          source: robot.allotment,
        },
      },
      {
        AgentRegistered: {
          account: accountOf("helper"),
          agent: helper,
          name: "helper",
          ...registered,
        },
      },
    ]);
    expect(world.sentence(action)).toBe(
      `Done: 2 agents spawned: ${short(fetch)} as coder-fetch with 4 USD; ` +
        `${short(helper)} as helper; fee 0.0011 USD.`,
    );
  });

  test("spawn_agents by a person takes the money of all from its balance", () => {
    const world = new World();
    const before = world.balance(alice);
    const { made } = world.do("alice", spawn({}, THREE.slice(0, 2)));
    expect(world.balance(alice)).toBe(before - usd(8) - 1100n);
    expect(world.read(charterKind, made[1] ?? "")).toMatchObject({ parent: null, giver: alice });
    expect(world.read(allotmentKind, made[2] ?? "")).toMatchObject({ source: null });
    expect(world.read(identityKind, made[3] ?? "")).toMatchObject({ parent: null, depth: 1 });
    expect(reasonOf(world.do("alice", spawn({}, [{ name: "rich", amount: usd(1e6) }])))).toBe(
      "invalid transaction: the balance is too low",
    );
  });

  test("spawn_agents by an agent without a source takes the money from the agent's own balance", () => {
    const world = new World();
    const { agent: parent, charter } = robotOf(world);
    const action = (amount: number) =>
      spawn({ parent, charter }, [{ name: "below", amount: usd(amount) }]);
    expect(reasonOf(world.do("robot", action(1)))).toBe(
      "invalid transaction: the balance is too low",
    );
    const { made } = world.do("robot", action(0.5));
    expect(world.read(allotmentKind, made[2] ?? "")).toMatchObject({
      source: null,
      giver: accountOf("robot"),
      balance: usd(0.5),
    });
  });

  test("spawn_agents is refused as a whole if any part is [L-624]", () => {
    const world = new World();
    const robot = robotOf(world);
    const place = placeOf(robot);
    const [one] = THREE as readonly [SomeSpawn];
    const objects = (): number =>
      [...world.state.entries()].filter(([, { kind }]) => kind !== beaconKind.name).length;
    const count = objects();
    const reasons = ([
      [place, [one, { name: "top", account: alice }]],
      [place, [one, { name: "self", account: accountOf("robot") }]],
      [place, [one, { ...one, caveats: { expires: 1n } }]],
      [place, [one, { ...one, amount: usd(96) + 1n }]],
    ] as const).map(([at, agents]) => reasonOf(world.do("robot", spawn(at, agents))));
    const account =
      "invalid transaction: an agent cannot act with the account of who stands above it";
    expect(reasons).toEqual([
      account,
      account,
      "invalid transaction: the charter would have expired already",
      "charter caveat violated: allotment holds only 100 USD",
    ]);
    expect(objects()).toBe(count);
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({ balance: usd(100) });
  });

  test("spawn_agents is for the agent itself, in good standing, under its own charter [L-584]", () => {
    const world = new World();
    const robot = robotOf(world);
    const other = robotOf(world);
    const why = (by: string, place: Parameters<typeof spawn>[0]): string =>
      reasonOf(world.do(by, spawn(place, THREE))) ?? "";
    const place = placeOf(robot);
    const agent = short(robot.agent);
    expect(why("alice", place)).toBe(`unauthorized: the account is not that of agent ${agent}`);
    expect(why("robot", { ...place, charter: other.charter })).toBe(
      "unauthorized: the charter above is not the giver's",
    );
    expect(why("robot", { ...place, source: other.allotment })).toBe(
      "invalid transaction: the money must come from an allotment of the charter above",
    );
    expect(why("robot", { ...place, source: robot.charter })).toBe(
      `invalid transaction: there is no allotment ${short(robot.charter)}`,
    );
    world.make("alice", narrow(robot.charter, { expires: world.pulse + 2n }));
    world.execute([]);
    world.execute([]);
    expect(why("robot", place)).toBe("invalid transaction: the charter above is expired");
    world.make("alice", revokeCharter(other.charter));
    expect(why("robot", placeOf(other))).toBe("invalid transaction: the charter above is revoked");
    world.make("alice", suspend(robot.agent));
    expect(why("robot", place)).toBe(
      `unauthorized: agent ${agent} is not in good standing: agent suspended`,
    );
  });

  test("spawn_agents goes eight agents deep and no deeper", () => {
    const world = new World();
    let parent = world.make("alice", spawn({}, [{ name: "a1" }]));
    for (let depth = 2; depth <= 8; depth++) {
      world.make("alice", payTo([keylessOf("alice", parent), usd(1)]));
      const action = spawn({ parent }, [{ name: `a${depth}` }]);
      parent = world.make("alice", action, { keyless: parent });
    }
    world.make("alice", payTo([keylessOf("alice", parent), usd(1)]));
    const ninth = spawn({ parent }, [{ name: "a9" }]);
    expect(reasonOf(world.do("alice", ninth, { keyless: parent }))).toBe(
      "invalid transaction: agents can be at most 8 deep",
    );
  });

  test.each<[string, Action]>([
    ["no agents", spawn({}, [])],
    ["33 agents", spawn({}, Array.from({ length: 33 }, (_, i) => ({ name: `a${i}` })))],
    ["a bad name", spawn({}, [{ name: "fine" }, { name: "a b" }])],
    ["an amount of 0", spawn({}, [{ name: "a", amount: 0n }])],
    [
      "caveats that no charter can have",
      spawn({}, [{
        name: "a",
        amount: 1n,
        caveats: { maxPayment: 0n },
      }]),
    ],
    [
      "more than 64 bits",
      spawn({}, [
        { name: "a", amount: 2n ** 64n - 1n },
        { name: "b", amount: 1n },
      ]),
    ],
    ["an agent's budget under no charter", spawn({ parent: bob }, [{ name: "a", amount: 1n }])],
    ["a person's under a charter", spawn({ charter: bob }, [{ name: "a", amount: 1n }])],
    ["a charter for nobody", spawn({ parent: bob, charter: bob }, [{ name: "a" }])],
    ["a source without a charter", spawn({ source: bob }, [{ name: "a", amount: 1n }])],
  ])("spawn_agents with %s is refused at once", (_, action) => {
    const world = new World();
    expect(() => world.ledger.encodeSigned(world.unit("alice", [action]))).toThrow(TypeError);
  });

  test("spawn_agents of 32 agents with budgets fits a receipt", () => {
    const world = new World();
    const agents = Array.from({ length: 32 }, (_, i) => ({ name: `a${i}`, amount: 1n }));
    const { made, events } = world.do("alice", spawn({}, agents));
    expect([made.length, events.length]).toEqual([96, 96]);
  });
});

describe("keyless agents", () => {
  test("keyless agents pay in one batch under the signature of who spawned them [L-571 L-572 L-573 L-575]", () => {
    const { world, below } = spawned();
    const amounts = [usd(1), usd(5), usd(1)];
    const salts = below.map(({ agent }) => idBytes(agent));
    const unit = {
      ...world.unit("robot", []).unit,
      members: below.map((from, at) => ({
        account: accountOf("robot", salts[at]),
        sequence: 0n,
        ...agentPay(from, bob, amounts[at] as bigint, { session: "s", call: "c" }),
      })),
    };
    const signatures = [{ key: 0, signature: new Uint8Array(32) }];
    const authorization = { policy: policyOf("robot"), salts, signatures };
    const { receipts } = world.execute([{ unit, authorization }]);
    expect(receipts.map(({ outcome, fee }) => [outcome.kind, fee])).toEqual([
      ["success", 567n],
      ["failed", 567n],
      ["success", 567n],
    ]);
  });

  test("keyless agents below a keyless agent are signed for by the nearest one with a key [L-571]", () => {
    const { world, below } = spawned();
    const [fetch] = below as readonly [Funded];
    const action = spawn(placeOf(fetch), [{ name: "deeper", amount: usd(1) }]);
    const { made: [agent = "", charter = "", allotment = ""] } = world.do("robot", action, {
      keyless: fetch.agent,
    });
    const account = keylessOf("robot", agent);
    expect(world.read(identityKind, agent)).toMatchObject({ account, keyless: true, depth: 3 });
    world.make("robot", payTo([account, 10_000n]));
    const pays = (payee: string) =>
      world.do("robot", agentPay({ agent, charter, allotment }, payee, usd(0.5)), {
        keyless: agent,
      });
    expect(pays(bob).outcome.kind).toBe("success");
    expect(reasonOf(pays(accountOf("carol")))).toBe(
      "charter caveat violated: narrowed above: payee not allowed",
    );
    world.make("alice", revoke(fetch.agent));
    expect(reasonOf(pays(bob))).toBe("charter caveat violated: agent revoked above");
  });

  test("keyless agents' budgets go back to where they came from [L-627]", () => {
    const { world, robot, below } = spawned();
    const [fetch] = below as readonly [Funded];
    world.make("robot", reclaim(fetch.allotment));
    expect(world.read(allotmentKind, robot.allotment)).toMatchObject({ balance: usd(92) });
  });
});
