import { describe, expect, test } from "vitest";
import { encode, idBytes } from "#internal/core/mod.ts";
import {
  EMPTY_ROOT,
  logInclusionProof,
  logRoot,
  verifyLogInclusion,
  verifySparse,
} from "#internal/merkle/mod.ts";
import type { Ordered } from "#internal/ledger/mod.ts";
import {
  accountKey,
  assetKind,
  leavesRoot,
  LedgerError,
  objectHash,
  objectId,
  receiptLeaf,
  restoreState,
  shardOf,
  USD,
  voidDigest,
} from "#internal/ledger/mod.ts";
import { agentPay, charter, fund, narrow, register, robotOf } from "./_agents.ts";
import { accountOf, FUNDS, payTo, reasonOf, usd, World } from "./_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const voidSlot = (account: string, sequence: bigint): Ordered => ({
  type: "void",
  account,
  sequence,
});

describe("Ledger.execute()", () => {
  test("Ledger.execute() of nothing changes nothing", () => {
    const world = new World();
    const before = world.state.root();
    const output = world.execute([]);
    expect(output.roots.state).toEqual(before);
    expect(output.roots.receipts).toEqual(EMPTY_ROOT);
    expect(output.roots.knowledge).toEqual(EMPTY_ROOT);
    expect([output.receipts, output.events, output.changed.size]).toEqual([[], [], 0]);
    expect(output.leaves.map(({ pre, post }) => [pre, post])).toEqual(
      world.state.shards.map((tree) => [tree.root(), tree.root()]),
    );
  });

  test("Ledger.execute() keeps the certified order of receipts whatever the phase [L-267 L-598]", () => {
    const world = new World();
    const ordered = [
      world.unit("alice", [register("robot")]),
      world.unit("bob", [payTo([alice, 1n])]),
      world.unit("alice", [payTo([bob, 2n])], { ahead: 1 }),
      voidSlot(accountOf("carol"), 0n),
    ];
    const { receipts, roots } = world.execute(ordered);
    expect(receipts.map(({ kind, account }) => [kind, account])).toEqual([
      ["agent_register", alice],
      ["pay", bob],
      ["pay", alice],
      ["void", accountOf("carol")],
    ]);
    const leaves = receipts.map((receipt) =>
      receiptLeaf(encode(world.ledger.receiptCodec, receipt))
    );
    expect(roots.receipts).toEqual(logRoot(leaves));
  });

  test("Ledger.execute() lets a payment go before another lane's shared work, never before its own", () => {
    const world = new World();
    const robot = robotOf(world, { payees: [bob] });
    const fees = world.read(assetKind, USD)?.fees ?? 0n;
    const { receipts } = world.execute([
      world.unit("robot", [agentPay(robot, bob, 1n)]),
      world.unit("robot", [payTo([bob, usd(1) - 2200n])], { ahead: 1 }),
      world.unit("alice", [narrow(robot.charter, { payees: [] })]),
    ]);
    expect(receipts.map(({ outcome }) => outcome.kind)).toEqual(["success", "success", "success"]);
    expect(world.balance(accountOf("robot"))).toBe(0n);
    expect(world.read(assetKind, USD)?.fees).toBe(fees + 3300n);
  });

  test("Ledger.execute() runs a batch of payments where the latest of its lanes stands", () => {
    const world = new World();
    const body = { name: "coder", parent: null, account: null };
    const agent = world.make("alice", { kind: "agent_register", body });
    const keyless = accountOf("alice", idBytes(agent));
    world.make("alice", payTo([keyless, usd(1)]));
    const first = world.unit("alice", [register("robot")]);
    const paid = world.unit("alice", [payTo([bob, 1n])], { ahead: 1 });
    const both: typeof paid = {
      unit: {
        ...paid.unit,
        members: [...paid.unit.members, { account: keyless, sequence: 0n, ...payTo([bob, 1n]) }],
      },
      authorization: {
        ...paid.authorization,
        salts: [...paid.authorization.salts, idBytes(agent)],
      },
    };
    const later = world.unit("alice", [payTo([bob, 2n])], { keyless: agent, ahead: 1 });
    const { receipts } = world.execute([first, both, later]);
    expect(receipts.map(({ account, fee, outcome }) => [account, fee, outcome.kind])).toEqual([
      [alice, 1100n, "success"],
      [alice, 700n, "success"],
      [keyless, 700n, "success"],
      [keyless, 1100n, "success"],
    ]);
  });

  test("Ledger.execute() settles a void slot for 1100 micro-USD or what there is [L-127]", () => {
    const world = new World({ accounts: [[alice, 5000n], [bob, 300n]] });
    const { receipts } = world.execute([voidSlot(alice, 0n), voidSlot(bob, 0n)]);
    expect(receipts.map(({ fee, outcome, digest }) => [fee, outcome.kind, digest])).toEqual([
      [1100n, "void", voidDigest(alice, 0n)],
      [300n, "void", voidDigest(bob, 0n)],
    ]);
    expect([world.sequence(alice), world.sequence(bob)]).toEqual([1n, 1n]);
    expect(receipts[0] && world.ledger.outcome(receipts[0], undefined, () => undefined)).toBe(
      "Void (the slot was settled without a transaction); " +
        "nothing happened except the fee of 0.0011 USD.",
    );
  });

  test("Ledger.execute() takes what there is from a forced unit that cannot pay its fee", () => {
    const world = new World({ accounts: [[alice, 300n]] });
    const signed = world.unit("alice", [payTo([bob, 1n])]);
    const { receipts } = world.execute([{ type: "unit", signed, forced: true }]);
    expect(receipts[0]).toMatchObject({
      fee: 300n,
      outcome: { reason: "invalid transaction: the balance does not cover the fee" },
    });
    expect([world.balance(alice), world.sequence(alice)]).toEqual([0n, 1n]);
  });

  test("Ledger.execute() refuses a slot that is not the next, as the order's fault", () => {
    const world = new World();
    const ahead = world.unit("alice", [payTo([bob, 1n])], { ahead: 1 });
    expect(() => world.execute([ahead])).toThrow(LedgerError);
    expect(() => world.execute([voidSlot(alice, 3n)])).toThrow(/0 is next/);
  });

  test("Ledger.execute() lets members of a batch succeed and fail singly [L-575]", () => {
    const world = new World();
    const { receipts } = world.execute([
      world.unit("alice", [payTo([bob, 1n]), payTo([bob, FUNDS]), payTo([bob, 2n])]),
    ]);
    expect(receipts.map(reasonOf)).toEqual([
      undefined,
      "invalid transaction: the balance is too low",
      undefined,
    ]);
    expect(receipts.map(({ index, sequence, fee }) => [index, sequence, fee])).toEqual([
      [0, 0n, 567n],
      [1, 1n, 567n],
      [2, 2n, 567n],
    ]);
    expect(world.balance(bob)).toBe(FUNDS + 3n);
  });

  test("Ledger.execute() collects all fees [L-085]", () => {
    const world = new World();
    world.execute([
      world.unit("alice", [payTo([bob, 1n])]),
      world.unit("bob", [payTo([alice, FUNDS])]),
      voidSlot(accountOf("carol"), 0n),
    ]);
    expect(world.read(assetKind, USD)?.fees).toBe(3300n);
  });

  test("Ledger.execute() gives the bytes of all that changed, from which the state is restored [L-597]", () => {
    const world = new World();
    const start = world.state;
    const robot = robotOf(world, { receipts: true });
    world.do("robot", agentPay(robot, bob, usd(1)));
    const stored = [...world.state.entries()].map(([id]) =>
      [id, world.state.bytes(id) ?? new Uint8Array()] as const
    );
    const restored = restoreState(world.ledger, {
      shards: 2,
      objects: stored,
      knowledge: world.state.knowledge,
    });
    expect(restored.root()).toEqual(world.state.root());
    expect(restored.size()).toBe(world.state.size());
    expect(restored.get(robot.charter)).toEqual(world.state.get(robot.charter));
    for (const [id, bytes] of world.last?.changed ?? []) {
      expect(world.ledger.encodeObject(world.ledger.decodeObject(bytes))).toEqual(bytes);
      expect(world.state.bytes(id)).toEqual(bytes);
    }
    expect(start.get(robot.charter)).toBeUndefined();
    expect(start.get(alice)?.value).toMatchObject({ sequence: 0n });
  });

  test("Ledger.execute() commits every object under its shard's root [L-267 L-268]", () => {
    const world = new World({ shards: 3 });
    robotOf(world);
    expect(world.state.root()).toEqual(logRoot(world.state.shards.map((tree) => tree.root())));
    for (const [id] of world.state.entries()) {
      const shard = shardOf(id, 3);
      const tree = world.state.shards[shard];
      const hash = objectHash(world.state.bytes(id) ?? new Uint8Array());
      if (!tree) throw new Error();
      expect(verifySparse(tree.root(), idBytes(id), hash, tree.prove(idBytes(id)))).toBe(true);
      const roots = world.state.shards.map((one) => one.root());
      expect(
        verifyLogInclusion(logRoot(roots), 3, shard, tree.root(), logInclusionProof(roots, shard)),
      ).toBe(true);
    }
  });

  test("Ledger.execute() leaves one leaf a shard, chained to the one before [L-272]", () => {
    const world = new World();
    const first = world.execute([world.unit("alice", [payTo([bob, 1n])])]);
    const second = world.execute([world.unit("bob", [payTo([alice, 1n])])]);
    expect(first.leaves.map(({ shard }) => shard)).toEqual([0, 1]);
    expect(second.leaves.map(({ pre }) => pre)).toEqual(first.leaves.map(({ post }) => post));
    expect(first.roots.leaves).toEqual(leavesRoot(first.leaves));
    expect(second.roots.leaves).not.toEqual(first.roots.leaves);
  });

  test("Ledger.execute() names all it touched, absent objects too", () => {
    const world = new World();
    const nobody = "11".repeat(32);
    const { touched } = world.execute([
      world.unit("alice", [charter(nobody, {})]),
      world.unit("bob", [payTo([accountOf("mallory"), 1n])]),
    ]);
    const keys = [alice, bob, accountOf("mallory")].map(accountKey);
    expect([...touched].sort()).toEqual([...keys, nobody, USD].sort());
    const { receipts, touched: second } = world.execute([world.unit("alice", [register("robot")])]);
    expect([...second].sort()).toEqual([accountKey(alice), USD, ...receipts[0]?.made ?? []].sort());
  });

  test("Ledger.execute() keeps apart an account and an object of the same id", () => {
    const world = new World();
    const registered = world.unit("alice", [register("robot")]);
    const [digest = ""] = world.ledger.memberDigests(registered.unit);
    const agent = objectId(digest, 0);
    world.do("bob", payTo([agent, usd(1)], [USD, usd(2)]));
    expect(world.state.get(agent)?.kind).toBe("account");
    world.execute([registered]);
    world.do("bob", payTo([agent, usd(1)]));
    expect(world.state.get(agent)?.kind).toBe("identity");
    expect(world.state.get(USD)?.kind).toBe("asset");
    expect([world.balance(agent), world.balance(USD)]).toEqual([usd(2), usd(2)]);
    expect(world.do("alice", charter(agent, {})).outcome.kind).toBe("success");
  });

  test("Ledger.execute() runs a whole agent's setup from one lane in one Pulse", () => {
    const world = new World();
    const registered = world.unit("alice", [register("robot")]);
    const made = (unit: typeof registered) => {
      const [digest = ""] = world.ledger.memberDigests(unit.unit);
      return objectId(digest, 0);
    };
    const agent = made(registered);
    const given = world.unit("alice", [charter(agent, {})], { ahead: 1 });
    const funded = world.unit("alice", [fund(made(given), usd(10))], { ahead: 2 });
    const paid = world.unit("alice", [payTo([accountOf("robot"), usd(0.1)])], { ahead: 3 });
    const { receipts } = world.execute([registered, given, funded, paid]);
    expect(receipts.map(({ made: ids }) => ids)).toEqual([
      [agent],
      [made(given)],
      [made(funded)],
      [],
    ]);
    expect(world.state.account(accountOf("robot"))).toEqual({
      sequence: 0n,
      balances: new Map([[USD, usd(0.1)]]),
    });
  });
});
